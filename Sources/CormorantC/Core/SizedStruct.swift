import CCormorant
import CormorantBase

/// Members that a newer header may have added; a size beyond them is no struct's, and is not read to its end.
private let largestTail = 256

/// Copies a struct that says its own size. One of an older, shorter header lacks members, which are zero; one of a newer,
/// longer header may have what this library does not know only as zero, the default.
/// - Parameter refused: gets what is known of a struct that is refused, all zero where its size is none: what the call takes over is
///   so then, too.
package func readStruct<T>(
    _ pointer: UnsafePointer<T>, _ size: UInt32, _ name: StaticString, refused: (T) -> Void = { _ in }
) throws -> T {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { copy in
        let raw = UnsafeMutableRawBufferPointer(copy)
        do {
            try copyStruct(pointer, Int(size), MemoryLayout<T>.alignment, name, to: raw)
        } catch {
            refused(raw.load(as: T.self))
            throw error
        }
        return raw.load(as: T.self)
    }
}

/// What is the same for every struct, compiled once.
@inline(never)
private func copyStruct(
    _ pointer: UnsafeRawPointer, _ size: Int, _ alignment: Int, _ name: StaticString,
    to copy: UnsafeMutableRawBufferPointer
) throws {
    copy.initializeMemory(as: UInt8.self, repeating: 0)
    // One that is no multiple of the alignment would cut a member in two.
    guard size >= 8, size <= copy.count + largestTail, size % alignment == 0 else {
        throw CormorantError(
            .misuse, "the size of \(name) is given as \(size), which is no size of it",
            hint: "make the struct with its macro, such as CORM_QUERY_INIT, which sets struct_size")
    }
    let given = UnsafeRawBufferPointer(start: pointer, count: size)
    copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: given.prefix(copy.count)))
    if let place = given.dropFirst(copy.count).firstIndex(where: { $0 != 0 }) {
        throw CormorantError(
            .misuse, "\(name) has a value at byte \(place), in a member that this library does not know",
            hint: "leave the member zero, or use a library at least as new as the header")
    }
}

/// Fills as much of a struct as its header knows.
func writeStruct<T>(_ made: T, to pointer: UnsafeMutablePointer<T>, _ size: UInt32) {
    withUnsafeBytes(of: made) {
        UnsafeMutableRawBufferPointer(start: pointer, count: Int(size)).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: $0.prefix(Int(size))))
    }
}

/// Reads an array of structs that begin with their size: they lie as far apart as the first one says that it is long.
func readStructs<T>(
    _ start: UnsafePointer<T>?, _ count: Int, _ name: StaticString, _ what: StaticString
) throws -> [T] {
    guard let first = try array(start, count, what).baseAddress else { return [] }
    let stride = UnsafeRawPointer(first).load(as: UInt32.self)
    return try (0..<count).map { index in
        let place = UnsafeRawPointer(first) + index * Int(stride)
        guard place.loadUnaligned(as: UInt32.self) == stride else { throw unlikeTheFirst(name, index) }
        return try readStruct(place.assumingMemoryBound(to: T.self), stride, name)
    }
}

private func unlikeTheFirst(_ name: StaticString, _ index: Int) -> CormorantError {
    CormorantError(
        .misuse, "the size of \(name) \(index) is not that of the first",
        hint: "make each with its macro, such as CORM_VERSION_STEP_INIT, which sets struct_size")
}

/// Refuses a value in bytes that are kept for later members: this library does not know what it asks for.
func requireZero<Bytes: BitwiseCopyable>(_ reserved: Bytes, _ name: StaticString) throws {
    guard withUnsafeBytes(of: reserved, { $0.allSatisfy { $0 == 0 } }) else {
        throw CormorantError(
            .misuse, "reserved bytes of \(name) are not zero", hint: "initialise the struct with its _INIT macro")
    }
}
