/// One for all inputs: every input begins with the same files.
private nonisolated(unsafe) let files = try! EncryptedFiles()

/// libFuzzer calls it with one input after the other. What traps, hangs or gives other rows than were committed is a
/// finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let changes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        let rows = try files.rows(after: changes)
        guard files.committed.contains(rows) else { fatalError("\(rows) after \(changes)") }
    } catch {
        // Most changes are found.
    }
    return 0
}
