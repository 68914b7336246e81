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
            raw.rounds == 0, raw.plain_header_size == 0, raw.kdf_algorithm == 0, raw.hmac_algorithm == 0
        else {
            throw CormorantError(
                .misuse, "a codec of your own has neither key nor settings here", hint: "give a key or a codec")
        }
        let given: corm_codec = try readStruct(codec, codec.pointee.struct_size, "corm_codec")
        var encryption = try Encryption(codec: CallbackCodec(given), keepsLogIndex: !raw.sole_writer)
        encryption.wipesMemory = raw.wipe_memory
        return encryption
    }
    guard let compatibility = Encryption.Compatibility(rawValue: raw.compatibility == 0 ? 4 : raw.compatibility) else {
        throw CormorantError(
            .misuse, "compatibility \(raw.compatibility) is unknown", hint: "give a version of SQLCipher, 1 to 4")
    }
    func number(_ value: Int32) -> Int? { value == 0 ? nil : Int(value) }
    func algorithm(_ value: Int32, _ what: String) throws -> Encryption.Algorithm? {
        if value == CORM_CIPHER_DEFAULT { return nil }
        guard let algorithm = Encryption.Algorithm(rawValue: value) else {
            throw CormorantError(
                .misuse, "\(what) \(value) is unknown", hint: "use one of the header's constants, CORM_CIPHER_SHA512")
        }
        return algorithm
    }
    return try Encryption(
        key: key(raw), compatibility: compatibility, pageSize: number(raw.page_size), rounds: number(raw.rounds),
        kdfAlgorithm: algorithm(raw.kdf_algorithm, "kdf_algorithm"),
        hmacAlgorithm: algorithm(raw.hmac_algorithm, "hmac_algorithm"), plainHeaderSize: Int(raw.plain_header_size),
        wipesMemory: raw.wipe_memory, keepsLogIndex: !raw.sole_writer)
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
        let handle = try Handles.add(sink)
        defer { Handles.remove(handle, as: KeySink.self) }
        var error: OpaquePointer?
        let status = path.withCString { provider($0, handle, context.pointer, &error) }
        guard status == CORM_OK else { throw failure(of: "the key provider of \"\(path)\"", status, error) }
        Handles.remove(error, as: ErrorText.self)
        guard let key = sink.key else { throw noKey() }
        return key
    })
}

private func noKey() -> CormorantError {
    CormorantError(.misuse, "the key is empty", hint: "give a passphrase or a raw key")
}

final class KeySink: HandleObject {
    static var kind: HandleKind { .keySink }
    var key: CipherKey?
}

@_cdecl("corm_key_sink_set") @implementation
public func corm_key_sink_set(
    _ handle: OpaquePointer?, _ key: UnsafeRawPointer?, _ size: Int, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let sink = try Handles.require(handle, as: KeySink.self)
        guard let key, size > 0 else { throw noKey() }
        sink.key = try CipherKey(bytes: UnsafeRawBufferPointer(start: key, count: size))
        return CORM_OK
    }
}

/// A codec of the host's.
private struct CallbackCodec: Codec, @unchecked Sendable {  // its functions say where they may run
    private let codec: corm_codec

    var pageSize: Int { Int(codec.page_size) }
    var reserve: Int { Int(codec.reserve) }

    init(_ codec: corm_codec) throws {
        guard codec.encrypt != nil, codec.decrypt != nil else {
            throw CormorantError(.misuse, "the codec lacks encrypt or decrypt", hint: "give both")
        }
        self.codec = codec
    }

    func open(_ path: String, first: [UInt8]?) throws -> any CodecFile {
        var file = codec.context
        if let open = codec.open {
            file = nil
            var error: OpaquePointer?
            let status = path.withCString { open($0, first, &file, codec.context, &error) }
            try check(status, error)
        }
        return CallbackCodecFile(codec, file)
    }
}

private final class CallbackCodecFile: CodecFile {
    private let codec: corm_codec
    /// What the codec's `open` gave.
    private let file: UnsafeMutableRawPointer?

    init(_ codec: corm_codec, _ file: UnsafeMutableRawPointer?) {
        (self.codec, self.file) = (codec, file)
    }

    // Without an `open` it is the context, which others have.
    deinit { if codec.open != nil { codec.close?(file) } }

    func encrypt(_ page: UInt32, _ plain: UnsafeRawBufferPointer, to image: UnsafeMutableRawBufferPointer) throws {
        var error: OpaquePointer?
        try check(codec.encrypt?(page, bytes(plain.baseAddress), bytes(image.baseAddress), file, &error), error)
    }

    func decrypt(_ page: UInt32, _ image: UnsafeMutableRawBufferPointer) throws -> Bool {
        var error: OpaquePointer?
        let status = codec.decrypt?(page, bytes(image.baseAddress), file, &error)
        if status == CORM_CODEC_MISMATCH { return false }
        try check(status, error)
        return true
    }

    private func bytes(_ start: UnsafeRawPointer?) -> UnsafePointer<UInt8>? {
        start?.assumingMemoryBound(to: UInt8.self)
    }

    private func bytes(_ start: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8>? {
        start?.assumingMemoryBound(to: UInt8.self)
    }
}

/// The status of a codec's function, which was not CORM_OK.
private struct CodecStatus: Error, CustomStringConvertible {
    let status: corm_status
    var description: String { "status \(status)" }
}

private func check(_ status: corm_status?, _ error: OpaquePointer?) throws {
    guard let status, status != CORM_OK else {
        Handles.remove(error, as: ErrorText.self)
        return
    }
    if error == nil { throw CodecStatus(status: status) }
    throw failure(of: "the codec", status, error)
}
