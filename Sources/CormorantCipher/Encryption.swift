import CormorantBase
import CormorantSQLite

/// What a file is encrypted with: its key, and the settings of SQLCipher's format; or a codec of your own.
public struct Encryption: Sendable {
    /// The version of SQLCipher whose format the file has, which gives the other settings.
    public enum Compatibility: Int32, Sendable {
        /// SQLCipher 4.
        case version4 = 4
        /// SQLCipher 3.
        case version3 = 3
        /// SQLCipher 2.
        case version2 = 2
        /// SQLCipher 1.
        case version1 = 1
    }

    /// nil with a codec of your own, which has neither key nor settings here.
    public var key: CipherKey?
    /// The version of SQLCipher whose format the file has.
    public var compatibility: Compatibility
    /// nil: what the compatibility says, 4096 from version 4 on and 1024 before.
    public var pageSize: Int?
    /// Rounds of the key derivation. nil: what the compatibility says.
    public var rounds: Int?
    /// Bytes at the beginning of the file that are left plain: 0, or a multiple of 16 such as 32. The salt then stands
    /// nowhere in the file: the key must be a raw one with its salt.
    public var plainHeaderSize: Int
    /// False where no program with an encrypting SQLite of its own writes to the file while this one does: small write
    /// transactions in WAL mode are then faster.
    public var keepsLogIndex: Bool

    private var codec: HostCodecSource?

    /// A key, and settings of SQLCipher's format; nil: what the compatibility says.
    public init(
        key: CipherKey, compatibility: Compatibility = .version4, pageSize: Int? = nil, rounds: Int? = nil,
        plainHeaderSize: Int = 0, keepsLogIndex: Bool = true
    ) {
        self.key = key
        self.compatibility = compatibility
        self.pageSize = pageSize
        self.rounds = rounds
        self.plainHeaderSize = plainHeaderSize
        self.keepsLogIndex = keepsLogIndex
    }

    /// With a cipher of your own. Throws `misuse` for a page size or reserve that cannot be.
    public init(codec: some Codec, keepsLogIndex: Bool = true) throws {
        compatibility = .version4
        plainHeaderSize = 0
        self.keepsLogIndex = keepsLogIndex
        self.codec = try HostCodecSource(codec, keepsLogIndex: keepsLogIndex)
    }
}

extension Encryption: PageCodecSource {
    package var hasPlainHeader: Bool { codec?.hasPlainHeader ?? (plainHeaderSize > 0) }

    package func makeCodec(path: String) throws -> any PageCodec {
        guard (key == nil) != (codec == nil) else {
            throw CormorantError(
                .misuse, "the file is to be encrypted with \(key == nil ? "nothing" : "a key and a codec")",
                hint: "give a key or a codec")
        }
        if var codec {
            codec.keepsLogIndex = keepsLogIndex
            return try codec.makeCodec(path: path)
        }
        try Crypto.protectTemporaryFiles()
        return try SQLCipherCodec(CipherFormat(self), key: key?.resolved(path), path: path, Crypto.provider())
    }
}

extension OpenOptions {
    /// The file is encrypted with this; nil for a plain file.
    public var encryption: Encryption? {
        get { codecs as? Encryption }
        set { codecs = newValue }
    }
}

/// The settings of a file's format, complete and checked.
struct CipherFormat: Sendable {
    let pageSize: Int
    let rounds: Int
    let hash: HashFunction
    /// 0 where pages are not authenticated.
    let tagSize: Int
    let plainHeaderSize: Int
    let keepsLogIndex: Bool

    /// The vector and the tag, up to a whole block.
    var reserve: Int { (16 + tagSize + 15) / 16 * 16 }

    init(_ given: Encryption) throws {
        let isCurrent = given.compatibility == .version4
        pageSize = given.pageSize ?? (isCurrent ? 4096 : 1024)
        guard pageSize >= 1024, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
            throw CormorantError(
                .misuse, "pages of \(pageSize) bytes cannot be encrypted",
                hint: "give a power of two from 1024 to 65536")
        }
        rounds =
            switch given.compatibility {
            case .version4: given.rounds ?? 256_000
            case .version3: given.rounds ?? 64_000
            case .version2, .version1: given.rounds ?? 4000
            }
        guard rounds >= 1, rounds <= Int(Int32.max) else {
            throw CormorantError(.misuse, "a key cannot be derived in \(rounds) rounds", hint: "give at least 1")
        }
        hash = isCurrent ? .sha512 : .sha1
        tagSize = given.compatibility == .version1 ? 0 : hash.size
        plainHeaderSize = given.plainHeaderSize
        guard plainHeaderSize >= 0, plainHeaderSize % 16 == 0, plainHeaderSize <= 96 else {
            throw CormorantError(
                .misuse, "a header of \(plainHeaderSize) bytes cannot be left plain", hint: "give 0 or 32")
        }
        keepsLogIndex = given.keepsLogIndex
    }
}
