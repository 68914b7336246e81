import CSQLite
import CormorantBase

extension Connection {
    /// Makes `corm_reads_as(value, type)` known: whether a column of the type `text`, `uuid`, `decimal`, `datetime`, `date`,
    /// `time` or `offset_datetime` takes a value from the file. Plans ask rows by it; it cannot be used in a schema.
    func registerReadableFunction() throws {
        try register("corm_reads_as", arguments: 2) { context, _, values in
            guard let text = textOf(values?[0]), let type = textOf(values?[1]) else {
                return sqlite3_result_int(context, 0)
            }
            let fits =
                switch type.first {
                case UInt8(ascii: "o"): OffsetTimestamp(stored: text) != nil
                case UInt8(ascii: "u"): UUIDBytes(stored: text) != nil
                case UInt8(ascii: "t") where type[type.count - 1] == UInt8(ascii: "t"):
                    text.baseAddress.map { isValidUTF8($0, count: text.count) } ?? true
                case UInt8(ascii: "d") where type.count == "decimal".utf8.count: isDecimalText(text)
                case UInt8(ascii: "t"): TimeForm.time.value(stored: text) != nil
                case UInt8(ascii: "d") where type.count == "date".utf8.count: TimeForm.date.value(stored: text) != nil
                default: Timestamp(stored: text) != nil
                }
            sqlite3_result_int(context, fits ? 1 : 0)
        }
    }
}
