import CormorantMacros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private let macros: [String: MacroSpec] = [
    "Model": MacroSpec(type: ModelMacro.self, conformances: ["Record"]),
    "Key": MacroSpec(type: PropertyMacro.self),
    "Column": MacroSpec(type: PropertyMacro.self),
    "References": MacroSpec(type: PropertyMacro.self),
    "Relation": MacroSpec(type: PropertyMacro.self),
    "Ignored": MacroSpec(type: PropertyMacro.self),
]

/// Expects the macros to make exactly this, without complaint.
func expectExpansion(_ source: String, _ expanded: String, location: Testing.SourceLocation = #_sourceLocation) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: macros, indentationWidth: .spaces(4),
        failureHandler: { Issue.record("\($0.message)", sourceLocation: location) })
}

/// What the macros say against the source.
func complaints(about source: String) -> [String] {
    let tree = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(sourceFiles: [tree: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    _ = tree.expand(
        macroSpecs: macros,
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        }, indentationWidth: .spaces(4))
    return context.diagnostics.map(\.message)
}
