public import Cormorant

/// The model of edge-values.json.
@Model
public struct EdgeValues: Equatable, Sendable {
    @Key public var id: Int64?
    public var whole: Int64
    public var optionalWhole: Int64?
    public var natural: UInt64
    public var small: Int32
    public var optionalSmall: Int32?
    public var smallNatural: UInt32
    public var flag: Bool
    public var optionalFlag: Bool?
    public var ratio: Double
    public var optionalRatio: Double?
    public var single: Float
    public var optionalSingle: Float?
    public var label: String
    public var optionalLabel: String?
    @Column(length: 10) public var code: String
    @Column(length: 10) public var optionalCode: String?
    public var data: [UInt8]
    public var optionalData: [UInt8]?
    public var moment: Timestamp
    public var optionalMoment: Timestamp?
    public var token: UUIDBytes
    public var optionalToken: UUIDBytes?
    public var price: DecimalText
    public var optionalPrice: DecimalText?
    public var extra: JSONText
    public var optionalExtra: JSONText?
}

private let zero = UUIDBytes(high: 0, low: 0)
private let counting = UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

/// The rows of edge-values.json.
public let edgeRows = [
    EdgeValues(
        id: 1, whole: 0, natural: 0, small: 0, smallNatural: 0, flag: false, ratio: 0, single: 0, label: "", code: "",
        data: [], moment: Timestamp(microseconds: 0), token: zero, price: "0", extra: "{}"),
    EdgeValues(
        id: 2, whole: 0, optionalWhole: 0, natural: 0, small: 0, optionalSmall: 0, smallNatural: 0, flag: false,
        optionalFlag: false, ratio: 0, optionalRatio: 0, single: 0, optionalSingle: 0, label: "", optionalLabel: "",
        code: "", optionalCode: "", data: [], optionalData: [], moment: Timestamp(microseconds: 0),
        optionalMoment: Timestamp(microseconds: 0), token: zero, optionalToken: zero, price: "0", optionalPrice: "0.00",
        extra: "{}", optionalExtra: "[]"),
    EdgeValues(
        id: .max, whole: .max, optionalWhole: .max, natural: UInt64(Int64.max), small: .max, optionalSmall: .max,
        smallNatural: .max, flag: true, optionalFlag: true, ratio: .greatestFiniteMagnitude, optionalRatio: .infinity,
        single: .greatestFiniteMagnitude, optionalSingle: .infinity, label: "\0", optionalLabel: "a\0b",
        code: "日本語🦤éабвгд", optionalCode: "0123456789", data: [0], optionalData: [0xFF, 0, 0xFE, 0x80, 0xC0],
        moment: Timestamp(microseconds: 253_402_300_799_999_999), optionalMoment: Timestamp(microseconds: 1),
        token: UUIDBytes(high: .max, low: .max), optionalToken: counting, price: "99999999999999999999999999999999.99",
        optionalPrice: "0.000000000000000000001", extra: #"{"a":[1,2,null,true],"b":{"c":"d"}}"#,
        optionalExtra: #"[""]"#),
    EdgeValues(
        id: .min, whole: .min, optionalWhole: .min, natural: 1, small: .min, optionalSmall: .min, smallNatural: 1,
        flag: true, optionalFlag: false, ratio: -.greatestFiniteMagnitude, optionalRatio: -.infinity,
        single: -.greatestFiniteMagnitude, optionalSingle: -.infinity, label: "naïve 日本 🦤 e\u{301}",
        optionalLabel: "'); DROP TABLE edge_values; --", code: "'\"`[]", optionalCode: " \n\r\t",
        data: Array(repeatElement([0, 1, 2, 0xFD, 0xFE, 0xFF], count: 20_000).joined()), optionalData: [0x27],
        moment: Timestamp(microseconds: -62_135_596_800_000_000), optionalMoment: Timestamp(microseconds: -1),
        token: counting, price: "-99999999999999999999999999999999.99", optionalPrice: "-0.10", extra: #"{"quote":"'"}"#
    ),
    EdgeValues(
        id: 3, whole: 9_007_199_254_740_993, optionalWhole: -9_007_199_254_740_993, natural: 4_294_967_296, small: 1,
        optionalSmall: -1, smallNatural: 2_147_483_648, flag: false, optionalFlag: true, ratio: 0.1,
        optionalRatio: .leastNonzeroMagnitude, single: 0.1, optionalSingle: .leastNonzeroMagnitude,
        label: String(repeating: "0123456789", count: 10_000), optionalLabel: "0123", code: "1e3", optionalCode: "NULL",
        data: [0x31, 0x32], moment: Timestamp(microseconds: 1_700_000_000_123_456),
        token: UUIDBytes(high: 0x1234_5678_9ABC_DEF0, low: 0x1234_5678_9ABC_DEF0), price: "12.50",
        extra: #"{"n":12345678901234567}"#),
]
