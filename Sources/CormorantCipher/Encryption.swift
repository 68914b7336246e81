import CormorantBase
import CormorantSQLite

/// What a file is encrypted with: its key, and the settings of SQLCipher's format; or a codec of your own.
public struct Encryption: Sendable {
    /// The version of SQLCipher whose format the file has, which gives the other settings.
    public enum Compatibility: Int32, Sendable, CaseIterable {
        /// SQLCipher 4.
        case version4 = 4
        /// SQLCipher 3.
        case version3 = 3
        /// SQLCipher 2.
        case version2 = 2
        /// SQLCipher 1.
        case version1 = 1
    }

    /// A hash function, as SQLCipher uses them for keys and for authentication.
    public enum Algorithm: Int32, Sendable {
        /// SHA-1.
        case sha1 = 1
        /// SHA-256.
        case sha256 = 2
        /// SHA-512.
        case sha512 = 3
        /// Pages without authentication: nobody notices that they were altered.
        case off = 4
    }

    /// nil with a codec of your own, which has neither key nor settings here.
    public var key: CipherKey?
    /// The version of SQLCipher whose format the file has.
    public var compatibility: Compatibility
    /// nil: what the compatibility says, 4096 from version 4 on and 1024 before.
    public var pageSize: Int?
    /// Rounds of the key derivation. nil: what the compatibility says.
    public var rounds: Int?
    /// Of the HMAC by which the key is derived. nil: what the compatibility says, SHA-512 from version 4 on and SHA-1 before.
    public var kdfAlgorithm: Algorithm?
    /// Of the HMAC by which pages are authenticated; nil: as `kdfAlgorithm`. `off`, which version 1 has, leaves alterations
    /// unnoticed.
    public var hmacAlgorithm: Algorithm?
    /// Bytes at the beginning of the file that are left plain: 0, or a multiple of 16 such as 32. The salt then stands
    /// nowhere in the file: the key must be a raw one with its salt.
    public var plainHeaderSize: Int
    /// Whether SQLite's memory is wiped when it is freed, in the whole process and from then on, as SQLCipher's
    /// `cipher_memory_security` does it: with it pages in the cache when their connection closes, and values when their
    /// statement ends. The first file that the process opens with SQLite must ask for it; else opening throws `misuse`.
    public var wipesMemory: Bool
    /// False where no program with an encrypting SQLite of its own writes to the file while this one does: small write
    /// transactions in WAL mode are then faster.
    public var keepsLogIndex: Bool

    private var codec: HostCodecSource?

    /// A key, and settings of SQLCipher's format; nil: what the compatibility says.
    public init(
        key: CipherKey, compatibility: Compatibility = .version4, pageSize: Int? = nil, rounds: Int? = nil,
        kdfAlgorithm: Algorithm? = nil, hmacAlgorithm: Algorithm? = nil, plainHeaderSize: Int = 0,
        wipesMemory: Bool = false, keepsLogIndex: Bool = true
    ) {
        self.key = key
        self.compatibility = compatibility
        self.pageSize = pageSize
        self.rounds = rounds
        self.kdfAlgorithm = kdfAlgorithm
        self.hmacAlgorithm = hmacAlgorithm
        self.plainHeaderSize = plainHeaderSize
        self.wipesMemory = wipesMemory
        self.keepsLogIndex = keepsLogIndex
    }

    /// With a cipher of your own. Throws `misuse` for a page size or reserve that cannot be.
    public init(codec: some Codec, keepsLogIndex: Bool = true) throws {
        compatibility = .version4
        plainHeaderSize = 0
        wipesMemory = false
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
        if wipesMemory { try WipedMemory.begin() }
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
