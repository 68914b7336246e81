import ArgumentParser
import CormorantBase

extension ExitCode {
    /// Done, and there is something to see to.
    static let findings = ExitCode(2)
    /// The file is damaged.
    static let damaged = ExitCode(3)
    static let interrupted = ExitCode(130)
    /// Of a program that a closed pipe ends, as shells count it.
    static let outputClosed = ExitCode(141)
}

/// Says on standard error what went wrong and what to do.
/// - Returns: the exit status.
func report(_ error: any Error) -> Int32 {
    if error is OutputClosed { return ExitCode.outputClosed.rawValue }
    // What was found before the failure is shown first.
    do { try Output.standard.flush() } catch let failure { return failed(failure) }
    switch error {
    case let code as ExitCode: return code.rawValue
    case let error as CormorantError: return failed(error)
    default: return failed(parsing: error)
    }
}

private func failed(_ error: any Error) -> Int32 {
    guard let error = error as? CormorantError else { return ExitCode.outputClosed.rawValue }
    if Interruption.isRequested, error.code == .interrupted {
        printError("interrupted", hint: error.plainHint)
        return ExitCode.interrupted.rawValue
    }
    var text = visible(error.plainMessage)
    if let sql = error.sql, let offset = error.offset { text += "\n" + place(offset, in: sql) }
    printError(text, hint: advice(for: error).map { visible($0) })
    return ExitCode.failure.rawValue
}

/// What the argument parser throws: mistakes, and the texts of --help and --version.
private func failed(parsing error: any Error) -> Int32 {
    let code = Command.exitCode(for: error)
    // Of several lines are the usage and the help, not what was given.
    let text = CommandLine.arguments.filter { $0.utf8.contains(0x0A) }
        .reduce(Command.fullMessage(for: error)) { $0.replacing($1, with: visible($1)) }
    if code == .success {
        do {
            try Output.standard.line(text)
            try Output.standard.flush()
        } catch {
            return ExitCode.outputClosed.rawValue
        }
        return code.rawValue
    }
    let prefix = "Error: "
    printError(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text, hint: nil)
    return code.rawValue
}

private func printError(_ message: String, hint: String?) {
    let style = Style(of: .error)
    Output.error("\(style.red("corm:")) \(withoutPasswords(message))\n")
    if let hint { Output.error("\(style.bold("hint:")) \(withoutPasswords(hint))\n") }
}

/// The line of the SQL with the byte at `offset`, and a mark under that.
private func place(_ offset: Int, in sql: String) -> String {
    let bytes = Array(sql.utf8)
    let offset = min(offset, bytes.count)
    let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let end = bytes[offset...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    let before = visible(String(decoding: bytes[start..<offset], as: UTF8.self))
    let line = before + visible(String(decoding: bytes[offset..<end], as: UTF8.self))
    return "  \(line)\n  \(String(repeating: " ", count: displayWidth(before)))^"
}
