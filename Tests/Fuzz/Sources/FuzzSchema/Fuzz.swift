import CormorantQuery

/// One for all inputs, since it is as it was after each.
private nonisolated(unsafe) let agreement = try! SchemaAgreement()

/// libFuzzer calls it with one input after the other. What traps, hangs or disagrees with SQLite is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let sql = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do {
        _ = try SQLScript.statements(sql)
    } catch {
        // Most inputs are no SQL.
    }
    do {
        _ = try agreement.check(sql)
    } catch {
        fatalError("\(error): \(sql)")
    }
    return 0
}
