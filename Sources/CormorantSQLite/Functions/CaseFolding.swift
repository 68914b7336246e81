import CSQLite
import CormorantBase

extension Connection {
    /// Makes the collation `corm_nocase` known, which compares texts without regard to the case of any letter, and
    /// `corm_fold(value)`, which makes of a text the one that all such texts have; any other value stays as it is. Statements
    /// built of expressions call the function where LIKE and its kin look into a text of that collation. It cannot be used in a
    /// schema; the collation can, and ties a file to this library where an index or a column has it.
    func registerCaseFolding() throws {
        try registerCollation("corm_nocase") { _, leftCount, left, rightCount, right in
            compareFolded(textOf(left, leftCount), textOf(right, rightCount))
        }
        try register("corm_fold", arguments: 1) { context, _, values in
            guard let value = values?[0] else { return }
            guard let text = textOf(value) else { return sqlite3_result_value(context, value) }
            setResult(.text(foldedCase(String(decoding: text, as: UTF8.self))), context)
        }
    }
}

/// By the code points of the folded texts, which are in the order of their bytes in UTF-8.
private func compareFolded(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int32 {
    var start = 0
    let end = min(left.count, right.count)
    while start < end, left[start] < 0x80, right[start] < 0x80 {
        let (first, second) = (foldASCII(left[start]), foldASCII(right[start]))
        if first != second { return first < second ? -1 : 1 }
        start += 1
    }
    if start == end { return Int32(clamping: left.count - right.count) }
    let (first, second) = (folded(left[start...]), folded(right[start...]))
    if first.utf8.elementsEqual(second.utf8) { return 0 }
    return first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
}

private func folded(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    foldedCase(String(decoding: bytes, as: UTF8.self))
}
