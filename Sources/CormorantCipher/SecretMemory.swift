import CormorantPlatform
import CormorantSQLite

/// Memory for keys: kept out of swap and core dumps where the system lets us, and wiped when it goes.
final class SecretMemory: @unchecked Sendable {  // written before it is shared, and then only read
    let bytes: UnsafeMutableRawPointer
    let count: Int
    private let mapped: Int

    init?(_ count: Int) {
        guard count >= 0, count <= 1 << 30 else { return nil }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        mapped = max(page, (count &+ page &- 1) / page &* page)
        guard let memory = mmap(nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        bytes = memory
        self.count = count
        // Either may be refused: the limit for locked memory is low in places.
        mlock(memory, mapped)
        #if os(Linux) || os(Android)
            madvise(memory, mapped, 16)  // MADV_DONTDUMP
        #endif
    }

    convenience init?(copying source: UnsafeRawBufferPointer) {
        self.init(source.count)
        if let start = source.baseAddress { bytes.copyMemory(from: start, byteCount: source.count) }
    }

    deinit {
        wipe(bytes, mapped)
        munmap(bytes, mapped)
    }

    var buffer: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: bytes, count: count) }
    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }
}
