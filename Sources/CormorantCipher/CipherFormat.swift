import CormorantBase
import CormorantSQLite

/// The settings of a file's format, complete and checked.
struct CipherFormat: Sendable {
    var pageSize: Int
    var rounds: Int
    /// Of the derivation of keys.
    var kdf: HashFunction
    /// nil where pages are not authenticated.
    var hmac: HashFunction?
    var plainHeaderSize: Int
    let keepsLogIndex: Bool

    /// 0 where pages are not authenticated.
    var tagSize: Int { hmac?.size ?? 0 }
    /// The vector and the tag, up to a whole block.
    var reserve: Int { (16 + tagSize + 15) / 16 * 16 }

    init(_ given: Encryption) throws {
        let isCurrent = given.compatibility == .version4
        pageSize = given.pageSize ?? (isCurrent ? 4096 : 1024)
        rounds =
            switch given.compatibility {
            case .version4: given.rounds ?? 256_000
            case .version3: given.rounds ?? 64_000
            case .version2, .version1: given.rounds ?? 4000
            }
        let kdfAlgorithm = given.kdfAlgorithm ?? (isCurrent ? .sha512 : .sha1)
        guard let kdf = HashFunction(kdfAlgorithm) else {
            throw CormorantError(
                .misuse, "a key cannot be derived without a hash function", hint: "leave pages alone unauthenticated")
        }
        self.kdf = kdf
        hmac = HashFunction(given.hmacAlgorithm ?? (given.compatibility == .version1 ? .off : kdfAlgorithm))
        plainHeaderSize = given.plainHeaderSize
        keepsLogIndex = given.keepsLogIndex
        // SQLCipher makes files with pages of 512 bytes, and does not open them itself.
        guard pageSize >= 1024, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
            throw CormorantError(
                .misuse, "pages of \(pageSize) bytes cannot be encrypted",
                hint: "give a power of two from 1024 to 65536")
        }
        guard rounds >= 1, rounds <= Int(Int32.max) else {
            throw CormorantError(.misuse, "a key cannot be derived in \(rounds) rounds", hint: "give at least 1")
        }
        guard plainHeaderSize >= 0, plainHeaderSize % 16 == 0, plainHeaderSize < pageSize - reserve else {
            throw CormorantError(
                .misuse, "a header of \(plainHeaderSize) bytes cannot be left plain",
                hint: "give 0 or 32; a multiple of 16 that is less than a page at most")
        }
    }

    /// Whether page 1 of a file without authentication came out as one: its layout, and three numbers that never change.
    func isHeader(_ page: UnsafeRawPointer) -> Bool {
        func byte(_ place: Int) -> Int { Int(page.load(fromByteOffset: place, as: UInt8.self)) }
        return byte(16) << 8 | byte(17) << 16 == pageSize && byte(20) >= reserve
            && (byte(21), byte(22), byte(23)) == (64, 32, 32)
    }
}

extension HashFunction {
    init?(_ algorithm: Encryption.Algorithm) {
        switch algorithm {
        case .sha1: self = .sha1
        case .sha256: self = .sha256
        case .sha512: self = .sha512
        case .off: return nil
        }
    }

    fileprivate var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        }
    }
}

/// Looks for the settings with which a key opens a file that it does not open with those that were given.
struct SettingsSearch {
    private let key: CipherKey
    private let given: CipherFormat
    private let provider: any CryptoProvider

    init(_ key: CipherKey, _ given: CipherFormat, _ provider: any CryptoProvider) {
        (self.key, self.given, self.provider) = (key, given, provider)
    }

    /// What differs from what was given, in words; nil where nothing fits.
    /// - Parameter start: what stands at the beginning of the file.
    func found(_ start: UnsafeRawBufferPointer) -> String? {
        guard start.count >= 1024, let first = start.baseAddress else { return nil }
        let magic = Array("SQLite format 3\0".utf8)
        let headers = start.prefix(16).elementsEqual(magic) ? Array(stride(from: 16, through: 112, by: 16)) : [0]
        if headers != [0], key.salt == nil { return nil }
        for (kdf, rounds) in derivations {
            var format = given
            (format.kdf, format.rounds) = (kdf, rounds)
            guard let keys = try? DerivedKeys.derive(key, salt: key.salt ?? first, format, provider) else { return nil }
            for size in (10...16).map({ 1 << $0 }) where size <= start.count {
                format.pageSize = size
                for hmac in [HashFunction.sha512, .sha256, .sha1, nil] {
                    format.hmac = hmac
                    for header in headers {
                        format.plainHeaderSize = header
                        if opens(keys, format, first) { return difference(format) }
                    }
                }
            }
        }
        return nil
    }

    /// Those of all versions, and the newest one's with other functions. A raw key is the same in any number of rounds.
    private var derivations: [(HashFunction, Int)] {
        if case .raw = key.storage { return [(.sha512, given.rounds), (.sha256, given.rounds), (.sha1, given.rounds)] }
        let known: [(HashFunction, Int)] = [
            (.sha1, 64_000), (.sha1, 4000), (.sha512, 256_000), (.sha256, 256_000), (.sha1, 256_000),
        ]
        return [(given.kdf, given.rounds)] + known.filter { $0 != (given.kdf, given.rounds) }
    }

    private func opens(_ keys: DerivedKeys, _ format: CipherFormat, _ page: UnsafeRawPointer) -> Bool {
        guard let cipher = provider.makePageCipher(key: keys.key, macKey: keys.macKey, format.hmac ?? .sha1) else {
            return false
        }
        let usable = format.pageSize - format.reserve
        let start = max(16, format.plainHeaderSize)
        return withUnsafeTemporaryAllocation(byteCount: format.pageSize, alignment: 16) { copy in
            guard let image = copy.baseAddress else { return false }
            defer { wipe(image, copy.count) }
            image.copyMemory(from: page, byteCount: format.pageSize)
            guard format.hmac == nil else {
                return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { tag in
                    guard let made = tag.baseAddress else { return false }
                    return cipher.authenticate(image + start, count: usable - start + 16, page: 1, into: made)
                        && provider.areEqual(made, image + usable + 16, format.tagSize)
                }
            }
            return cipher.decrypt(image + start, count: usable - start, vector: image + usable)
                && format.isHeader(image)
        }
    }

    private func difference(_ found: CipherFormat) -> String {
        var parts: [String] = []
        if found.pageSize != given.pageSize { parts.append("pages of \(found.pageSize) bytes") }
        if found.kdf != given.kdf || found.rounds != given.rounds {
            let rounds = if case .raw = key.storage { "" } else { " in \(found.rounds) rounds" }
            parts.append("PBKDF2-HMAC-\(found.kdf.name) for keys\(rounds)")
        }
        if found.hmac != given.hmac {
            parts.append(found.hmac.map { "HMAC-\($0.name) for pages" } ?? "no HMAC for pages")
        }
        if found.plainHeaderSize != given.plainHeaderSize {
            parts.append("\(found.plainHeaderSize) plain bytes at its beginning")
        }
        let versions = Encryption.Compatibility.allCases.filter { version in
            guard let theirs = try? CipherFormat(Encryption(key: key, compatibility: version)) else { return false }
            return (theirs.pageSize, theirs.kdf, theirs.hmac, theirs.plainHeaderSize)
                == (found.pageSize, found.kdf, found.hmac, found.plainHeaderSize) && theirs.rounds == found.rounds
        }
        let version = versions.last.map { " (those of SQLCipher \($0.rawValue))" } ?? ""
        return parts.joined(separator: ", ") + version
    }
}
