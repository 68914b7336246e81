import CormorantBase

extension ModelDescriptor {
    /// The properties that differ between two records, by the values that the file would hold of them. What the database fills
    /// in by each write is no change of the program's: computed columns, the version, the time of the update.
    package func changes(from old: [Value], to new: [Value]) -> [String] {
        changedColumns(from: old, to: new).map { columns[$0].name }
    }

    /// The same as indices of columns.
    func changedColumns(from old: [Value], to new: [Value]) -> [Int] {
        columns.indices.filter { !filledByUpdate.contains($0) && !holdsSame(old[$0], new[$0], in: $0) }
    }

    /// Whether the file would hold the same of a column: of a decimal with a scale the number, whatever its digits.
    package func holdsSame(_ left: Value, _ right: Value, in column: Int) -> Bool {
        if isSame(left, right) { return true }
        guard let scale = columns[column].scale, let one = decimal(left, scale) else { return false }
        return one == decimal(right, scale)
    }

    private func decimal(_ value: Value, _ scale: Int) -> String? {
        switch value {
        case .integer(let number): return ExactDecimal(number).rescaled(scale)?.text
        case .text(var text): return text.withUTF8 { try? ExactDecimal(parsing: $0) }?.rescaled(scale)?.text
        default: return nil
        }
    }
}

/// Whether the file would hold the same: 0.0 and -0.0 are two reals, and texts are their bytes, which Swift's `==` does not compare.
package func isSame(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    default: left == right
    }
}
