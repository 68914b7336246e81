import CormorantBase
import CormorantPlatform
import CormorantSQLite

/// A graph drawn by Graphviz.
func graphviz(_ dot: String, _ format: String) throws -> [UInt8] {
    let folder = try temporaryFolder()
    defer {
        for name in ["in.dot", "out"] { removeFile("\(folder)/\(name)") }
        try? removeFolder(folder)
    }
    // From here on Ctrl-C must not leave the folder behind.
    Interruption.onRequest {}
    Interruption.expectLeavings()
    try writeText(dot, to: "\(folder)/in.dot")
    let status = try spawn(
        "dot", ["-T\(format)", "-o", "\(folder)/out", "\(folder)/in.dot"], of: "Graphviz's dot",
        hint: "install graphviz, or write --format mermaid or --format dot")
    try Interruption.check()
    guard status == 0, let bytes = try readBytes("\(folder)/out") else {
        throw CormorantError(
            .io, "Graphviz's dot failed with status \(status)", hint: "write --format dot and look at it")
    }
    return bytes
}

private func temporaryFolder() throws -> String {
    var template = Array("\(environment("TMPDIR") ?? "/tmp")/corm.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
        throw CormorantError(
            .cannotOpen, "no temporary folder can be made: \(String(cString: strerror(errno)))",
            hint: "set TMPDIR to a folder that can be written")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Runs a program of PATH to its end, with the signals that this one waits for given back to it.
func spawn(_ name: String, _ arguments: [String], of what: String, hint: String) throws -> Int32 {
    #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
    #else
        var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var pipes = sigset_t()
    sigemptyset(&pipes)
    sigaddset(&pipes, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &pipes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process = pid_t()
    let failure = posix_spawnp(&process, name, nil, &attributes, &words, environ)
    guard failure == 0 else {
        throw CormorantError(
            .cannotOpen, "\(what) cannot be run: \(String(cString: strerror(failure)))",
            hint: hint)
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
}
