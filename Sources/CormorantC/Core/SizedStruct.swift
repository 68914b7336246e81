import CCormorant
import CormorantBase

/// Members that a newer header may have added; a size beyond them is no struct's, and is not read to its end.
private let largestTail = 256

/// Copies a struct that says its own size. One of an older, shorter header lacks members, which are zero; one of a newer,
/// longer header may have what this library does not know only as zero, the default.
package func readStruct<T: BitwiseCopyable>(_ pointer: UnsafePointer<T>, _ size: UInt32, _ name: StaticString) throws
    -> T
{
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { copy in
        let raw = UnsafeMutableRawBufferPointer(copy)
        try copyStruct(pointer, Int(size), name, to: raw)
        return raw.load(as: T.self)
    }
}

/// What is the same for every struct, compiled once.
@inline(never)
private func copyStruct(
    _ pointer: UnsafeRawPointer, _ size: Int, _ name: StaticString, to copy: UnsafeMutableRawBufferPointer
) throws {
    guard size >= 8, size <= copy.count + largestTail else {
        throw CormorantError(
            .misuse, "the size of \(name) is given as \(size), which is no size of it",
            hint: "give sizeof the struct, as the macros do")
    }
    let given = UnsafeRawBufferPointer(start: pointer, count: size)
    if let place = given.dropFirst(copy.count).firstIndex(where: { $0 != 0 }) {
        throw CormorantError(
            .misuse, "\(name) has a value at byte \(place), in a member that this library does not know",
            hint: "leave the member zero, or use a library at least as new as the header")
    }
    copy.initializeMemory(as: UInt8.self, repeating: 0)
    copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: given.prefix(copy.count)))
}

/// Refuses a value in bytes that are kept for later members: this library does not know what it asks for.
func requireZero<Bytes: BitwiseCopyable>(_ reserved: Bytes, _ name: StaticString) throws {
    guard withUnsafeBytes(of: reserved, { $0.allSatisfy { $0 == 0 } }) else {
        throw CormorantError(
            .misuse, "reserved bytes of \(name) are not zero", hint: "initialise the struct with its _INIT macro")
    }
}
