import CormorantBase
import CormorantQuery

/// Writes models for a schema.
package struct Generator {
    /// What was generated, and what is to be known of it.
    package struct Outcome {
        /// Paths in the folder: those that were written; in a check those that are to be.
        package var changed: [String]
        /// How many files there are in all.
        package var count: Int
        /// Paths of files that an earlier run made and this one does not.
        package var leftOver: [String]
        /// Names that were changed, and what models cannot say.
        package var notes: [String]
    }

    private let files: [OutputFile]
    private let notes: [String]
    private let folder: OutputFolder
    /// What the first line of a file has in it that is made with the same options; others may share the folder.
    private let mark: String

    /// - Parameters:
    ///   - source: what the schema was read from, for the header.
    ///   - name: of the generated code as a whole: of a module, a header, an enum.
    ///   - prefix: what types, functions and constants of C begin with.
    ///   - hasEnums: a text whose CHECK lists its values is an enum.
    ///   - templates: a folder of the user's own; nil: those that come with the command.
    package init(
        _ metadata: Metadata, source: String, language: Language, name: String = "models", prefix: String = "",
        hasEnums: Bool = false,
        templates: String? = nil, into folder: String
    ) throws {
        let words = Words(name)
        guard !words.isEmpty, !words.startsWithDigit, words.snake == name else {
            throw CormorantError(
                .misuse, "\"\(name)\" is no name for the generated code",
                hint: "use small letters, digits and underscores, a letter first")
        }
        if language == .c, words.parts[0] == "corm" || cHeaders.contains(name) {
            throw CormorantError(
                .misuse, "\"\(name).h\" would take the place of another header",
                hint: "give the code another name with --name")
        }
        try Self.check(prefix: prefix, language)
        var sketch = Sketch(metadata, language, hasEnums: hasEnums)
        guard !sketch.models.isEmpty else {
            let reason = sketch.notes.isEmpty ? "" : "; " + sketch.notes.joined(separator: "; ")
            throw CormorantError(
                .misuse, "\(source) has no table to write a model for\(reason)", hint: "check that it is the right one")
        }
        let naming = Naming(sketch, language, name: name, prefix: prefix)
        sketch.name(enums: naming.enums)
        let made = templates == nil ? "" : ", with templates of its own"
        let options =
            (name == "models" ? "" : " --name \(name)") + (prefix.isEmpty ? "" : " --prefix \(prefix)")
            + (hasEnums ? " --enums" : "")
        mark = "Made by corm generate --language \(language.rawValue)\(options) from "
        let header = commentText("\(mark)\(source)\(made); changes here are lost when it is made again.")
        let context = Context(sketch, naming, language, name: name).keys(header: header)
        let files = try (templates.map(Templates.init(folder:)) ?? Templates(builtIn: language)).render(context)
        var seen = Set<String>()
        for file in files where !seen.insert(file.path.lowercased()).inserted {
            throw CormorantError(
                .misuse, "two templates or tables make the file \"\(file.path)\"", hint: "name files by table.type")
        }
        self.files = files
        self.folder = OutputFolder(path: folder)
        notes =
            sketch.notes + naming.notes
            + sketch.models.flatMap { model in model.notes.map { "table \(quoteIdentifier(model.table.name)): \($0)" } }
    }

    private static func check(prefix: String, _ language: Language) throws {
        guard !prefix.isEmpty else { return }
        guard language == .c else {
            throw CormorantError(
                .misuse, "a prefix is for the names of C", hint: "leave it out: \(language.rawValue) has modules")
        }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let isName = prefix.utf8.allSatisfy { byte in
            letters.contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isName, prefix.utf8.first.map(letters.contains) == true else {
            throw CormorantError(
                .misuse, "\"\(prefix)\" is no prefix of names",
                hint: "use small letters, digits and underscores, a letter first, such as music_")
        }
        // The standard keeps names that begin so, and a small letter behind it, for its library.
        if prefix.hasPrefix("corm_") || ["corm", "str", "mem", "wcs", "is", "to"].contains(prefix) {
            throw CormorantError(
                .misuse, "names that begin with \"\(prefix)\" are the library's or those of the C standard",
                hint: "choose another prefix, such as the program's name and an underscore")
        }
    }

    /// Writes the files that are not as they should be.
    package func write() throws -> Outcome { outcome(try folder.write(files)) }

    /// Changes nothing.
    package func check() -> Outcome { outcome(folder.stale(files)) }

    private func outcome(_ changed: [String]) -> Outcome {
        Outcome(changed: changed, count: files.count, leftOver: folder.leftOver(files, mark), notes: notes)
    }
}
