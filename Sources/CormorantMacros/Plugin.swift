import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct CormorantPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [ModelMacro.self, PropertyMacro.self]
}
