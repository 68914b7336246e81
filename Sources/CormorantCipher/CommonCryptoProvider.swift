#if canImport(CommonCrypto)
    import CommonCrypto
    import CormorantPlatform
    import CormorantSQLite

    /// CommonCrypto, which every system of Apple has: only what its public headers declare, and only calls that keep
    /// nothing between each other, since what resetting a cryptor does differs between its releases.
    struct CommonCryptoProvider: CryptoProvider {
        func deriveKey(
            _ hash: HashFunction, _ password: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, rounds: Int,
            into key: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard let rounds = UInt32(exactly: rounds), let made = key.baseAddress else { return false }
            let function =
                switch hash {
                case .sha1: kCCPRFHmacAlgSHA1
                case .sha256: kCCPRFHmacAlgSHA256
                case .sha512: kCCPRFHmacAlgSHA512
                }
            let status = CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2), password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count,
                salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count, CCPseudoRandomAlgorithm(function),
                rounds, made.assumingMemoryBound(to: UInt8.self), key.count)
            return Int(status) == kCCSuccess
        }

        func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
            guard let start = bytes.baseAddress else { return bytes.isEmpty }
            return Int(CCRandomGenerateBytes(start, bytes.count)) == kCCSuccess
        }

        func makePageCipher(
            key: UnsafeRawPointer, macKey: UnsafeRawPointer, _ hash: HashFunction
        ) -> (any PageCipher)? {
            CommonCryptoPageCipher(key, macKey, hash)
        }

        func makeSectorCipher(key: UnsafeRawPointer) -> (any SectorCipher)? { CommonCryptoSectorCipher(key) }

        func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
            timingsafe_bcmp(left, right, count) == 0
        }
    }

    /// AES-256 without padding, in CBC where there is a vector and block by block where there is none. The input and the
    /// output are two: CommonCryptor.h supports no others with blocks.
    private func crypt(
        _ operation: Int, _ key: UnsafeRawPointer, _ vector: UnsafeRawPointer?, _ input: UnsafeRawPointer,
        _ output: UnsafeMutableRawPointer, _ count: Int
    ) -> Bool {
        var written = 0
        let status = CCCrypt(
            CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), CCOptions(vector == nil ? kCCOptionECBMode : 0), key,
            kCCKeySizeAES256, vector, input, count, output, count, &written)
        return Int(status) == kCCSuccess && written == count
    }

    private final class CommonCryptoPageCipher: PageCipher {
        /// Of the cipher, then of the HMAC.
        private let keys: SecretMemory
        private let algorithm: CCHmacAlgorithm
        /// An encrypted page, while it is decrypted to where it was.
        private var image: [UInt8] = []

        init?(_ key: UnsafeRawPointer, _ macKey: UnsafeRawPointer, _ hash: HashFunction) {
            guard let keys = SecretMemory(64) else { return nil }
            keys.bytes.copyMemory(from: key, byteCount: 32)
            (keys.bytes + 32).copyMemory(from: macKey, byteCount: 32)
            self.keys = keys
            let algorithm =
                switch hash {
                case .sha1: kCCHmacAlgSHA1
                case .sha256: kCCHmacAlgSHA256
                case .sha512: kCCHmacAlgSHA512
                }
            self.algorithm = CCHmacAlgorithm(algorithm)
        }

        func encrypt(
            _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer, count: Int, vector: UnsafeRawPointer
        ) -> Bool {
            crypt(kCCEncrypt, keys.bytes, vector, plain, image, count)
        }

        func decrypt(_ image: UnsafeMutableRawPointer, count: Int, vector: UnsafeRawPointer) -> Bool {
            if self.image.count < count { self.image = [UInt8](repeating: 0, count: count) }
            return self.image.withUnsafeMutableBytes { copy in
                guard let start = copy.baseAddress else { return count == 0 }
                start.copyMemory(from: image, byteCount: count)
                return crypt(kCCDecrypt, keys.bytes, vector, start, image, count)
            }
        }

        func authenticate(
            _ bytes: UnsafeRawPointer, count: Int, page: UInt32, into tag: UnsafeMutableRawPointer
        ) -> Bool {
            var context = CCHmacContext()
            var number = page.littleEndian
            CCHmacInit(&context, algorithm, keys.bytes + 32, 32)
            CCHmacUpdate(&context, bytes, count)
            CCHmacUpdate(&context, &number, 4)
            CCHmacFinal(&context, tag)
            withUnsafeMutableBytes(of: &context) { bytes in
                if let start = bytes.baseAddress { wipe(start, bytes.count) }
            }
            return true
        }
    }

    /// AES-256-CBC under a vector that nobody can tell in advance: the sector's number, encrypted under the key's second
    /// half, as dm-crypt's ESSIV does it. CommonCrypto's public calls set no number for XTS once it has its key. Nobody but
    /// the process reads these files, so that they need not look as they do elsewhere.
    private final class CommonCryptoSectorCipher: SectorCipher {
        private let key: SecretMemory

        init?(_ key: UnsafeRawPointer) {
            guard let copied = SecretMemory(copying: UnsafeRawBufferPointer(start: key, count: 64)) else { return nil }
            self.key = copied
        }

        func encrypt(
            _ sector: Int64, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer, count: Int
        ) -> Bool {
            each(kCCEncrypt, sector, plain, image, count)
        }

        func decrypt(
            _ sector: Int64, _ image: UnsafeRawPointer, to plain: UnsafeMutableRawPointer, count: Int
        ) -> Bool {
            each(kCCDecrypt, sector, image, plain, count)
        }

        private func each(
            _ operation: Int, _ sector: Int64, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
            _ count: Int
        ) -> Bool {
            withUnsafeTemporaryAllocation(byteCount: 32, alignment: 16) { memory in
                guard let number = memory.baseAddress else { return false }
                let vector = number + 16
                number.initializeMemory(as: UInt8.self, repeating: 0, count: 32)
                var done = 0
                while done < count {
                    number.storeBytes(of: (sector &+ Int64(done / 512)).littleEndian, as: Int64.self)
                    guard crypt(kCCEncrypt, key.bytes + 32, nil, number, vector, 16),
                        crypt(operation, key.bytes, vector, input + done, output + done, 512)
                    else { return false }
                    done = done &+ 512
                }
                return true
            }
        }
    }
#endif
