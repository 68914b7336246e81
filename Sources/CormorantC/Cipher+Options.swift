public import CCormorant
import CormorantBase
import CormorantCipher
import CormorantSQLite

/// What a file is to be opened with; nil for NULL, a plain file.
func cipherSource(_ given: UnsafePointer<corm_cipher_options>?) throws -> (any PageCodecSource)? {
    guard let given else { return nil }
    let raw: corm_cipher_options = try readStruct(given, given.pointee.struct_size, "corm_cipher_options")
    if let codec = raw.codec {
        guard raw.key == nil, raw.key_size == 0, raw.provider == nil, raw.compatibility == 0, raw.page_size == 0,
            raw.rounds == 0, raw.plain_header_size == 0
        else {
            throw CormorantError(
                .misuse, "a codec of your own has neither key nor settings here", hint: "give a key or a codec")
        }
        return try CallbackCodecSource(
            readStruct(codec, codec.pointee.struct_size, "corm_codec"), keepsLogIndex: !raw.sole_writer)
    }
    guard let compatibility = Encryption.Compatibility(rawValue: raw.compatibility == 0 ? 4 : raw.compatibility) else {
        throw CormorantError(
            .misuse, "compatibility \(raw.compatibility) is unknown", hint: "give a version of SQLCipher, 1 to 4")
    }
    func number(_ value: Int32) -> Int? { value == 0 ? nil : Int(value) }
    return try Encryption(
        key: key(raw), compatibility: compatibility, pageSize: number(raw.page_size), rounds: number(raw.rounds),
        plainHeaderSize: Int(raw.plain_header_size), keepsLogIndex: !raw.sole_writer)
}

func requireCipher(_ given: UnsafePointer<corm_cipher_options>?) throws -> any PageCodecSource {
    guard let source = try cipherSource(given) else {
        throw CormorantError(.misuse, "the cipher options are NULL", hint: "pass what the file is encrypted with")
    }
    return source
}

private func key(_ raw: corm_cipher_options) throws -> CipherKey {
    if let key = raw.key {
        guard raw.key_size > 0 else { throw noKey() }
        return try CipherKey(bytes: UnsafeRawBufferPointer(start: key, count: raw.key_size))
    }
    guard raw.key_size == 0, let provider = raw.provider else { throw noKey() }
    let context = CallbackContext(pointer: raw.context)
    return CipherKey(asking: { path in
        let sink = KeySink()
        let handle = try Handles.add(sink, .keySink)
        defer { Handles.remove(handle, .keySink) }
        let status = path.withCString { provider($0, handle, context.pointer) }
        guard status == CORM_OK else {
            throw CormorantError(
                .callback, "the key provider of \"\(path)\" refused with status \(status)",
                hint: "see why it returns that, and open the file again")
        }
        guard let key = sink.key else { throw noKey() }
        return key
    })
}

private func noKey() -> CormorantError {
    CormorantError(.misuse, "the key is empty", hint: "give a passphrase or a raw key")
}

final class KeySink {
    var key: CipherKey?
}

@_cdecl("corm_key_sink_set") @implementation
public func corm_key_sink_set(
    _ handle: OpaquePointer?, _ key: UnsafeRawPointer?, _ size: Int, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let sink = try Handles.require(handle, .keySink, as: KeySink.self)
        guard let key, size > 0 else { throw noKey() }
        sink.key = try CipherKey(bytes: UnsafeRawBufferPointer(start: key, count: size))
        return CORM_OK
    }
}

/// A codec of the host's.
private struct CallbackCodecSource: PageCodecSource, @unchecked Sendable {  // its functions say where they may run
    let codec: corm_codec
    let keepsLogIndex: Bool

    /// Whether it has one is the codec's business.
    var hasPlainHeader: Bool { true }

    init(_ codec: corm_codec, keepsLogIndex: Bool) throws {
        guard codec.page_size >= 1024, codec.page_size <= 65_536, codec.page_size & (codec.page_size - 1) == 0 else {
            throw CormorantError(
                .misuse, "the codec's page size is \(codec.page_size)", hint: "give a power of two from 1024 to 65536")
        }
        guard codec.reserve <= 255 else {
            throw CormorantError(.misuse, "the codec reserves \(codec.reserve) bytes", hint: "give 255 at most")
        }
        guard codec.encrypt != nil, codec.decrypt != nil else {
            throw CormorantError(.misuse, "the codec lacks encrypt or decrypt", hint: "give both")
        }
        self.codec = codec
        self.keepsLogIndex = keepsLogIndex
    }

    func makeCodec(path: String) throws -> any PageCodec {
        try Crypto.protectTemporaryFiles()
        return CallbackCodec(self, path)
    }
}

private final class CallbackCodec: PageCodec {
    private let source: CallbackCodecSource
    private let path: String
    private var codec: corm_codec { source.codec }
    let pageSize: Int
    let reserve: Int
    private var file: OpenFile?
    /// Of a file that now begins with other bytes: it takes over when it decrypts page 1.
    private var next: OpenFile?

    /// What the codec's `open` gave for one file.
    private final class OpenFile {
        let handle: UnsafeMutableRawPointer?
        /// The first bytes of the file that it stands for; nil while there are none.
        var first: (UInt64, UInt64)?
        private let close: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

        init(_ codec: corm_codec, _ path: String, _ first: UnsafeRawPointer?) throws {
            var handle = codec.context
            if let open = codec.open {
                handle = nil
                let status = path.withCString {
                    open($0, first?.assumingMemoryBound(to: UInt8.self), &handle, codec.context)
                }
                guard status == CORM_OK else {
                    throw CormorantError(
                        .cipher, "the codec refused \"\(path)\": status \(status)", hint: "see why its open does")
                }
            }
            self.handle = handle
            self.first = first.map(words)
            close = codec.close
        }

        deinit { close?(handle) }
    }

    init(_ source: CallbackCodecSource, _ path: String) {
        self.source = source
        self.path = path
        pageSize = Int(source.codec.page_size)
        reserve = Int(source.codec.reserve)
    }

    /// What its bytes are for is the codec's business.
    var isAuthenticating: Bool { true }
    var hasPlainHeader: Bool { source.hasPlainHeader }
    var keepsLogIndex: Bool { source.keepsLogIndex }
    var shared: any PageCodecSource { source }

    func attach(_ first: UnsafeRawPointer?) throws {
        guard let file else {
            file = try OpenFile(codec, path, first)
            return
        }
        guard let first else { return }
        if let known = file.first, known == words(first) { return }
        next = try OpenFile(codec, path, first)
    }

    func encrypt(_ page: UInt32, _ plain: UnsafeRawPointer, to image: UnsafeMutableRawPointer) -> Bool {
        guard let file,
            codec.encrypt?(
                page, plain.assumingMemoryBound(to: UInt8.self), image.assumingMemoryBound(to: UInt8.self), file.handle)
                == CORM_OK
        else { return false }
        if page == 1 { file.first = words(image) }
        return true
    }

    func decrypt(_ page: UInt32, _ image: UnsafeMutableRawPointer) -> DecryptedPage {
        let file = page == 1 ? next ?? file : file
        if page == 1 { next = nil }
        guard let file else { return .failed }
        switch codec.decrypt?(page, image.assumingMemoryBound(to: UInt8.self), file.handle) {
        case CORM_OK:
            if page == 1 { copyMagic(to: image) }
            self.file = file
            return .authentic
        case CORM_CODEC_MISMATCH: return .mismatch
        default: return .failed
        }
    }
}

private func words(_ first: UnsafeRawPointer) -> (UInt64, UInt64) {
    (first.loadUnaligned(as: UInt64.self), first.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
}
