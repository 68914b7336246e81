import Foundation
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// What the compiler would ask of a macro that stands somewhere in a file.
struct Request {
    let message: Data
    /// To find it by: the file and the line.
    let place: String
    /// Whether the file is Swift at all.
    let isRight: Bool
}

/// The requests for all macros of the project in a source file.
func requests(in source: String, file: String) -> [Request] {
    let tree = Parser.parse(source: source)
    let finder = MacroFinder(file: file, tree: tree)
    finder.walk(tree)
    return finder.requests
}

private final class MacroFinder: SyntaxVisitor {
    private(set) var requests: [Request] = []
    private let file: String
    private let converter: SourceLocationConverter

    init(file: String, tree: SourceFileSyntax) {
        self.file = file
        converter = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.attributeName.as(MemberTypeSyntax.self)?.name.text ?? node.attributeName.trimmedDescription
        guard ["Model", "Key", "Column", "References", "Relation", "Ignored"].contains(name),
            let declaration = declaration(of: node)
        else { return .visitChildren }
        for role in name == "Model" ? ["member", "extension"] : ["peer"] {
            requests.append(request(name, role, node, declaration))
        }
        return .visitChildren
    }

    private func declaration(of node: AttributeSyntax) -> DeclSyntax? {
        var parent = node.parent
        while let current = parent, !current.is(DeclSyntax.self) || current.is(IfConfigDeclSyntax.self) {
            parent = current.parent
        }
        return parent?.as(DeclSyntax.self)
    }

    private func request(
        _ name: String, _ role: String, _ node: AttributeSyntax, _ declaration: DeclSyntax
    ) -> Request {
        var body: [String: Any] = [
            "macro": [
                "moduleName": "CormorantMacros", "name": name,
                "typeName": name == "Model" ? "ModelMacro" : "PropertyMacro",
            ],
            "macroRole": role, "discriminator": "", "attributeSyntax": syntax(node, "attribute"),
            "declSyntax": syntax(declaration, "declaration"),
            "lexicalContext": declaration.allMacroLexicalContexts().compactMap(context),
        ]
        if role == "extension", let type = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text {
            body["extendedTypeSyntax"] = text(type, "type")
            body["conformanceListSyntax"] = text("struct Placeholder: Record {}", "declaration")
        }
        let message = try? JSONSerialization.data(withJSONObject: ["expandAttachedMacro": body])
        let line = converter.location(for: node.positionAfterSkippingLeadingTrivia).line
        return Request(
            message: message ?? Data(), place: "\(file):\(line) (\(role))", isRight: !declaration.root.hasError)
    }

    private func context(_ node: Syntax) -> [String: Any]? {
        if node.is(DeclSyntax.self) { return text(node.description, "declaration") }
        if node.is(ExprSyntax.self) { return text(node.description, "expression") }
        return nil
    }

    private func syntax(_ node: some SyntaxProtocol, _ kind: String) -> [String: Any] {
        [
            "kind": kind, "source": node.description,
            "location": [
                "fileID": "Test/\(file)", "fileName": file, "offset": node.position.utf8Offset, "line": 1, "column": 1,
            ],
        ]
    }

    private func text(_ source: String, _ kind: String) -> [String: Any] {
        [
            "kind": kind, "source": source,
            "location": ["fileID": "", "fileName": "", "offset": 0, "line": 0, "column": 0],
        ]
    }
}

/// The Swift in a page of Markdown, a piece each.
func swiftBlocks(in page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst().map { block in
        block.components(separatedBy: "\n```").first ?? ""
    }
}
