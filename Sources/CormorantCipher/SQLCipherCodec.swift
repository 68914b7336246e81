import CormorantBase
import CormorantPlatform
import CormorantSQLite

/// The page format of SQLCipher (https://www.zetetic.net/sqlcipher/design/): AES-256-CBC under a fresh vector, and an
/// HMAC over the encrypted bytes, the vector and the page's number. Page 1 begins with the salt of the file's key.
final class SQLCipherCodec: PageCodec {
    let pageSize: Int
    let reserve: Int
    private let format: CipherFormat
    private let path: String
    private let provider: any CryptoProvider
    /// Until a page has shown that the keys are right. Never a provider.
    private var key: CipherKey?
    private var keys: DerivedKeys?
    private var cipher: (any PageCipher)?
    private var random: RandomPool
    private let tag = PageBuffer(64)

    init(_ format: CipherFormat, key: CipherKey?, path: String, _ provider: any CryptoProvider) throws {
        self.format = format
        self.path = path
        self.provider = provider
        self.key = key
        pageSize = format.pageSize
        reserve = format.reserve
        random = RandomPool(provider)
        guard format.plainHeaderSize > 0 else { return }
        if case .passphrase? = key?.storage {
            throw CormorantError(
                .misuse, "a file with a plain header has no room for the salt",
                hint: "give a raw key with its salt: x'...' with 96 hex digits")
        }
    }

    var isAuthenticating: Bool { format.tagSize > 0 }
    var hasPlainHeader: Bool { format.plainHeaderSize > 0 }
    var keepsLogIndex: Bool { format.keepsLogIndex }
    var shared: any PageCodecSource { SharedKeys(format: format, key: key, keys: keys, provider: provider) }

    // Keys ----------------------------------------------------------------------------------------------------------

    func attach(_ first: UnsafeRawPointer?) throws {
        if let keys, first == nil || hasPlainHeader || areEqual(keys.salt, first) { return }
        guard let key else {
            throw CormorantError(
                .wrongKey, "\"\(path)\" has another key or another salt than the database",
                hint: "say what a copy is encrypted with; open a file again that was replaced")
        }
        if let salt = key.salt { return try use(DerivedKeys.derive(key, salt: salt, format, provider)) }
        guard !hasPlainHeader else {
            throw CormorantError(
                .misuse, "a file with a plain header has no room for the salt",
                hint: "give a raw key with its salt: x'...' with 96 hex digits")
        }
        if let first { return try use(DerivedKeys.derive(key, salt: first, format, provider)) }
        try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { salt in
            guard let start = salt.baseAddress, provider.fillRandom(salt) else {
                throw CormorantError(.cipher, "libcrypto has no random numbers")
            }
            try use(DerivedKeys.derive(key, salt: start, format, provider))
        }
    }

    func advice(_ start: UnsafeRawBufferPointer) -> String? {
        key.flatMap { SettingsSearch($0, format, provider).found(start) }
    }

    private func areEqual(_ salt: UnsafeRawPointer, _ first: UnsafeRawPointer?) -> Bool {
        guard let first else { return true }
        return salt.loadUnaligned(as: UInt64.self) == first.loadUnaligned(as: UInt64.self)
            && salt.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                == first.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    fileprivate func use(_ keys: DerivedKeys) throws {
        guard let cipher = provider.makePageCipher(key: keys.key, macKey: keys.macKey, format.hmac ?? .sha1) else {
            throw CormorantError(.cipher, "libcrypto refuses AES-256-CBC or HMAC", hint: "see how it is set up")
        }
        self.keys = keys
        self.cipher = cipher
    }

    // Pages ---------------------------------------------------------------------------------------------------------

    private func start(_ page: UInt32) -> Int {
        page > 1 ? 0 : max(16, format.plainHeaderSize)
    }

    func encrypt(_ page: UInt32, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer) -> Bool {
        guard let cipher, let keys else { return false }
        let start = start(page)
        let usable = pageSize &- reserve
        let vector = image + usable
        guard random.fill(vector, 16),
            cipher.encrypt(plain + start, to: image + start, count: usable &- start, vector: vector)
        else { return false }
        if format.tagSize > 0 {
            guard
                cipher.authenticate(
                    image + start, count: usable &- start &+ 16, page: page, into: vector + 16)
            else { return false }
        }
        let filled = 16 &+ format.tagSize
        if filled < reserve, !random.fill(vector + filled, reserve &- filled) { return false }
        if page == 1 {
            if format.plainHeaderSize > 0 {
                image.copyMemory(from: plain, byteCount: format.plainHeaderSize)
            } else {
                image.copyMemory(from: keys.salt, byteCount: 16)
            }
            key = nil
        }
        return true
    }

    func decrypt(_ page: UInt32, _ image: UnsafeMutableRawPointer) -> DecryptedPage {
        guard let cipher else { return .failed }
        let start = start(page)
        let usable = pageSize &- reserve
        let vector = image + usable
        if format.tagSize > 0 {
            guard cipher.authenticate(image + start, count: usable &- start &+ 16, page: page, into: tag.bytes) else {
                return .failed
            }
            guard provider.areEqual(tag.bytes, vector + 16, format.tagSize) else { return .mismatch }
        }
        guard cipher.decrypt(image + start, count: usable &- start, vector: vector) else { return .failed }
        guard page == 1 else { return .authentic }
        if format.plainHeaderSize == 0 { copyMagic(to: image) }
        if format.tagSize == 0, !format.isHeader(image) { return .mismatch }
        key = nil
        return .authentic
    }
}

/// Makes codecs that have their keys already: for copies of a file, and other connections to it.
private struct SharedKeys: PageCodecSource {
    let format: CipherFormat
    let key: CipherKey?
    let keys: DerivedKeys?
    let provider: any CryptoProvider

    var hasPlainHeader: Bool { format.plainHeaderSize > 0 }

    func makeCodec(path: String) throws -> any PageCodec {
        let codec = try SQLCipherCodec(format, key: key, path: path, provider)
        if let keys { try codec.use(keys) }
        return codec
    }
}

/// Random bytes, fetched many at a time, each handed out once and never to two processes.
private struct RandomPool {
    private let provider: any CryptoProvider
    private let pool = PageBuffer(1024)
    private var used = 1024
    private var process: pid_t = 0

    init(_ provider: any CryptoProvider) { self.provider = provider }

    mutating func fill(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        guard count <= pool.count else { return false }
        let current = getpid()
        if used &+ count > pool.count || process != current {
            guard provider.fillRandom(UnsafeMutableRawBufferPointer(start: pool.bytes, count: pool.count)) else {
                return false
            }
            used = 0
            process = current
        }
        bytes.copyMemory(from: pool.bytes + used, byteCount: count)
        wipe(pool.bytes + used, count)
        used = used &+ count
        return true
    }
}
