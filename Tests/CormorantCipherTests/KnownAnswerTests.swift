import CormorantBase
import CormorantSQLite
import Testing

@testable import CormorantCipher

/// Keys and page images as SQLCipher makes them, computed by other programs.
@Suite struct KnownAnswerTests {
    let salt = bytes("00112233445566778899aabbccddeeff")
    let format: CipherFormat
    let provider: any CryptoProvider

    init() throws {
        format = try CipherFormat(Encryption(key: CipherKey("x")))
        provider = try Crypto.provider()
    }

    private func keys(_ key: String) throws -> DerivedKeys {
        try salt.withUnsafeBytes { try DerivedKeys.derive(CipherKey(key), salt: $0.baseAddress!, format, provider) }
    }

    private func hex(_ start: UnsafeRawPointer, _ count: Int) -> String {
        UnsafeRawBufferPointer(start: start, count: count).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    @Test func aPassphraseGivesTheseKeys() throws {
        let keys = try keys("correct horse battery staple")
        #expect(hex(keys.key, 32) == "6d74aeb6436b70b780a7c2c88914cbf267546398085d12b93e9aca3a21063134")
        #expect(hex(keys.macKey, 32) == "4fc057cbee1f5e201b921d9640fda8571b7810fba5e56787c8c991572f511371")
    }

    @Test func aRawKeyGivesThisKeyOfTheCode() throws {
        let raw = "2dd29ca851e7b56e4697b0e1f08507293d761a05ce4d1b628663f411a8086d99"
        let keys = try keys("x'\(raw)'")
        #expect(hex(keys.key, 32) == raw)
        #expect(hex(keys.macKey, 32) == "d5f8b9a0a6a3b574b523250f24b6dcf40ba3f06226b30a7e0e73efc9ea3bb6e8")
    }

    /// The image is put together with a vector of its own; the codec, whose vectors are random, has to read it, and what it
    /// writes itself.
    @Test(
        arguments: [
            (1, "7018efad40f5a9a70fcee223211b846fbf73cc552510412c2ec9292dc30d7b63"),
            (2, "f8cb36a98c31ae55c09de8e67ec1c22111aed3f065803334078535dd9a93b806"),
            (0x0102_0304, "424b13515a959f8578430caac427c681727acaf0db35968da3d7ee87c790b2a5"),
        ] as [(UInt32, String)])
    func aPageGivesThisImage(_ page: UInt32, _ digest: String) throws {
        let keys = try keys("correct horse battery staple")
        let plain = PageBuffer(4096)
        for index in 0..<4096 {
            plain.bytes.storeBytes(of: UInt8((7 * index + 3) & 255), toByteOffset: index, as: UInt8.self)
        }
        let image = PageBuffer(4096)
        let start = page == 1 ? 16 : 0
        let vector = image.bytes + 4016
        for index in 0..<16 { vector.storeBytes(of: 0xA0 + UInt8(index), toByteOffset: index, as: UInt8.self) }
        let cipher = try #require(provider.makePageCipher(key: keys.key, macKey: keys.macKey, .sha512))
        #expect(cipher.encrypt(plain.bytes + start, to: image.bytes + start, count: 4016 - start, vector: vector))
        #expect(cipher.authenticate(image.bytes + start, count: 4032 - start, page: page, into: vector + 16))
        if page == 1 { image.bytes.copyMemory(from: keys.salt, byteCount: 16) }
        #expect(sha256(UnsafeRawBufferPointer(start: image.bytes, count: 4096)) == digest)

        let codec = try SQLCipherCodec(format, key: CipherKey("correct horse battery staple"), path: "", provider)
        try salt.withUnsafeBytes { try codec.attach($0.baseAddress) }
        let other = try written(codec, page, plain)
        for image in [image, try written(codec, page, plain)] {
            #expect(codec.decrypt(page, image.bytes) == .authentic)
            let isPlain = hex(image.bytes + start, 4016 - start) == hex(plain.bytes + start, 4016 - start)
            #expect(isPlain)
        }
        // A page of another number is another image.
        #expect(codec.decrypt(page + 1, other.bytes) == .mismatch)
        withExtendedLifetime((plain, other)) {}
    }

    private func written(_ codec: SQLCipherCodec, _ page: UInt32, _ plain: PageBuffer) throws -> PageBuffer {
        let image = PageBuffer(4096)
        #expect(codec.encrypt(page, plain.bytes, to: image.bytes))
        return image
    }
}

private func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).map { start in
        UInt8(hex.dropFirst(start).prefix(2), radix: 16) ?? 0
    }
}
