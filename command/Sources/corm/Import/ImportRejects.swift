import CormorantBase

/// Records that were not imported: the first are told on standard error, all are in the report.
struct ImportRejects {
    private static let shown = 10

    private(set) var count = 0
    private var lines: [String] = []
    /// Written beside where it is to stand, so that it is whole or not there.
    private let report: OutputFile?

    /// - Parameter inputs: files that the report must not be.
    init(path: String?, besides inputs: [String]) throws {
        report = try path.map { try OutputFile($0, besides: inputs) }
        try report?.output.write("line,reason,record\n")
    }

    mutating func add(_ reader: any RecordReader, _ reason: String) throws {
        count += 1
        if count <= Self.shown { lines.append("line \(reader.line): \(reason)") }
        guard let report else { return }
        var text = reader.text
        while let last = text.last, last == 0x0A || last == 0x0D {
            text = UnsafeBufferPointer(rebasing: text.dropLast())
        }
        var line = Array("\(reader.line),".utf8)
        appendCSV(reason.utf8, to: &line)
        line.append(UInt8(ascii: ","))
        // Whatever the bytes are, the report is text.
        appendCSV(String(decoding: text, as: UTF8.self).utf8, to: &line)
        line.append(0x0A)
        try report.output.write(bytes: line)
    }

    /// Before the records are in the file for good: a report that finds no room fails the import.
    func flush() throws { try report?.output.flush() }

    /// After the records are in the file.
    func finish() throws {
        try report?.finish()
        guard count > 0 else { return }
        let style = Style(of: .error)
        for line in lines { Output.error("\(style.yellow("rejected:")) \(line)\n") }
        if count > lines.count { Output.error("and \(count - lines.count) more\n") }
    }
}
