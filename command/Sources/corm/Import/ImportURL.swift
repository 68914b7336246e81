import CCurl
import CormorantBase
import CormorantPlatform

/// What an http or https URL gives, through libcurl: that knows proxies, certificates and redirections, and as it is opened
/// at run time, neither the build nor any other command needs it. (URLSession, linked in, would bring all of Foundation's
/// networking and libcurl with it.)
final class URLSource: ImportSource {
    private let curl: Curl
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let url: String
    private let arrived = Arrived()
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
    private var isAtEnd = false
    private let mostBytes: Int64
    private var allBytes: Int64 = 0

    /// Bytes that libcurl has given and that were not read yet.
    private final class Arrived {
        var bytes: [UInt8] = []
        var taken = 0
    }

    static func isURL(_ text: String) -> Bool { text.hasPrefix("http://") || text.hasPrefix("https://") }

    /// - Parameters:
    ///   - seconds: how long all of it may take.
    ///   - mostBytes: how long all of it may be.
    init(_ url: String, seconds: Int, mostBytes: Int64) throws {
        curl = try Curl()
        self.url = url
        self.mostBytes = mostBytes
        message.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
        guard let easy = curl.easyInit(), let multi = curl.multiInit() else {
            throw CormorantError(.noMemory, "libcurl cannot be used", hint: "free some memory")
        }
        (self.easy, self.multi) = (easy, multi)
        let httpAndHTTPS = 3
        for (option, value) in [
            (CCURL_NOSIGNAL, 1), (CCURL_FAILONERROR, 1), (CCURL_FOLLOWLOCATION, 1), (CCURL_MAXREDIRS, 10),
            (CCURL_PROTOCOLS, httpAndHTTPS), (CCURL_REDIR_PROTOCOLS, httpAndHTTPS), (CCURL_CONNECTTIMEOUT, 30),
            // A server that sends next to nothing for a minute has gone, or wants to keep us.
            (CCURL_LOW_SPEED_LIMIT, 100), (CCURL_LOW_SPEED_TIME, 60), (CCURL_TIMEOUT, seconds),
        ] {
            _ = ccurl_set_long(curl.setopt, easy, Int32(option), value)
        }
        // Copied by libcurl.
        for (option, text) in [(CCURL_URL, url), (CCURL_USERAGENT, "corm/\(version)")] {
            _ = text.withCString { ccurl_set_pointer(curl.setopt, easy, Int32(option), $0) }
        }
        _ = ccurl_set_pointer(curl.setopt, easy, Int32(CCURL_ERRORBUFFER), message)
        let context = Unmanaged.passUnretained(arrived).toOpaque()
        _ = ccurl_set_pointer(curl.setopt, easy, Int32(CCURL_WRITEDATA), context)
        _ = ccurl_set_write(curl.setopt, easy) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            Unmanaged<Arrived>.fromOpaque(context).takeUnretainedValue().bytes.append(
                contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        let code = curl.multiAdd(multi, easy)
        guard code == 0 else { throw unreadable("error \(code) of libcurl") }
    }

    deinit {
        _ = curl.multiRemove(multi, easy)
        curl.easyCleanup(easy)
        _ = curl.multiCleanup(multi)
        message.deallocate()
    }

    var size: Int64 { max(0, ccurl_content_length(curl.getinfo, easy)) }

    func rewind() -> Bool { false }

    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        while arrived.taken == arrived.bytes.count, !isAtEnd {
            arrived.bytes.removeAll(keepingCapacity: true)
            arrived.taken = 0
            try Interruption.check()
            var running: Int32 = 0
            let code = curl.multiPerform(multi, &running)
            guard code == 0 else { throw unreadable("error \(code) of libcurl") }
            if running == 0 {
                try finish()
            } else if arrived.bytes.isEmpty {
                _ = curl.multiPoll(multi, nil, 0, 200, nil)
            }
            allBytes += Int64(arrived.bytes.count)
            guard allBytes <= mostBytes, size <= mostBytes else {
                throw CormorantError(
                    .io, "\"\(visible(url))\" gives more than \(grouped(mostBytes)) bytes",
                    hint: "let it give more with --max-filesize, if that is meant to be")
            }
        }
        let count = min(memory.count, arrived.bytes.count - arrived.taken)
        arrived.bytes.withUnsafeBytes {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[arrived.taken..<arrived.taken + count]))
        }
        arrived.taken += count
        return count
    }

    private func finish() throws {
        isAtEnd = true
        var hasEnded = false
        var left: Int32 = 0
        while let raw = curl.multiInfo(multi, &left) {
            let code = raw.assumingMemoryBound(to: ccurl_message.self).pointee.result.code
            hasEnded = true
            guard code != 0 else { continue }
            if code == Int32(CCURL_HTTP_ERROR) {
                throw CormorantError(
                    .io, "the server answered \(ccurl_response_code(curl.getinfo, easy)) for \"\(visible(url))\"",
                    hint: "check the URL")
            }
            var reason = String(cString: message)
            if reason.isEmpty { reason = curl.strerror(code).map { String(cString: $0) } ?? "error \(code)" }
            throw unreadable(visible(reason))
        }
        guard hasEnded else { throw unreadable("its end was not told") }
    }

    private func unreadable(_ reason: String) -> CormorantError {
        CormorantError(.io, "\"\(visible(url))\" cannot be read: \(reason)", hint: "check the URL and the network")
    }
}

/// The functions of libcurl.
private struct Curl {
    let setopt: UnsafeMutableRawPointer
    let getinfo: UnsafeMutableRawPointer
    let easyInit: @convention(c) () -> UnsafeMutableRawPointer?
    let easyCleanup: @convention(c) (UnsafeMutableRawPointer) -> Void
    let strerror: @convention(c) (Int32) -> UnsafePointer<CChar>?
    let multiInit: @convention(c) () -> UnsafeMutableRawPointer?
    let multiAdd: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int32
    let multiRemove: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int32
    let multiPerform: @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> Int32
    let multiPoll:
        @convention(c) (
            UnsafeMutableRawPointer, UnsafeMutableRawPointer?, UInt32, Int32, UnsafeMutablePointer<Int32>?
        ) -> Int32
    let multiInfo: @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> UnsafeMutableRawPointer?
    let multiCleanup: @convention(c) (UnsafeMutableRawPointer) -> Int32

    init() throws {
        let names = ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"]
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else { throw Self.missing }
        func find(_ name: String) throws -> UnsafeMutableRawPointer {
            guard let address = dlsym(library, "curl_" + name) else { throw Self.missing }
            return address
        }
        setopt = try find("easy_setopt")
        getinfo = try find("easy_getinfo")
        easyInit = unsafeBitCast(try find("easy_init"), to: type(of: easyInit))
        easyCleanup = unsafeBitCast(try find("easy_cleanup"), to: type(of: easyCleanup))
        strerror = unsafeBitCast(try find("easy_strerror"), to: type(of: strerror))
        multiInit = unsafeBitCast(try find("multi_init"), to: type(of: multiInit))
        multiAdd = unsafeBitCast(try find("multi_add_handle"), to: type(of: multiAdd))
        multiRemove = unsafeBitCast(try find("multi_remove_handle"), to: type(of: multiRemove))
        multiPerform = unsafeBitCast(try find("multi_perform"), to: type(of: multiPerform))
        multiPoll = unsafeBitCast(try find("multi_poll"), to: type(of: multiPoll))
        multiInfo = unsafeBitCast(try find("multi_info_read"), to: type(of: multiInfo))
        multiCleanup = unsafeBitCast(try find("multi_cleanup"), to: type(of: multiCleanup))
    }

    private static var missing: CormorantError {
        CormorantError(
            .cannotOpen, "libcurl 7.66 or later, which reads URLs, is not installed",
            hint: "install libcurl, or give the data through a pipe: curl URL | corm import FILE - --table NAME")
    }
}
