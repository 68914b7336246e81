/// "did you mean ...", or all names where none is near.
package func nearestNames(to name: String, _ known: [String]) -> String {
    if let near = nearNames(to: name, known) { return near }
    return known.isEmpty ? "it has none" : "it has \(known.prefix(20).joined(separator: ", "))"
}

/// "did you mean ...", or nil where no name is near.
package func nearNames(to name: String, _ known: [String]) -> String? {
    let wanted = foldIdentifier(name)
    let ranked = known.map { ($0, editDistance(wanted, foldIdentifier($0))) }.sorted { $0.1 < $1.1 }
    let near = ranked.filter { known, distance in
        distance <= max(2, name.utf8.count / 3) && distance * 2 <= max(name.utf8.count, known.utf8.count)
    }.prefix(3).map { $0.0 }
    return near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?"
}

/// The Levenshtein distance of two names, in bytes; names longer than 64 bytes are far from everything.
private func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count <= 64, right.count <= 64 else { return .max }
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let above = row[column + 1]
            row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == right[column] ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}
