import CormorantBase
import CormorantPlatform

/// The text that was fed and not read yet, in one piece; and whether the value that comes next is all there.
struct JSONInput {
    private var memory: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var start = 0
    private var end = 0
    /// How many bytes came before `start`.
    private(set) var consumed = 0
    var isComplete = false

    // How far the value that comes next was looked through: it is not looked through again with each chunk.
    private var looked = 0
    private var depth = 0
    private var isInString = false
    private var isWhole = false

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard let source = bytes.baseAddress else { return }
        if bytes.count > capacity - end {
            let size = end - start
            let needed = size + bytes.count
            if needed > capacity / 2 {
                let larger = max(4096, needed * 2)
                guard let room = malloc(larger) else { throw noMemory(larger) }
                let moved = room.assumingMemoryBound(to: UInt8.self)
                if let memory { moved.update(from: memory + start, count: size) }
                memory?.deallocate()
                memory = moved
                capacity = larger
            } else if let memory {
                memory.update(from: memory + start, count: size)
            }
            (start, end) = (0, size)
        }
        guard let memory else { return }
        UnsafeMutableRawPointer(memory + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    func free() { memory?.deallocate() }

    /// What is there. Its addresses stay until the next `append`.
    var scanner: JSONScanner {
        let base = UnsafePointer(memory ?? UnsafeMutablePointer(mutating: nothing))
        return JSONScanner(base: base + start, end: end - start, offset: consumed, position: 0)
    }

    mutating func drop(_ count: Int) {
        start += count
        consumed += count
        (looked, depth, isInString, isWhole) = (0, 0, false, false)
    }

    /// Whether the value that begins the text ends in it, too. It may be malformed.
    mutating func hasValue() -> Bool {
        if !isWhole, !isComplete { isWhole = findEnd() }
        return isWhole || isComplete
    }

    private mutating func findEnd() -> Bool {
        guard let memory else { return false }
        let bytes = memory + start
        let count = end - start
        while looked < count {
            let byte = bytes[looked]
            looked += 1
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    looked += 1  // What is escaped ends nothing.
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return true }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return true }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return true }
            default: break
            }
        }
        return false
    }
}

/// An address for a text without bytes.
nonisolated(unsafe) private let nothing: UnsafePointer<UInt8> = {
    let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
}()
