import CormorantPlatform

/// CommonCryptoProvider beside LibCrypto: the same keys, pages and tags from both, each reading what the other wrote.

func expect(_ holds: Bool, _ what: String) {
    if holds { return }
    print("common_crypto: \(what)")
    exit(1)
}

guard let openSSL = LibCrypto() else {
    print("common_crypto: no libcrypto here")
    exit(1)
}
let apple = CommonCryptoProvider()

func bytes(_ count: Int, _ seed: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) } }

/// What a provider derives from a password.
func derived(_ provider: some CryptoProvider, _ hash: HashFunction, _ password: [UInt8], _ size: Int) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: size)
    let salt = bytes(16, 5)
    let done = password.withUnsafeBytes { password in
        salt.withUnsafeBytes { salt in
            key.withUnsafeMutableBytes { provider.deriveKey(hash, password, salt: salt, rounds: 1000, into: $0) }
        }
    }
    expect(done, "a key is derived")
    return key
}

for hash in [HashFunction.sha1, .sha256, .sha512] {
    for password in [Array("geheim".utf8), [0, 255, 0], bytes(200, 1)] {
        for size in [16, 32, 64] {
            let key = derived(openSSL, hash, password, size)
            expect(derived(apple, hash, password, size) == key, "both derive one key, with \(hash)")
        }
    }
}

/// The page, encrypted, with its tag behind it.
func sealed(_ cipher: any PageCipher, _ plain: [UInt8], _ vector: [UInt8], _ page: UInt32, _ tag: Int) -> [UInt8] {
    var image = [UInt8](repeating: 0, count: plain.count)
    var made = [UInt8](repeating: 0, count: tag)
    expect(cipher.encrypt(plain, to: &image, count: plain.count, vector: vector), "a page is encrypted")
    expect(cipher.authenticate(image, count: image.count, page: page, into: &made), "a page is authenticated")
    return image + made
}

let key = bytes(32, 7)
let macKey = bytes(32, 11)
for hash in [HashFunction.sha1, .sha256, .sha512] {
    guard let left = openSSL.makePageCipher(key: key, macKey: macKey, hash),
        let right = apple.makePageCipher(key: key, macKey: macKey, hash)
    else {
        expect(false, "page ciphers are made")
        continue
    }
    // Of each size, large ones before small ones, too.
    for (page, size) in [4096, 16, 65536, 512, 4016].enumerated() {
        let plain = bytes(size, page)
        let vector = bytes(16, size)
        let image = sealed(left, plain, vector, UInt32(page), hash.size)
        expect(sealed(right, plain, vector, UInt32(page), hash.size) == image, "both write one page, with \(hash)")
        for cipher in [left, right] {
            var copy = Array(image.prefix(size))
            expect(cipher.decrypt(&copy, count: size, vector: vector), "a page is decrypted")
            expect(copy == plain, "each reads the page")
        }
    }
    expect(
        !right.decrypt(UnsafeMutableRawPointer.allocate(byteCount: 17, alignment: 1), count: 17, vector: key),
        "17 bytes")
}

let sectorKey = bytes(64, 3)
guard let sectors = apple.makeSectorCipher(key: sectorKey), let others = apple.makeSectorCipher(key: bytes(64, 4))
else {
    expect(false, "sector ciphers are made")
    exit(1)
}
let plain = bytes(512, 1) + bytes(512, 1) + bytes(1024, 2)
var image = [UInt8](repeating: 0, count: plain.count)
expect(sectors.encrypt(1 << 40, plain, to: &image, count: plain.count), "sectors are encrypted")
expect(image[0..<512] != image[512..<1024], "equal sectors look different")
var back = [UInt8](repeating: 0, count: plain.count)
expect(sectors.decrypt(1 << 40, image, to: &back, count: plain.count) && back == plain, "sectors are decrypted")
let second = Array(image[512..<1024])
expect(sectors.decrypt(1 << 40 + 1, second, to: &back, count: 512), "a sector alone is decrypted")
expect(back[0..<512] == plain[512..<1024], "a sector alone is what it was")
expect(
    sectors.decrypt(1 << 40, second, to: &back, count: 512) && back[0..<512] != plain[512..<1024], "its number counts")
expect(
    others.decrypt(1 << 40 + 1, second, to: &back, count: 512) && back[0..<512] != plain[512..<1024], "its key counts")

var random = [UInt8](repeating: 0, count: 64)
expect(random.withUnsafeMutableBytes { apple.fillRandom($0) }, "random bytes")
expect(Set(random).count > 16, "random bytes differ")
expect(apple.areEqual(plain, plain, plain.count) && !apple.areEqual(plain, image, plain.count), "comparison")
print("common_crypto: ok")
