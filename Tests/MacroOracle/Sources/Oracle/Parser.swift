import SwiftParser
import SwiftSyntax

/// The parser of the plug-in once more, over swift-syntax.
struct Parser {
    private let source: SourceText
    private var parser: SwiftParser.Parser

    init(_ source: SourceText) {
        self.source = source
        parser = SwiftParser.Parser(String(decoding: source.bytes, as: UTF8.self))
    }

    mutating func attribute() throws(NotUnderstood) -> Attribute {
        Converter(source).attribute(AttributeSyntax.parse(from: &parser))
    }

    mutating func declaration() throws(NotUnderstood) -> Declaration {
        let node = DeclSyntax.parse(from: &parser)
        let declaration = Converter(source).declaration(node)
        // An accessor, for one, which is none by itself.
        if node.is(MissingDeclSyntax.self) { throw NotUnderstood(range: declaration.range) }
        return declaration
    }

    mutating func type() throws(NotUnderstood) -> TypeReference {
        Converter(source).type(TypeSyntax.parse(from: &parser))
    }
}

extension Declaration {
    /// Of the outermost declaration of a source, which is all that macros ask for.
    func members() throws(NotUnderstood) -> [Declaration] {
        guard let body else { return [] }
        var parser = SwiftParser.Parser(String(decoding: body.source.bytes, as: UTF8.self))
        let members = DeclSyntax.parse(from: &parser).asProtocol((any DeclGroupSyntax).self)?.memberBlock.members
        let converter = Converter(body.source)
        return (members ?? []).map { converter.declaration($0.decl) }
    }
}

extension Expression {
    var literalText: String? {
        var parser = SwiftParser.Parser(text)
        return ExprSyntax.parse(from: &parser).as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }
}
