import ArgumentParser
import CormorantBase
import CormorantCipher
import CormorantEngine
import CormorantPlatform
import CormorantSQLite
import CormorantThreads

/// Shows files in the browser.
struct Studio: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show files in the browser: rows, relations, changes as they happen, a diagram, SQL and health.",
        discussion: """
            It serves one page at 127.0.0.1, to one browser on this machine: the address that it prints has a secret, and can be \
            opened once. Files are opened for reading only, unless --write is given. An encrypted file asks for its key in the \
            page. Ctrl-C ends it.
            """)

    private static let most = 20

    @Argument(help: "The SQLite files; without any those of the current folder.", completion: .file())
    var files: [String] = []

    @OptionGroup var keys: KeyOptions

    @Flag(help: "Let the page change the files.")
    var write = false

    @Option(help: "The port; without it one that is free.")
    var port = 0

    @Flag(help: "Open the page in the browser of the desktop.")
    var open = false

    @Flag(help: "End when standard input is closed, as it is when the program ends that started it.")
    var untilClosed = false

    @Option(help: "The folder of the bundle that the first file is to have the steps of.", completion: .directory)
    var bundle: String?

    @Option(
        help: "The schema that the first file is to have: a script of CREATE statements, or another file.",
        completion: .file())
    var schema: String?

    #if DEBUG
        @Option(help: .private)
        var page: String?
    #endif

    func validate() throws {
        guard 0...65_535 ~= port else { throw ValidationError("a port is a number from 0 to 65535") }
        guard bundle == nil || schema == nil else {
            throw ValidationError("--bundle and --schema both say where the file is to get; give one")
        }
        let places = (files + [schema].compactMap { $0 }).map { realPath($0) ?? $0 }
        guard Set(places).count == places.count else {
            throw ValidationError("a file is given twice")
        }
        guard files.count <= Self.most else { throw ValidationError("\(Self.most) files at most are shown at once") }
    }

    func run() throws {
        let files = files.isEmpty ? try databasesHere() : files
        let session = StudioSession(files, isWritable: write, target: schema ?? bundle, isBundle: bundle != nil, keys)
        for (place, path) in files.enumerated() { try open(path, session.files[place]) }
        let server = try HTTPServer(port: port)
        let access = StudioAccess(port: server.port)
        let interface = StudioInterface(session, access)
        #if DEBUG
            interface.folder = page
        #endif
        // A browser that is started, and all else, comes after the address, which programs wait for.
        try Output.standard.line(access.url)
        try Output.standard.flush()
        Interruption.onRequest {}
        if untilClosed {
            try BackgroundThread {
                var byte: UInt8 = 0
                while read(0, &byte, 1) > 0 || errno == EINTR {}
                kill(getpid(), SIGTERM)
            }.detach()
        }
        if open { openInBrowser(access.url) }
        server.run(isOver: { Interruption.isRequested }, refusal: access.refusal, answer: interface.answer)
    }

    private func databasesHere() throws -> [String] {
        let found = try folderEntries(".").filter { fileHead($0).kind == .database }
        guard !found.isEmpty else {
            throw CormorantError(
                .misuse, "there is no SQLite file in this folder", hint: "give the path of one: corm studio app.db")
        }
        return Array(found.prefix(Self.most))
    }

    /// A file that is encrypted, and for which no key is given, stays locked until the page gives it.
    private func open(_ path: String, _ file: StudioFile) throws {
        guard !path.hasPrefix("postgresql://"), !path.hasPrefix("postgres://") else {
            throw CormorantError(
                .unsupported, "corm studio shows SQLite files, and this is the URL of a server",
                hint: "give the path of a file")
        }
        try refuseMissing(path)
        try refuseNoDatabase(path, .view)
        if let key = try keys.givenKey() { return try file.unlock(keys.encryption(key)) }
        guard fileHead(path).kind != .cipher, keys.settings.isEmpty else { return }
        try file.unlock(nil)
    }

    private func realPath(_ path: String) -> String? {
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        return resolved.map { String(cString: $0) }
    }

    private func openInBrowser(_ url: String) {
        #if canImport(Darwin)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        let hint = "open the address yourself"
        if (try? spawn(program, [url], of: "a browser", hint: hint)) != 0 {
            Output.error("corm: no browser could be started; \(hint)\n")
        }
    }
}
