import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Writes Python's marshal format into a block that grows. Source: as MarshalReader.
struct MarshalWriter {
    private let block: UnsafeMutablePointer<corm_block>
    private var start: UnsafeMutableRawPointer?
    private var capacity: Int
    private(set) var count = 0

    init(_ block: UnsafeMutablePointer<corm_block>) {
        self.block = block
        start = block.pointee.data
        capacity = start == nil ? 0 : max(0, block.pointee.capacity)
        block.pointee.size = 0
    }

    /// Tells the block how much was written.
    func finish() { finish(count) }

    /// Tells it how much of that counts.
    func finish(_ size: Int) { block.pointee.size = size }

    /// Takes back what stands behind so many bytes.
    mutating func cut(_ size: Int) { count = min(count, size) }

    @inline(__always)
    private mutating func room(_ needed: Int) -> UnsafeMutableRawPointer {
        if needed > capacity &- count { grow(needed) }
        // `grow` leaves start set.
        let at = start.unsafelyUnwrapped + count
        count &+= needed
        return at
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        let larger = max(4096, max(capacity &* 2, count &+ needed))
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let start { moved.copyMemory(from: start, byteCount: count) }
        if block.pointee.owned { start?.deallocate() }
        start = moved
        capacity = larger
        block.pointee.data = moved
        block.pointee.capacity = larger
        block.pointee.owned = true
    }

    @inline(__always)
    private mutating func code(_ code: Unicode.Scalar) {
        room(1).storeBytes(of: UInt8(ascii: code), as: UInt8.self)
    }

    @inline(__always)
    private mutating func code(_ code: Unicode.Scalar, length: Int) throws {
        guard let length = Int32(exactly: length) else {
            throw CormorantError(
                .tooBig, "a block cannot hold more than 2,147,483,647 bytes or rows", hint: "read less at once")
        }
        let at = room(5)
        at.storeBytes(of: UInt8(ascii: code), as: UInt8.self)
        at.storeBytes(of: length.littleEndian, toByteOffset: 1, as: Int32.self)
    }

    mutating func none() { code("N") }

    mutating func bool(_ value: Bool) { code(value ? "T" : "F") }

    @inline(__always)
    mutating func integer(_ value: Int64) {
        if let small = Int32(exactly: value) {
            let at = room(5)
            at.storeBytes(of: UInt8(ascii: "i"), as: UInt8.self)
            at.storeBytes(of: small.littleEndian, toByteOffset: 1, as: Int32.self)
        } else {
            long(value)
        }
    }

    private mutating func long(_ value: Int64) {
        var magnitude = value.magnitude
        let digits = (64 &- magnitude.leadingZeroBitCount &+ 14) / 15
        let at = room(5 &+ 2 &* digits)
        at.storeBytes(of: UInt8(ascii: "l"), as: UInt8.self)
        let signed = Int32(truncatingIfNeeded: value < 0 ? 0 &- digits : digits)
        at.storeBytes(of: signed.littleEndian, toByteOffset: 1, as: Int32.self)
        for index in 0..<digits {
            at.storeBytes(
                of: UInt16(truncatingIfNeeded: magnitude & 0x7FFF).littleEndian, toByteOffset: 5 &+ 2 &* index,
                as: UInt16.self)
            magnitude >>= 15
        }
    }

    @inline(__always)
    mutating func real(_ value: Double) {
        let at = room(9)
        at.storeBytes(of: UInt8(ascii: "g"), as: UInt8.self)
        at.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: 1, as: UInt64.self)
    }

    /// ASCII has codes of its own that Python reads without decoding. False when the text is not UTF-8.
    @inline(__always)
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Bool {
        let count = bytes.count
        let raw = UnsafeRawPointer(bytes.baseAddress ?? UnsafeRawPointer(emptyText).assumingMemoryBound(to: UInt8.self))
        if isASCII(raw, count: count) {
            if count < 256 {
                let at = room(2 &+ count)
                at.storeBytes(of: UInt8(ascii: "z"), as: UInt8.self)
                at.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: 1, as: UInt8.self)
                (at + 2).copyMemory(from: raw, byteCount: count)
                return true
            }
            try code("a", length: count)
        } else {
            guard isValidUTF8(raw, count: count) else { return false }
            try code("u", length: count)
        }
        room(count).copyMemory(from: raw, byteCount: count)
        return true
    }

    mutating func blob(_ bytes: UnsafeRawBufferPointer) throws {
        try code("s", length: bytes.count)
        if let base = bytes.baseAddress, !bytes.isEmpty {
            room(bytes.count).copyMemory(from: base, byteCount: bytes.count)
        }
    }

    @inline(__always)
    mutating func tuple(_ count: Int) throws {
        if count < 256 {
            let at = room(2)
            at.storeBytes(of: UInt8(ascii: ")"), as: UInt8.self)
            at.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: 1, as: UInt8.self)
        } else {
            try code("(", length: count)
        }
    }

    /// Begins a list whose length is not known yet.
    /// - Returns: where it begins.
    @discardableResult
    mutating func beginList() throws -> Int {
        try code("[", length: 0)
        return count - 5
    }

    /// Sets the length of the list that begins there.
    mutating func endList(_ length: Int, at position: Int = 0) throws {
        guard let start, let length = Int32(exactly: length) else {
            throw CormorantError(.tooBig, "a block cannot hold so many rows", hint: "read less at once")
        }
        start.storeBytes(of: length.littleEndian, toByteOffset: position + 1, as: Int32.self)
    }

    mutating func value(_ value: Value) throws {
        switch value {
        case .null: none()
        case .integer(let integer): self.integer(integer)
        case .real(let real): self.real(real)
        case .text(var text): _ = try text.withUTF8 { try self.text($0) }
        case .blob(let bytes): try bytes.withUnsafeBytes { try blob($0) }
        }
    }
}

private func isASCII(_ bytes: UnsafeRawPointer, count: Int) -> Bool {
    var index = 0
    var seen: UInt64 = 0
    while index &+ 8 <= count {
        seen |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index &+= 8
    }
    while index < count {
        seen |= UInt64(bytes.load(fromByteOffset: index, as: UInt8.self))
        index &+= 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
}
