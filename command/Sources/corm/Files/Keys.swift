import ArgumentParser
import CormorantBase
import CormorantCipher
import CormorantEngine
import CormorantSQLite

/// The key of encrypted files. It never stands on the command line, which other users of the machine see.
struct KeyOptions: ParsableArguments {
    static let variable = "CORM_KEY"

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "A file that holds the key of the SQLite file. Without it \(variable) does, or a person on a terminal.",
            valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        name: .customLong("cipher"),
        help: ArgumentHelp(
            "A setting of an encrypted file that is not SQLCipher 4's: compatibility=3, page_size=8192, rounds=64000, "
                + "plain_header_size=32, kdf_algorithm=sha256, hmac_algorithm=off.", valueName: "setting"))
    var settings: [CipherSetting] = []

    /// Files that are read for them.
    var files: [String] { keyFile.map { [$0] } ?? [] }

    /// Whether no option of them was given.
    var areEmpty: Bool { keyFile == nil && settings.isEmpty }

    /// What a file is opened with; nil for a plain one.
    /// - Parameter isMain: whether it is the file that the command is about, and that a key is given for. Another one may
    ///   be plain all the same.
    func encryption(of path: String, isMain: Bool = true) throws -> Encryption? {
        let kind = fileHead(path).kind
        let isPlain = kind == .database && !settings.contains { $0.name == .plainHeaderSize }
        if !isMain, isPlain { return nil }
        if let key = try givenKey() { return encryption(key) }
        guard kind == .cipher || !settings.isEmpty else { return nil }
        guard fileExists(path), let key = try SecretReader.ask(once: path) else {
            throw keyMissing("\"\(visible(path))\" is encrypted, or is no database")
        }
        return encryption(key)
    }

    /// What a file is to be encrypted with, which a person types twice.
    func newEncryption(of path: String) throws -> Encryption {
        guard let key = try givenKey() ?? SecretReader.askTwice("Key for \(visible(path))") else {
            throw keyMissing("there is no key to encrypt with")
        }
        return encryption(key)
    }

    func givenKey() throws -> CipherKey? {
        try keyFile.map(SecretReader.key(file:)) ?? SecretReader.key(variable: Self.variable)
    }

    func encryption(_ key: CipherKey) -> Encryption {
        var encryption = Encryption(key: key)
        for setting in settings { setting.apply(to: &encryption) }
        return encryption
    }

    private func keyMissing(_ message: String) -> CormorantError {
        CormorantError(
            .keyMissing, message, hint: "give the key with --key-file FILE, or in the environment as \(Self.variable)")
    }
}

/// The key that a file gets in place of its own.
struct NewKeyOptions: ParsableArguments {
    static let variable = "CORM_NEW_KEY"

    @Option(
        name: .customLong("new-key-file"),
        help: ArgumentHelp(
            "A file that holds the new key. Without it \(variable) does, or a person on a terminal.",
            valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    func encryption(of path: String) throws -> Encryption {
        let given = try newKeyFile.map(SecretReader.key(file:)) ?? SecretReader.key(variable: Self.variable)
        guard let key = try given ?? SecretReader.askTwice("New key for \(visible(path))") else {
            throw CormorantError(
                .keyMissing, "there is no new key",
                hint: "give it with --new-key-file FILE, or in the environment as \(Self.variable)")
        }
        return Encryption(key: key)
    }
}

/// One member of a `corm_cipher_options`, as NAME=VALUE.
struct CipherSetting: ExpressibleByArgument {
    enum Name: String {
        case compatibility
        case pageSize = "page_size"
        case rounds
        case plainHeaderSize = "plain_header_size"
        case kdfAlgorithm = "kdf_algorithm"
        case hmacAlgorithm = "hmac_algorithm"
    }

    let name: Name
    private let number: Int

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = Name(rawValue: String(parts[0])) else { return nil }
        let isAlgorithm = name == .kdfAlgorithm || name == .hmacAlgorithm
        guard let number = isAlgorithm ? Self.algorithms[String(parts[1])] : Int(parts[1]) else { return nil }
        guard name != .compatibility || Self.compatibility(number) != nil else { return nil }
        self.name = name
        self.number = number
    }

    func apply(to encryption: inout Encryption) {
        switch name {
        case .compatibility: encryption.compatibility = Self.compatibility(number) ?? .version4
        case .pageSize: encryption.pageSize = number
        case .rounds: encryption.rounds = number
        case .plainHeaderSize: encryption.plainHeaderSize = number
        case .kdfAlgorithm: encryption.kdfAlgorithm = Self.algorithm(number)
        case .hmacAlgorithm: encryption.hmacAlgorithm = Self.algorithm(number)
        }
    }

    private static let algorithms = ["sha1": 1, "sha256": 2, "sha512": 3, "off": 4]

    private static func algorithm(_ number: Int) -> Encryption.Algorithm? {
        Encryption.Algorithm(rawValue: Int32(clamping: number))
    }

    private static func compatibility(_ number: Int) -> Encryption.Compatibility? {
        Encryption.Compatibility(rawValue: Int32(clamping: number))
    }
}

/// What a person at a command line is to do about an encrypted file, where the library speaks to programs.
func advice(for error: CormorantError) -> String? {
    switch error.code {
    case .wrongKey where error.plainMessage.contains("with other settings:"): "give them with --cipher"
    case .wrongKey: "check the key; a file that differs from SQLCipher 4 needs --cipher"
    case .notEncrypted: "it needs no key; corm encrypt gives it one"
    case .altered, .truncated: "corm check lists the damage; restore a backup"
    case .readOnly where error.plainHint == readOnlyFileHint: "make the file and its folder writable"
    case .busy: "end what else uses the file, and try again"
    case .sql where error.plainMessage == StatementFault.severalStatements: "run them one by one"
    default: error.plainHint.map { $0.replacing("option allow_lossy", with: "option --allow-lossy") }
    }
}

extension Encryption {
    /// Whose format the file has.
    var formatName: String { "SQLCipher \(compatibility.rawValue)" }
}
