import CormorantBase
import CormorantSQLite

/// Where the cryptographic primitives come from; none of them are ours.
protocol CryptoProvider: Sendable {
    /// PBKDF2 with an HMAC.
    func deriveKey(
        _ hash: HashFunction, _ password: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, rounds: Int,
        into key: UnsafeMutableRawBufferPointer
    ) -> Bool
    /// Bytes that no one can guess.
    func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) -> Bool
    /// AES-256-CBC without padding, and an HMAC. Keys of 32 bytes each, which it may copy.
    func makePageCipher(key: UnsafeRawPointer, macKey: UnsafeRawPointer, _ hash: HashFunction) -> (any PageCipher)?
    /// AES-256-XTS. A key of 64 bytes.
    func makeSectorCipher(key: UnsafeRawPointer) -> (any SectorCipher)?
    /// Takes as long wherever the difference is.
    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool
}

/// One thread at a time.
protocol PageCipher: AnyObject {
    func encrypt(
        _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer, count: Int, vector: UnsafeRawPointer
    ) -> Bool
    func decrypt(_ image: UnsafeMutableRawPointer, count: Int, vector: UnsafeRawPointer) -> Bool
    /// The HMAC of the bytes and the page's number, in little endian, behind them.
    func authenticate(
        _ bytes: UnsafeRawPointer, count: Int, page: UInt32, into tag: UnsafeMutableRawPointer
    ) -> Bool
}

enum HashFunction: Sendable {
    case sha1
    case sha256
    case sha512

    var size: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}

package enum Crypto {
    #if canImport(CommonCrypto)
        static func provider() throws -> any CryptoProvider { CommonCryptoProvider() }
    #else
        private static let loaded = LibCrypto()

        /// libcrypto, loaded when the first encrypted file is opened.
        static func provider() throws -> any CryptoProvider {
            guard let loaded else {
                throw CormorantError(
                    .cipher, "libcrypto cannot be loaded, which encrypted files need",
                    hint: "install OpenSSL 1.1 or newer: the package libssl3 or openssl-libs")
            }
            return loaded
        }
    #endif

    /// From now on, nothing that SQLite spills is plain.
    package static func protectTemporaryFiles() throws {
        let provider = try provider()
        TemporaryFiles.encrypt {
            guard let key = SecretMemory(64) else { return nil }
            guard provider.fillRandom(key.buffer) else { return nil }
            return provider.makeSectorCipher(key: key.bytes)
        }
    }
}
