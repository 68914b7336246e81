import CormorantBase
import CormorantPlatform
import CormorantSQLite
import CormorantThreads

/// The keys that a file's pages are encrypted and authenticated with. Shared by the connections to the file, and wiped
/// with the last of them.
final class DerivedKeys: Sendable {
    /// The AES key, the key of the HMAC, the salt.
    private let memory: SecretMemory

    var key: UnsafeRawPointer { UnsafeRawPointer(memory.bytes) }
    var macKey: UnsafeRawPointer { UnsafeRawPointer(memory.bytes + 32) }
    var salt: UnsafeRawPointer { UnsafeRawPointer(memory.bytes + 64) }

    private init(_ memory: SecretMemory) { self.memory = memory }

    /// The keys for a file with this salt: those that the process has, or new ones.
    static func derive(
        _ key: CipherKey, salt: UnsafeRawPointer, _ format: CipherFormat, _ provider: any CryptoProvider
    ) throws -> DerivedKeys {
        guard let memory = SecretMemory(80) else { throw CormorantError(.noMemory, "there is no memory for the keys") }
        let salted = UnsafeRawBufferPointer(start: memory.bytes + 64, count: 16)
        (memory.bytes + 64).copyMemory(from: salt, byteCount: 16)
        let aes = UnsafeMutableRawBufferPointer(start: memory.bytes, count: 32)
        let keys = DerivedKeys(memory)
        switch key.storage {
        case .raw(let raw):
            aes.baseAddress?.copyMemory(from: raw.bytes, byteCount: 32)
            if raw.count == 80 {
                (memory.bytes + 32).copyMemory(from: raw.bytes + 32, byteCount: 32)
            } else {
                try keys.deriveMACKey(format, provider)
            }
            return keys
        case .passphrase(let passphrase):
            return try KeyCache.shared.keys(passphrase, salted, format, provider) {
                guard
                    provider.deriveKey(format.kdf, passphrase.content, salt: salted, rounds: format.rounds, into: aes)
                else { throw refused() }
                try keys.deriveMACKey(format, provider)
                return keys
            }
        case .provider: throw CormorantError(.internal, "a key provider was not asked")
        }
    }

    private func deriveMACKey(_ format: CipherFormat, _ provider: any CryptoProvider) throws {
        let done = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { macSalt in
            for index in 0..<16 { macSalt[index] = salt.load(fromByteOffset: index, as: UInt8.self) ^ 0x3A }
            return provider.deriveKey(
                format.kdf, UnsafeRawBufferPointer(start: memory.bytes, count: 32),
                salt: UnsafeRawBufferPointer(macSalt), rounds: 2,
                into: UnsafeMutableRawBufferPointer(start: memory.bytes + 32, count: 32))
        }
        guard done else { throw refused() }
    }
}

private func refused() -> CormorantError {
    CormorantError(
        .cipher, "libcrypto refuses to derive the key", hint: "see whether it is set up to allow PBKDF2 and AES")
}

/// The keys that are in use, found by what they were derived from without keeping that.
private final class KeyCache: @unchecked Sendable {  // `lock` guards what is below it
    static let shared = KeyCache()
    private let lock = RecursiveLock(.keyCache, outlivesForks: true)
    private var entries: [[UInt8]: Entry] = [:]
    private var secret: SecretMemory?
    private var process: pid_t = 0

    private final class Entry {
        /// Held while the keys are derived, which only those wait for who want the same.
        let deriving = RecursiveLock(.keyDerivation)
        weak var keys: DerivedKeys?
        var users = 0
    }

    /// Two who open one file at a time derive its key once: the second waits.
    func keys(
        _ passphrase: SecretMemory, _ salt: UnsafeRawBufferPointer, _ format: CipherFormat,
        _ provider: any CryptoProvider, _ derive: () throws -> DerivedKeys
    ) throws -> DerivedKeys {
        let entry = try locked {
            // In a forked process no one goes on with what another thread was deriving.
            if process != getpid() { entries = [:] }
            process = getpid()
            let name = try fingerprint(passphrase, salt, format, provider)
            let entry = entries[name] ?? Entry()
            entries[name] = entry
            entry.users += 1
            return entry
        }
        defer {
            locked {
                entry.users -= 1
                entries = entries.filter { $0.value.users > 0 || $0.value.keys != nil }
            }
        }
        entry.deriving.lock()
        defer { entry.deriving.unlock() }
        if let keys = locked({ entry.keys }) { return keys }
        let keys = try derive()
        locked { entry.keys = keys }
        return keys
    }

    private func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// One round of the key derivation with a secret of this process in the salt.
    private func fingerprint(
        _ passphrase: SecretMemory, _ salt: UnsafeRawBufferPointer, _ format: CipherFormat,
        _ provider: any CryptoProvider
    ) throws -> [UInt8] {
        if secret == nil {
            secret = SecretMemory(32)
            guard let secret, provider.fillRandom(secret.buffer) else {
                self.secret = nil
                throw refused()
            }
        }
        guard let secret else { throw refused() }
        var name = [UInt8](repeating: 0, count: 32)
        let text = PageBuffer(64)
        text.bytes.copyMemory(from: secret.bytes, byteCount: 32)
        if let salt = salt.baseAddress { (text.bytes + 32).copyMemory(from: salt, byteCount: 16) }
        text.bytes.storeBytes(of: Int64(format.rounds), toByteOffset: 48, as: Int64.self)
        text.bytes.storeBytes(of: Int64(format.kdf.size), toByteOffset: 56, as: Int64.self)
        let done = name.withUnsafeMutableBytes {
            provider.deriveKey(
                .sha512, passphrase.content, salt: UnsafeRawBufferPointer(start: text.bytes, count: 64), rounds: 1,
                into: $0)
        }
        guard done else { throw refused() }
        return name
    }
}
