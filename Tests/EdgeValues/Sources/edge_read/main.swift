import Cormorant
import EdgeValues

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

guard CommandLine.arguments.count == 2 else { fatalError("usage: edge_read FILE") }
let database = try Database(path: CommandLine.arguments[1], options: OpenOptions(mode: .readOnly))
let found = try database.fetchAll(EdgeValues.self, Query(order: ["id"]))
let wanted = edgeRows.sorted { $0.id ?? 0 < $1.id ?? 0 }

/// The texts byte by byte: Swift's == takes for equal what Unicode calls equivalent.
func texts(_ row: EdgeValues) -> [[UInt8]] {
    [row.label, row.optionalLabel, row.code, row.optionalCode].compactMap { $0.map { Array($0.utf8) } }
}

var differences = found.count == wanted.count ? 0 : 1
if differences > 0 { print("\(found.count) rows, not \(wanted.count)") }
for (found, wanted) in zip(found, wanted) where found != wanted || texts(found) != texts(wanted) {
    print("found  \(found)\nwanted \(wanted)")
    differences += 1
}
if differences == 0 { print("ok \(found.count) rows") }
exit(differences == 0 ? 0 : 1)
