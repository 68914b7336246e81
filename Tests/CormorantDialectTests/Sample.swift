import CormorantBase
import CormorantORM
import CormorantQuery

/// The models whose rows both engines have, with a column of each type.
enum Sample {
    static let things = ModelDescriptor(
        name: "Thing", table: "thing",
        columns: [
            ColumnDescriptor("id", .int64, primaryKey: true),
            ColumnDescriptor("number", .int32),
            ColumnDescriptor("count", .int32, isOptional: true),
            ColumnDescriptor("big", .int64, isOptional: true),
            ColumnDescriptor("flag", .bool, isOptional: true),
            ColumnDescriptor("isOpen", .bool),
            ColumnDescriptor("weight", .double, isOptional: true),
            ColumnDescriptor("share", .float, isOptional: true),
            ColumnDescriptor("title", .text),
            ColumnDescriptor("note", .text, isOptional: true),
            ColumnDescriptor("code", .varchar(40), isOptional: true),
            ColumnDescriptor("price", .decimal, isOptional: true),
            ColumnDescriptor("made", .datetime, isOptional: true),
            ColumnDescriptor("day", .date, isOptional: true),
            ColumnDescriptor("hour", .time, isOptional: true),
            ColumnDescriptor("token", .uuid, isOptional: true),
            ColumnDescriptor("bytes", .blob, isOptional: true),
            ColumnDescriptor("details", .json, isOptional: true),
            ColumnDescriptor("sent", .offsetDatetime, isOptional: true),
            ColumnDescriptor("nick", .text, isOptional: true, collation: "NOCASE"),
        ])

    static let parts = ModelDescriptor(
        name: "Part", table: "part",
        columns: [
            ColumnDescriptor("id", .int64, primaryKey: true),
            ColumnDescriptor("thingId", .int64, isOptional: true, references: ReferenceTarget("thing")),
            ColumnDescriptor("label", .text, isOptional: true),
            ColumnDescriptor("score", .double, isOptional: true),
            ColumnDescriptor("amount", .int32, isOptional: true),
        ])

    static let models = [things, parts]

    /// The values that columns of a type have, edges among them.
    static func values(_ type: ColumnType) -> [Value] {
        switch type {
        case .int64:
            [
                0, 1, -1, 2, 3, 7, -7, 10, 100, 4_611_686_018_427_387_904, 9_007_199_254_740_992,
                9_007_199_254_740_993, -9_007_199_254_740_993, .max, .min,
            ]
            .map { .integer($0) }
        case .int32: [0, 1, -1, 2, 3, 5, -5, 10, 99, 2_147_483_647, -2_147_483_648].map { .integer($0) }
        case .bool: [.integer(0), .integer(1)]
        case .double:
            [
                0, 1, -1, 0.5, 2.5, -2.5, 3.25, 1e10, 0.1, -0.5, 123.456, 0x1p53, 0x1p53 + 2, -0x1p53, 0x1p62, 0x1p63,
                -0x1p63, 1e15, 1e18, -1e20, 1e300, -1e300, 123_456_789.123_456_78,
            ]
            .map { .real($0) }
        case .float: [0, 1, -1, 0.5, 2.5, -2.5, 3.25, 0x1p24, 0x1p60, -0x1p100].map { .real($0) }
        case .text, .varchar:
            ["", "a", "A", "b", "Ä", "ä", "abc", "ABC", "a%c", "a_c", "a\\c", " a ", "12", "12abc", "Zoë", "zoe", "é"]
                .map { .text($0) }
        // No two are equal: which of two texts of one number an engine gives is chance.
        case .decimal: ["0", "1.10", "2.1", "-2.50", "10", "0.001", "12345678901234567890.5"].map { .text($0) }
        case .datetime:
            ["2024-01-31 12:00:00", "2024-01-31 12:00:00.500000", "1999-12-31 23:59:59", "2024-02-29 00:00:00"]
                .map { .text($0) }
        case .date: ["2024-01-31", "1999-12-31", "2024-02-29", "0001-01-01", "9999-12-31"].map { .text($0) }
        case .time: ["12:00:00", "00:00:00", "23:59:59.999999", "12:00:00.500000"].map { .text($0) }
        case .uuid:
            ["00000000-0000-0000-0000-000000000001", "ffffffff-0000-0000-0000-000000000001"].map { .text($0) }
        case .blob: [.blob([]), .blob([0]), .blob([1, 2, 255]), .blob([97])]
        case .json:
            [
                #"{"a": 1, "b": "x", "c": [1, 2, 3], "d": null, "e": true, "f": 2.5, "g": {"h": "y"}}"#, #"{"a": "1"}"#,
                #"{"a": 2, "b": "Y", "c": []}"#, "[1, 2]", "{}", #"{"a": "12.5", "b": 3, "f": "7abc"}"#,
                #"{"a": 1.0, "b": [1], "c": [[2], "x"], "f": -2.75}"#, #"{"a": null, "e": false, "f": 10}"#,
            ].map { .text($0) }
        case .offsetDatetime:
            [
                "2024-01-31 12:00:00.000000Z[+01:00]", "2024-01-31 12:00:00.000000Z[-05:00]",
                "1999-12-31 23:59:59.000000Z[+00:00]",
            ]
            .map { .text($0) }
        case .duration: [.integer(0)]
        }
    }
}
