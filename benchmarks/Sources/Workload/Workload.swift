// The workload that every contestant shares, in Swift: the data, the keys, the checksum, the clock and the answer.
// It says what c/workload.h says; the driver checks that the two agree.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The fields of a row, as each contestant's record has them.
public protocol ItemFields {
    var id: Int64 { get set }
    var quantity: Int64 { get }
    var grade: Int64 { get }
    var region: Int64 { get }
    var price: Double { get }
    var weight: Double { get }
    var name: String { get }
    var city: String { get }
    var code: String { get }
    var note: String? { get }

    init(
        id: Int64, quantity: Int64, grade: Int64, region: Int64, price: Double, weight: Double, name: String,
        city: String, code: String, note: String?)
}

/// A linear congruential generator (Knuth's MMIX constants); its upper 31 bits are the number.
struct Generator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }

    mutating func next(below limit: UInt64) -> Int64 { Int64(next() % limit) }

    mutating func text() -> String {
        let size = Int(next() % 9) + 12
        let offset = Int(next(below: 256 - 20))
        return String(decoding: pool[offset..<offset + size], as: UTF8.self)
    }
}

/// Every text is a piece of this one.
private let pool: [UInt8] = {
    var generator = Generator(state: 1)
    return (0..<256).map { _ in UInt8(ascii: "a") + UInt8(generator.next() % 26) }
}()

private let golden: UInt64 = 0x9E37_79B9_7F4A_7C15

extension ItemFields {
    /// The row `id` in an edition (0 as inserted, 1 as updated).
    public init(made id: Int64, edition: UInt64) {
        var generator = Generator(state: UInt64(id) &* golden &+ edition)
        _ = generator.next()
        let quantity = generator.next(below: 1_000_000)
        let grade = generator.next(below: 100)
        let region = generator.next(below: 10)
        let price = Double(generator.next(below: 1_048_576)) / 1024
        let weight = Double(generator.next(below: 1_048_576)) / 1024
        let name = generator.text()
        let city = generator.text()
        let code = generator.text()
        let note = generator.text()
        let hasNote = generator.next() % 2 == 1
        self.init(
            id: id, quantity: quantity, grade: grade, region: region, price: price, weight: weight, name: name,
            city: city, code: code, note: hasNote ? note : nil)
    }

    /// `count` rows of an edition with the keys that `key` gives.
    public static func make(count: Int, edition: UInt64 = 0, key: (Int) -> Int64 = { Int64($0) + 1 }) -> [Self] {
        (0..<count).map { Self(made: key($0), edition: edition) }
    }

    /// What row number `index` of a result adds to the checksum; the reals are whole numbers of 1/1024.
    func sum(index: Int) -> UInt64 {
        var sum = UInt64(bitPattern: id &* 3 &+ quantity &* 5 &+ grade &* 7 &+ region &* 11)
        sum &+= UInt64(price * 1024) &* 13 &+ UInt64(weight * 1024) &* 17
        sum &+= textSum(name) &* 19 &+ textSum(city) &* 23 &+ textSum(code) &* 29
        sum &+= note.map { textSum($0) &* 31 } ?? 37
        return sum &* UInt64(index + 1)
    }

    /// What one lookup adds: little, for it is inside the measured time.
    @inlinable public var lookupSum: UInt64 { UInt64(quantity) &+ UInt64(name.utf8.count) }
}

private func textSum(_ text: String) -> UInt64 {
    let bytes = text.utf8
    return UInt64(bytes.count) &* 65536 &+ UInt64(bytes.first ?? 0) &* 256 &+ UInt64(bytes.last ?? 0)
}

public func checksum(_ rows: [some ItemFields]) -> UInt64 {
    var sum: UInt64 = 0
    for (index, row) in rows.enumerated() { sum &+= row.sum(index: index) }
    return sum
}

/// The keys: lookups jump about, updates and deletes go up.
public func lookupKey(_ index: Int, rows: Int) -> Int64 {
    var generator = Generator(state: UInt64(index) &* golden)
    _ = generator.next()
    return generator.next(below: UInt64(rows)) + 1
}
public func updateKey(_ index: Int) -> Int64 { Int64(index) * 2 + 1 }
public func deleteKey(_ index: Int) -> Int64 { Int64(index) * 4 + 1 }

public let itemCreate = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, quantity INTEGER NOT NULL, grade INTEGER NOT NULL, \
    region INTEGER NOT NULL, price REAL NOT NULL, weight REAL NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL, \
    code TEXT NOT NULL, note TEXT)
    """
public let filterRegion: Int64 = 3

/// The job on the command line, WORK DATABASE ROWS COUNT: ROWS are in the table, COUNT operations are asked for.
public struct Job {
    public let work: String
    public let path: String
    public let rows: Int
    public let count: Int
    private var wall = 0.0
    private var cpu = 0.0

    public init(_ arguments: ArraySlice<String>) {
        let list = Array(arguments)
        guard list.count == 4, let rows = Int(list[2]), let count = Int(list[3]) else {
            fatalError("usage: WORK DATABASE ROWS COUNT")
        }
        (work, path, self.rows, self.count) = (list[0], list[1], rows, count)
    }

    /// Runs the measured part.
    @discardableResult public mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID)
        wall = seconds(CLOCK_MONOTONIC)
        let result = try body()
        wall = seconds(CLOCK_MONOTONIC) - wall
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
        return result
    }

    /// The answer to the driver.
    public func report(checksum: UInt64 = 0) {
        let hex = String(checksum, radix: 16)
        let padded = String(repeating: "0", count: 16 - hex.count) + hex
        print(#"{"seconds": \#(wall), "cpu": \#(cpu), "checksum": "\#(padded)", "peak": \#(peakKilobytes())}"#)
    }
}

func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Peak resident memory. getrusage would count the driver's own, inherited over fork and exec.
private func peakKilobytes() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix("VmHWM:") { return Int(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
}
