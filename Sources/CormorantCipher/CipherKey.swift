import CormorantBase

/// The key of an encrypted file: a passphrase, a raw key, or someone to ask. It does not print.
public struct CipherKey: Sendable {
    enum Storage: Sendable {
        case passphrase(SecretMemory)
        /// 32 bytes; behind them, where they were given, 16 of salt, or 32 of the HMAC's key and 16 of salt.
        case raw(SecretMemory)
        case provider(@Sendable (_ path: String) throws -> CipherKey)
    }

    let storage: Storage

    /// A passphrase, from which the key is derived. `x'...'` is a raw key, as in SQLCipher: 64 hex digits are the key, 96 the
    /// key and the file's salt, 160 the key, that of the HMAC and the salt, from which nothing more is derived.
    public init(_ passphrase: String) throws {
        var passphrase = passphrase
        self = try passphrase.withUTF8 { try CipherKey(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The same with a passphrase of any bytes, which are copied.
    public init(bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else {
            throw CormorantError(.misuse, "the key is empty", hint: "give a passphrase or a raw key")
        }
        guard bytes.count <= 1 << 30, let copy = SecretMemory(copying: bytes) else {
            throw CormorantError(.noMemory, "there is no memory for a key of \(bytes.count) bytes")
        }
        let looksRaw =
            bytes.count >= 2 && bytes[0] | 0x20 == UInt8(ascii: "x") && bytes[1] == UInt8(ascii: "'")
            && bytes[bytes.count - 1] == UInt8(ascii: "'")
        storage = looksRaw ? .raw(try CipherKey.raw(copy)) : .passphrase(copy)
    }

    /// Asks for the key whenever a file is opened.
    public init(asking provider: @escaping @Sendable (_ path: String) throws -> CipherKey) {
        storage = .provider(provider)
    }

    private static func raw(_ text: SecretMemory) throws -> SecretMemory {
        let digits = UnsafeRawBufferPointer(rebasing: text.content.dropFirst(2).dropLast())
        guard [64, 96, 160].contains(digits.count), let key = SecretMemory(digits.count / 2) else { throw malformed() }
        for index in 0..<key.count {
            guard let high = hexDigit(digits[2 * index]), let low = hexDigit(digits[2 * index + 1]) else {
                throw malformed()
            }
            key.buffer[index] = high << 4 | low
        }
        return key
    }

    private static func malformed() -> CormorantError {
        CormorantError(
            .misuse, "the raw key is malformed",
            hint: "give x'...' with 64 hex digits, 96 with the salt, or 160 with the key of the HMAC and the salt")
    }

    /// Of the file, where it was given with a raw key.
    var salt: UnsafeRawPointer? {
        guard case .raw(let raw) = storage, raw.count > 32 else { return nil }
        return UnsafeRawPointer(raw.bytes + raw.count - 16)
    }

    /// What a provider answers, if it is one.
    func resolved(_ path: String) throws -> CipherKey {
        guard case .provider(let provider) = storage else { return self }
        let answer = try provider(path)
        if case .provider = answer.storage {
            throw CormorantError(.misuse, "a key provider answers with a provider", hint: "answer with a key")
        }
        return answer
    }
}

extension CipherKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "CipherKey" }
    public var debugDescription: String { "CipherKey" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
