import Testing

@testable import CormorantMacros

/// A program as the compiler sees it that asks the plug-in to expand each macro of ours in it.
struct Program {
    private let source: SourceText
    /// What to write at which byte, in place of so many.
    private var edits: [(range: Range<Int>, text: String)] = []
    private var extensions = ""
    private(set) var complaints: [String] = []

    init(_ text: String) throws {
        source = SourceText(text)
        var parser = Parser(source)
        while parser.token.kind != .end { try expand(try parser.declaration(), in: []) }
    }

    /// The program with what the macros make in place of them.
    var expanded: String {
        var bytes = source.bytes
        for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: edit.text.utf8) }
        return String(decoding: bytes, as: UTF8.self) + extensions
    }

    /// - Parameter context: what the declaration stands in, the innermost first.
    private mutating func expand(_ declaration: Declaration, in context: [JSON]) throws {
        var members = ""
        for attribute in declaration.attributes where macroNames.contains(attribute.name) {
            let end = source.bytes[attribute.range.bytes.upperBound...].firstIndex { $0 != .space && $0 != .newline }
            edits.append((attribute.range.bytes.lowerBound..<(end ?? attribute.range.bytes.upperBound), ""))
            guard attribute.name == "Model" else {
                try ask("peer", attribute, declaration, context)
                continue
            }
            members += try ask("member", attribute, declaration, context)
            let code = try ask("extension", attribute, declaration, context)
            if !code.isEmpty { extensions += "\n\n" + code }
        }
        guard let body = declaration.body else {
            if case .conditional(let inner) = declaration.kind { for each in inner { try expand(each, in: context) } }
            return
        }
        let start = declaration.range.bytes.lowerBound
        let header = SourceRange(source: source, bytes: start..<body.bytes.lowerBound).text
        for member in try declaration.members() {
            try expand(member, in: [syntax("declaration", header + "{}")] + context)
        }
        if !members.isEmpty {
            let lines = members.split(separator: "\n", omittingEmptySubsequences: false)
            let indented = lines.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
            edits.append((body.bytes.upperBound - 1..<body.bytes.upperBound - 1, "\n" + indented))
        }
    }

    /// - Returns: the code that the plug-in answers.
    @discardableResult
    private mutating func ask(
        _ role: String, _ attribute: Attribute, _ declaration: Declaration, _ context: [JSON]
    ) throws -> String {
        let macro = attribute.name == "Model" ? "ModelMacro" : "PropertyMacro"
        var request: [String: JSON] = [
            "macro": .object(["typeName": .string(macro)]), "macroRole": .string(role),
            "attributeSyntax": syntax("attribute", attribute.range.text),
            "declSyntax": syntax("declaration", declaration.range.text), "lexicalContext": .array(context),
        ]
        if role == "extension" {
            request["extendedTypeSyntax"] = syntax("type", try #require(declaration.name).text)
            request["conformanceListSyntax"] = syntax("declaration", "struct Placeholder: Record {}")
        }
        let reply = Plugin.reply(to: JSON.object(["expandAttachedMacro": .object(request)]).encoded)
        guard case .expansion(let code, let diagnostics) = reply else { throw NoExpansion() }
        complaints += diagnostics.map(\.message)
        return code
    }

    private struct NoExpansion: Error {}

    private func syntax(_ kind: String, _ text: String) -> JSON {
        .object(["kind": .string(kind), "source": .string(text)])
    }
}

/// Expects the macros to make exactly this, without complaint.
func expectExpansion(_ source: String, _ expanded: String, location: Testing.SourceLocation = #_sourceLocation) {
    do {
        let program = try Program(source)
        #expect(program.expanded == expanded, sourceLocation: location)
        #expect(program.complaints == [], sourceLocation: location)
    } catch {
        Issue.record(error, sourceLocation: location)
    }
}

/// What the macros say against the source.
func complaints(about source: String) throws -> [String] { try Program(source).complaints }
