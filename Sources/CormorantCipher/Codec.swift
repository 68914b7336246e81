import CormorantBase
import CormorantSQLite

/// A cipher of your own in place of SQLCipher's format: it encrypts and decrypts pages, and the library takes care of
/// journals, WAL, temporary files, backups and conversions. Many files may be open with one codec at a time: those of
/// several connections, copies, snapshots. What is of one file alone, such as a salt, belongs into its `CodecFile`.
public protocol Codec: Sendable {
    /// A power of two from 1024 to 65536.
    var pageSize: Int { get }

    /// Bytes at the end of every page that SQLite leaves to the codec, 0 to 255.
    var reserve: Int { get }

    /// Begins with a file. Called again when the file begins with other bytes than it did, because another process made it
    /// first; what was given before is let go of once page 1 was decrypted with the new.
    /// - Parameters:
    ///   - path: of a copy, where it will stand.
    ///   - first: the first 16 bytes of the file; nil for a file that is yet to be written.
    func open(_ path: String, first: [UInt8]?) throws -> any CodecFile
}

/// What a codec has of one open file. The functions run one at a time, inside the connection's lock, and must not use a
/// database. An error that they throw is `cipher` to the statement that was running. `deinit` must wipe the keys.
public protocol CodecFile: AnyObject {
    /// Writes the image of a page, which is as long as the page. The first 16 bytes of page 1 are the codec's: SQLite has a
    /// text there that never changes. A salt can stand there.
    func encrypt(_ page: UInt32, _ plain: UnsafeRawBufferPointer, to image: UnsafeMutableRawBufferPointer) throws

    /// Turns an image into the page, in place; the first 16 bytes of page 1 are put right by the library. False when the key
    /// is another one, or the image was altered.
    func decrypt(_ page: UInt32, _ image: UnsafeMutableRawBufferPointer) throws -> Bool
}

/// Its page size and reserve are those that it had when it was given, whatever it says later.
struct HostCodecSource: PageCodecSource {
    let codec: any Codec
    let pageSize: Int
    let reserve: Int
    var keepsLogIndex: Bool

    /// Whether it has one is the codec's business.
    var hasPlainHeader: Bool { true }

    init(_ codec: any Codec, keepsLogIndex: Bool) throws {
        (self.codec, pageSize, reserve) = (codec, codec.pageSize, codec.reserve)
        self.keepsLogIndex = keepsLogIndex
        guard pageSize >= 1024, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
            throw CormorantError(
                .misuse, "the codec's page size is \(pageSize)", hint: "give a power of two from 1024 to 65536")
        }
        guard reserve >= 0, reserve <= 255 else {
            throw CormorantError(.misuse, "the codec reserves \(reserve) bytes", hint: "give 255 at most")
        }
    }

    func makeCodec(path: String) throws -> any PageCodec {
        try Crypto.protectTemporaryFiles()
        return HostCodec(self, path)
    }
}

private final class HostCodec: PageCodec {
    private let source: HostCodecSource
    private let path: String
    private var file: OpenFile?
    private(set) var failure: String?
    /// Of a file that now begins with other bytes: it takes over when it decrypts page 1.
    private var next: OpenFile?

    private struct OpenFile {
        let codec: any CodecFile
        /// The first bytes of the file that it stands for; nil while there are none.
        var first: [UInt8]?
    }

    init(_ source: HostCodecSource, _ path: String) {
        self.source = source
        self.path = path
    }

    var pageSize: Int { source.pageSize }
    var reserve: Int { source.reserve }
    /// What its bytes are for is the codec's business.
    var isAuthenticating: Bool { true }
    var hasPlainHeader: Bool { source.hasPlainHeader }
    var keepsLogIndex: Bool { source.keepsLogIndex }
    var shared: any PageCodecSource { source }

    func attach(_ first: UnsafeRawPointer?) throws {
        let first = first.map(firstBytes)
        if let file {
            guard let first, file.first != first else { return }
            next = try open(first)
        } else {
            file = try open(first)
        }
    }

    private func open(_ first: [UInt8]?) throws -> OpenFile {
        do {
            return OpenFile(codec: try source.codec.open(path, first: first), first: first)
        } catch {
            throw CormorantError(
                .cipher, "the codec refused \"\(path)\": \(error)", hint: "see why its open does")
        }
    }

    func encrypt(_ page: UInt32, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer) -> Bool {
        let target = UnsafeMutableRawBufferPointer(start: image, count: pageSize)
        guard let file else { return false }
        do {
            try file.codec.encrypt(page, UnsafeRawBufferPointer(start: plain, count: pageSize), to: target)
        } catch {
            failure = "\(error)"
            return false
        }
        if page == 1 { self.file?.first = firstBytes(image) }
        return true
    }

    func decrypt(_ page: UInt32, _ image: UnsafeMutableRawPointer) -> DecryptedPage {
        let file = page == 1 ? next ?? file : file
        if page == 1 { next = nil }
        guard let file else { return .failed }
        do {
            let bytes = UnsafeMutableRawBufferPointer(start: image, count: pageSize)
            guard try file.codec.decrypt(page, bytes) else { return .mismatch }
        } catch {
            failure = "\(error)"
            return .failed
        }
        if page == 1 {
            copyMagic(to: image)
            self.file = file
        }
        return .authentic
    }
}

private func firstBytes(_ bytes: UnsafeRawPointer) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: bytes, count: 16))
}
