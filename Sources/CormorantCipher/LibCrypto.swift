import CormorantPlatform
import CormorantSQLite

/// OpenSSL's libcrypto, found at run time, so that who has no encrypted files needs none. Only functions that 1.1 and 3
/// both have. Systems of Apple have CommonCrypto instead.
final class LibCrypto: CryptoProvider {
    fileprivate typealias Bytes = UnsafeMutableRawPointer
    fileprivate typealias ConstBytes = UnsafeRawPointer
    fileprivate typealias Object = OpaquePointer

    fileprivate let newCipher: @convention(c) () -> Object?
    fileprivate let freeCipher: @convention(c) (Object?) -> Void
    fileprivate let setPadding: @convention(c) (Object?, Int32) -> Int32
    fileprivate let initCipher: @convention(c) (Object?, Object?, Object?, ConstBytes?, ConstBytes?, Int32) -> Int32
    fileprivate let updateCipher:
        @convention(c) (Object?, Bytes?, UnsafeMutablePointer<Int32>?, ConstBytes?, Int32) -> Int32
    fileprivate let newHMAC: @convention(c) () -> Object?
    fileprivate let freeHMAC: @convention(c) (Object?) -> Void
    fileprivate let initHMAC: @convention(c) (Object?, ConstBytes?, Int32, Object?, Object?) -> Int32
    fileprivate let updateHMAC: @convention(c) (Object?, ConstBytes?, Int) -> Int32
    fileprivate let finishHMAC: @convention(c) (Object?, Bytes?, UnsafeMutablePointer<UInt32>?) -> Int32
    private let pbkdf2: @convention(c) (ConstBytes?, Int32, ConstBytes?, Int32, Int32, Object?, Int32, Bytes?) -> Int32
    private let randomBytes: @convention(c) (Bytes?, Int32) -> Int32
    private let compare: @convention(c) (ConstBytes?, ConstBytes?, Int) -> Int32
    private let cbc: @convention(c) () -> Object?
    private let xts: @convention(c) () -> Object?
    private let sha1: @convention(c) () -> Object?
    private let sha256: @convention(c) () -> Object?
    private let sha512: @convention(c) () -> Object?

    /// nil where there is no libcrypto.
    init?() {
        guard let library = LibCrypto.open(),
            let newCipher = dlsym(library, "EVP_CIPHER_CTX_new"),
            let freeCipher = dlsym(library, "EVP_CIPHER_CTX_free"),
            let setPadding = dlsym(library, "EVP_CIPHER_CTX_set_padding"),
            let initCipher = dlsym(library, "EVP_CipherInit_ex"),
            let updateCipher = dlsym(library, "EVP_CipherUpdate"),
            let newHMAC = dlsym(library, "HMAC_CTX_new"), let freeHMAC = dlsym(library, "HMAC_CTX_free"),
            let initHMAC = dlsym(library, "HMAC_Init_ex"), let updateHMAC = dlsym(library, "HMAC_Update"),
            let finishHMAC = dlsym(library, "HMAC_Final"),
            let pbkdf2 = dlsym(library, "PKCS5_PBKDF2_HMAC"), let randomBytes = dlsym(library, "RAND_bytes"),
            let compare = dlsym(library, "CRYPTO_memcmp"),
            let cbc = dlsym(library, "EVP_aes_256_cbc"), let xts = dlsym(library, "EVP_aes_256_xts"),
            let sha1 = dlsym(library, "EVP_sha1"), let sha256 = dlsym(library, "EVP_sha256"),
            let sha512 = dlsym(library, "EVP_sha512")
        else { return nil }
        func function<Function>(_ address: UnsafeMutableRawPointer) -> Function {
            unsafeBitCast(address, to: Function.self)
        }
        self.newCipher = function(newCipher)
        self.freeCipher = function(freeCipher)
        self.setPadding = function(setPadding)
        self.initCipher = function(initCipher)
        self.updateCipher = function(updateCipher)
        self.newHMAC = function(newHMAC)
        self.freeHMAC = function(freeHMAC)
        self.initHMAC = function(initHMAC)
        self.updateHMAC = function(updateHMAC)
        self.finishHMAC = function(finishHMAC)
        self.pbkdf2 = function(pbkdf2)
        self.randomBytes = function(randomBytes)
        self.compare = function(compare)
        self.cbc = function(cbc)
        self.xts = function(xts)
        self.sha1 = function(sha1)
        self.sha256 = function(sha256)
        self.sha512 = function(sha512)
    }

    /// It stays loaded.
    private static func open() -> UnsafeMutableRawPointer? {
        for name in ["libcrypto.so.3", "libcrypto.so.1.1"] {
            if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return library }
        }
        return nil
    }

    fileprivate func function(_ hash: HashFunction) -> Object? {
        switch hash {
        case .sha1: sha1()
        case .sha256: sha256()
        case .sha512: sha512()
        }
    }

    func deriveKey(
        _ hash: HashFunction, _ password: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, rounds: Int,
        into key: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let passwordSize = Int32(exactly: password.count), let rounds = Int32(exactly: rounds) else {
            return false
        }
        return pbkdf2(
            password.baseAddress, passwordSize, salt.baseAddress, Int32(truncatingIfNeeded: salt.count), rounds,
            function(hash), Int32(truncatingIfNeeded: key.count), key.baseAddress) == 1
    }

    func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        randomBytes(bytes.baseAddress, Int32(truncatingIfNeeded: bytes.count)) == 1
    }

    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        compare(left, right, count) == 0
    }

    func makePageCipher(key: UnsafeRawPointer, macKey: UnsafeRawPointer, _ hash: HashFunction) -> (any PageCipher)? {
        LibCryptoPageCipher(self, cbc(), key, macKey, hash)
    }

    func makeSectorCipher(key: UnsafeRawPointer) -> (any SectorCipher)? {
        LibCryptoSectorCipher(self, xts(), key)
    }

    /// A context that has its key, and gets a vector for each use.
    fileprivate func context(_ cipher: Object?, _ key: UnsafeRawPointer, isEncrypting: Bool) -> Object? {
        guard let context = newCipher() else { return nil }
        guard initCipher(context, cipher, nil, key, nil, isEncrypting ? 1 : 0) == 1 else {
            freeCipher(context)
            return nil
        }
        // Answers 1 in every version; a cipher in blocks keeps it over later calls.
        _ = setPadding(context, 0)
        return context
    }

    fileprivate func run(
        _ context: Object, _ vector: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
        _ count: Int
    ) -> Bool {
        var written: Int32 = 0
        guard initCipher(context, nil, nil, nil, vector, -1) == 1,
            updateCipher(context, output, &written, input, Int32(truncatingIfNeeded: count)) == 1
        else { return false }
        return Int(written) == count
    }
}

private final class LibCryptoPageCipher: PageCipher {
    private let library: LibCrypto
    private let encrypting: OpaquePointer
    private let decrypting: OpaquePointer
    private let hmac: OpaquePointer

    init?(
        _ library: LibCrypto, _ cipher: OpaquePointer?, _ key: UnsafeRawPointer, _ macKey: UnsafeRawPointer,
        _ hash: HashFunction
    ) {
        let encrypting = library.context(cipher, key, isEncrypting: true)
        let decrypting = library.context(cipher, key, isEncrypting: false)
        let hmac = library.newHMAC()
        guard let encrypting, let decrypting, let hmac,
            library.initHMAC(hmac, macKey, 32, library.function(hash), nil) == 1
        else {
            library.freeCipher(encrypting)
            library.freeCipher(decrypting)
            library.freeHMAC(hmac)
            return nil
        }
        self.library = library
        self.encrypting = encrypting
        self.decrypting = decrypting
        self.hmac = hmac
    }

    /// libcrypto wipes what it frees.
    deinit {
        library.freeCipher(encrypting)
        library.freeCipher(decrypting)
        library.freeHMAC(hmac)
    }

    func encrypt(
        _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer, count: Int, vector: UnsafeRawPointer
    ) -> Bool {
        library.run(encrypting, vector, plain, image, count)
    }

    func decrypt(_ image: UnsafeMutableRawPointer, count: Int, vector: UnsafeRawPointer) -> Bool {
        library.run(decrypting, vector, image, image, count)
    }

    func authenticate(
        _ bytes: UnsafeRawPointer, count: Int, page: UInt32, into tag: UnsafeMutableRawPointer
    ) -> Bool {
        var number = page.littleEndian
        return library.initHMAC(hmac, nil, 0, nil, nil) == 1 && library.updateHMAC(hmac, bytes, count) == 1
            && library.updateHMAC(hmac, &number, 4) == 1 && library.finishHMAC(hmac, tag, nil) == 1
    }
}

private final class LibCryptoSectorCipher: SectorCipher {
    private let library: LibCrypto
    private let encrypting: OpaquePointer
    private let decrypting: OpaquePointer

    init?(_ library: LibCrypto, _ cipher: OpaquePointer?, _ key: UnsafeRawPointer) {
        let encrypting = library.context(cipher, key, isEncrypting: true)
        let decrypting = library.context(cipher, key, isEncrypting: false)
        guard let encrypting, let decrypting else {
            library.freeCipher(encrypting)
            library.freeCipher(decrypting)
            return nil
        }
        self.library = library
        self.encrypting = encrypting
        self.decrypting = decrypting
    }

    deinit {
        library.freeCipher(encrypting)
        library.freeCipher(decrypting)
    }

    func encrypt(_ sector: Int64, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer, count: Int) -> Bool {
        each(sector, count) { library.run(encrypting, $0, plain + $1, image + $1, 512) }
    }

    func decrypt(_ sector: Int64, _ image: UnsafeRawPointer, to plain: UnsafeMutableRawPointer, count: Int) -> Bool {
        each(sector, count) { library.run(decrypting, $0, image + $1, plain + $1, 512) }
    }

    private func each(_ sector: Int64, _ count: Int, _ body: (UnsafeRawPointer, Int) -> Bool) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { vector in
            guard let start = vector.baseAddress else { return false }
            start.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
            var done = 0
            while done < count {
                let number = sector &+ Int64(done / 512)
                start.storeBytes(of: number.littleEndian, as: Int64.self)
                guard body(start, done) else { return false }
                done = done &+ 512
            }
            return true
        }
    }
}
