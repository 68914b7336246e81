import CormorantBase
import CormorantThreads

/// Maps page images between what SQLite sees and what the disk holds. One per open database file, whose connection is
/// its lock. An image is as long as its page: a codec that needs room has it in the reserved bytes at the page's end.
package protocol PageCodec: AnyObject {
    var pageSize: Int { get }
    /// Bytes at the end of every page that SQLite leaves alone.
    var reserve: Int { get }
    /// Whether a page that was altered is told from one that was not.
    var isAuthenticating: Bool { get }
    /// Whether page 1 begins with SQLite's own header, as that of a plain file does.
    var hasPlainHeader: Bool { get }
    /// Whether the wal-index is kept so that programs with their own encrypting SQLite can append to the WAL.
    var keepsLogIndex: Bool { get }
    /// Codecs with the same keys, for copies of the file and other connections to it.
    var shared: any PageCodecSource { get }

    /// Readies the keys. Called before the first page, and again when the file begins with other bytes than it did.
    /// - Parameter first: the file's first 16 bytes; nil for a file that is yet to be written.
    func attach(_ first: UnsafeRawPointer?) throws

    /// Why it failed last, where it can say.
    var failure: String? { get }

    /// What the settings should be with which its key opens a file, where it does not with those that it has.
    /// - Parameter start: what stands at the beginning of the file.
    func advice(_ start: UnsafeRawBufferPointer) -> String?

    /// Writes the image of a page; false when that fails.
    func encrypt(_ page: UInt32, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer) -> Bool

    /// Turns an image into its page, in place; what it leaves of an image that is not authentic does not matter.
    func decrypt(_ page: UInt32, _ image: UnsafeMutableRawPointer) -> DecryptedPage
}

extension PageCodec {
    package var failure: String? { nil }
    package func advice(_ start: UnsafeRawBufferPointer) -> String? { nil }
}

package enum DecryptedPage {
    case authentic
    /// The key is another one, or the image was altered.
    case mismatch
    /// The codec itself fails.
    case failed
}

/// Makes the codec of each database file that is opened with it. Holds the key, or says where to ask for it.
package protocol PageCodecSource: Sendable {
    /// Whether page 1 begins with SQLite's own header.
    var hasPlainHeader: Bool { get }
    func makeCodec(path: String) throws -> any PageCodec
}

/// Encrypts the sectors of temporary files, under a key that no one else knows.
package protocol SectorCipher: AnyObject {
    func encrypt(_ sector: Int64, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer, count: Int) -> Bool
    func decrypt(_ sector: Int64, _ image: UnsafeRawPointer, to plain: UnsafeMutableRawPointer, count: Int) -> Bool
}

/// From the first encrypted file on, what SQLite spills is encrypted in the whole process.
package enum TemporaryFiles {
    nonisolated(unsafe) private static var make: (@Sendable () -> (any SectorCipher)?)?
    private static let lock = RecursiveLock(.temporaryFiles, outlivesForks: true)

    /// - Parameter make: gives a cipher with a key of its own; nil refuses the file.
    package static func encrypt(with make: @escaping @Sendable () -> (any SectorCipher)?) {
        lock.lock()
        defer { lock.unlock() }
        if self.make == nil { self.make = make }
    }

    static var cipherMaker: (@Sendable () -> (any SectorCipher)?)? {
        lock.lock()
        defer { lock.unlock() }
        return make
    }
}

/// What a codec or the files under it met, which SQLite's result codes cannot say. Belongs to one connection.
final class CodecFaults {
    enum Fault {
        /// looksRandom: whether the file would look like chance if another key opened it.
        case wrongKey(looksRandom: Bool)
        case plainFile
        case altered(page: UInt32)
        case journal
        case truncated
        case layout
        /// SQLite wrote what no table of its known habits has; nothing was written.
        case unknownWrite
        case failed(String?)
        case error(CormorantError)
    }

    private var newest: (fault: Fault, path: String)?
    /// Whose key was the wrong one.
    private(set) var refused: (any PageCodec)?
    /// Whether an ATTACH is the library's own.
    var allowsAttach = false

    /// - Parameter codec: of a file that its key does not open.
    func note(_ fault: Fault, _ path: String, _ codec: (any PageCodec)? = nil) {
        (newest, refused) = ((fault, path), codec)
    }

    func clear() { (newest, refused) = (nil, nil) }

    func take() -> (fault: Fault, path: String)? {
        defer { newest = nil }
        return newest
    }
}
