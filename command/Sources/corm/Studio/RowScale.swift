import CormorantBase
import CormorantEngine
import CormorantSQLite

/// Where in its order a row is, from 0 to 1, told by the value of the first column alone: between its least and its greatest one.
/// It is exact where values are dense, and near where they are spread evenly.
struct RowScale {
    private enum Ends {
        case numbers(Double, Double, isInteger: Bool)
        /// Texts or blobs by a few bytes behind what both begin with.
        case bytes(prefix: [UInt8], Double, Double, Digits)
    }

    /// What a text or blob counts as a number of.
    private struct Digits {
        var isText: Bool
        /// Hex digits alone, as UUIDs and hashes are: as bytes they would be spread unevenly.
        var isHex: Bool

        private static let hex = Array("0123456789abcdef".utf8)
        private var base: Double { isHex ? 16 : 256 }
        private var count: Int { isHex ? 8 : 6 }

        func number(_ bytes: [UInt8], behind start: Int) -> Double {
            var isOver = false
            return (start..<start + count).reduce(0) { number, place in
                let byte = place < bytes.count ? bytes[place] : 0
                let digit = isHex ? Self.hex.firstIndex(of: byte) : Int(byte)
                if digit == nil { isOver = true }
                return number * base + (isOver ? 0 : Double(digit ?? 0))
            }
        }

        func value(_ number: Double, _ prefix: [UInt8]) -> Value {
            var rest = number.rounded()
            var bytes: [UInt8] = []
            for _ in 0..<count {
                let digit = Int(rest.truncatingRemainder(dividingBy: base))
                bytes.insert(isHex ? Self.hex[digit] : UInt8(digit), at: 0)
                rest = (rest / base).rounded(.down)
            }
            // A text of whole characters.
            return isText
                ? .text(String(decoding: prefix + bytes.prefix { 0x01...0x7F ~= $0 }, as: UTF8.self))
                : .blob(prefix + bytes)
        }
    }

    private let ends: Ends
    let isDescending: Bool
    private let column: String

    /// nil where the values do not tell.
    init?(_ term: RowOrder.Term, of shape: TableShape, _ connection: Connection) throws {
        column = term.column
        isDescending = term.isDescending
        let statement = try connection.statement(
            "SELECT (SELECT min(\(column)) FROM \(shape.name)), (SELECT max(\(column)) FROM \(shape.name))")
        defer { connection.recycle(statement) }
        guard try statement.step() else { return nil }
        let row = Row(statement)
        switch (try row.value(0), try row.value(1)) {
        case (.integer(let least), .integer(let greatest)):
            ends = .numbers(Double(least), Double(greatest), isInteger: true)
        case (.integer, .real), (.real, .integer), (.real, .real):
            ends = .numbers(row.cell(0).double, row.cell(1).double, isInteger: false)
        case (.text(let least), .text(let greatest)):
            ends = Self.ends(Array(least.utf8), Array(greatest.utf8), isText: true)
        case (.blob(let least), .blob(let greatest)): ends = Self.ends(least, greatest, isText: false)
        default: return nil
        }
    }

    private static func ends(_ least: [UInt8], _ greatest: [UInt8], isText: Bool) -> Ends {
        let prefix = Array(zip(least, greatest).prefix { $0 == $1 }.map(\.0))
        let isHex =
            isText && least.count >= 8 && (least + greatest).allSatisfy { "0123456789abcdef-".utf8.contains($0) }
        let digits = Digits(isText: isText, isHex: isHex)
        return .bytes(
            prefix: prefix, digits.number(least, behind: prefix.count), digits.number(greatest, behind: prefix.count),
            digits)
    }

    /// The conditions of the rows from a place on.
    func segments(at fraction: Double) -> [[SQLPiece]] {
        let share = isDescending ? 1 - fraction : fraction
        let value: Value
        switch ends {
        case .numbers(let least, let greatest, let isInteger):
            let number = least + (greatest - least) * share
            value = isInteger ? .integer(Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)) : .real(number)
        case .bytes(let prefix, let least, let greatest, let digits):
            value = digits.value(least + (greatest - least) * share, prefix)
        }
        let rest = SQLPiece(sql: "\(column) \(isDescending ? "<=" : ">=") ?", values: [value])
        return isDescending ? [[rest], [SQLPiece(sql: "\(column) IS NULL")]] : [[rest]]
    }

    func fraction(of value: Value) -> Double? {
        let (place, least, greatest): (Double, Double, Double)
        switch (ends, value) {
        case (.numbers(let low, let high, _), .integer(let integer)):
            (place, least, greatest) = (Double(integer), low, high)
        case (.numbers(let low, let high, _), .real(let real)): (place, least, greatest) = (real, low, high)
        case (.bytes(let prefix, let low, let high, let digits), .text(let text)):
            (place, least, greatest) = (digits.number(Array(text.utf8), behind: prefix.count), low, high)
        case (.bytes(let prefix, let low, let high, let digits), .blob(let bytes)):
            (place, least, greatest) = (digits.number(bytes, behind: prefix.count), low, high)
        // NULL comes before all else.
        case (_, .null): return isDescending ? 1 : 0
        default: return nil
        }
        let share = greatest > least ? min(1, max(0, (place - least) / (greatest - least))) : 0
        return isDescending ? 1 - share : share
    }
}
