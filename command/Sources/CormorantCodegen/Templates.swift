import CormorantBase
import Foundation
import PathKit
import Stencil

/// Templates that are rendered together. The path of each is itself a template: with `table` in it, the file is made once
/// for each table, else once for all of them.
struct Templates {
    struct File {
        let path: String
        let text: String
    }

    let files: [File]
    private let environment: Environment

    /// Those that come with the command.
    init(builtIn language: Language) {
        files = language.templates.map { File(path: $0.path, text: Self.withoutTagLines($0.text)) }
        environment = Environment(
            loader: DictionaryLoader(templates: Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) })))
    }

    /// A tag that stands alone on its line leaves no line. Stencil's own trimming does the same each time that a text is
    /// rendered, with regular expressions, which takes longer than all else.
    private static func withoutTagLines(_ template: String) -> String {
        template.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
            let tag = line.drop { $0 == " " }
            return tag.hasPrefix("{%") && tag.hasSuffix("%}") ? String(tag) : line + "\n"
        }.joined()
    }

    private static let suffix = ".stencil"

    /// The files of a folder that end in `.stencil`. One whose name begins with `_` is there for others to include.
    init(folder: String) throws {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CormorantError(.cannotOpen, "there is no folder \"\(folder)\" of templates", hint: "check the path")
        }
        let paths = (manager.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted()
        files = try paths.filter { path in
            path.hasSuffix(Self.suffix) && !(path as NSString).lastPathComponent.hasPrefix("_")
        }.map { path in
            guard let data = manager.contents(atPath: folder + "/" + path),
                let text = String(data: data, encoding: .utf8)
            else {
                throw CormorantError(
                    .cannotOpen, "the template \"\(folder)/\(path)\" cannot be read", hint: "it must be a text in UTF-8"
                )
            }
            return File(path: String(path.dropLast(Self.suffix.count)), text: text)
        }
        guard !files.isEmpty else {
            throw CormorantError(
                .cannotOpen, "the folder \"\(folder)\" has no template",
                hint: "name templates as the files they make, with .stencil behind: {{table.type}}.swift.stencil")
        }
        environment = Environment(loader: FileSystemLoader(paths: [Path(folder)]))
    }

    /// What the templates make, in the order of the paths.
    func render(_ context: [String: Any]) throws -> [OutputFile] {
        var outputs: [OutputFile] = []
        for file in files {
            let template = Template(
                templateString: file.text, environment: environment, name: file.path + Self.suffix)
            let name = Template(templateString: file.path, environment: environment, name: file.path + Self.suffix)
            guard file.path.contains("table") && file.path.contains("{{") else {
                outputs.append(try output(file, name, template, context))
                continue
            }
            for table in context["tables"] as? [Any] ?? [] {
                outputs.append(try output(file, name, template, context.merging(["table": table]) { $1 }))
            }
        }
        return outputs
    }

    private func output(
        _ file: File, _ name: Template, _ template: Template, _ context: [String: Any]
    ) throws -> OutputFile {
        do {
            // A part at a time: a name of the file must not become a folder.
            let parts = try file.path.split(separator: "/").map { part in
                try Template(templateString: String(part), environment: environment).render(context)
            }
            return try OutputFile(path: parts, text: template.render(context))
        } catch let error as TemplateSyntaxError {
            throw located(error, file.path + Self.suffix)
        } catch let error as TemplateDoesNotExist {
            throw CormorantError(
                .misuse, "\(file.path)\(Self.suffix): \(error)", hint: "check the name of what is included")
        }
    }

    private func located(_ error: TemplateSyntaxError, _ path: String) -> CormorantError {
        let token = error.token
        let line = token.map { ":\($0.sourceMap.location.lineNumber)" } ?? ""
        let column = token.map { ":\($0.sourceMap.location.lineOffset + 1)" } ?? ""
        let what = error.reason.split(separator: "\n").joined(separator: " ")
        return CormorantError(
            .misuse, "\(token?.sourceMap.filename ?? path)\(line)\(column): \(what)",
            hint: "mend the template; docs/generate.md lists what it is given")
    }
}
