import Testing

@testable import CormorantMacros

/// What the compiler asks is answered, whatever it is.
struct PluginTests {
    private func reply(to text: String) -> (code: String?, messages: [String]) {
        guard case .expansion(let code, let diagnostics) = Plugin.reply(to: Array(text.utf8)) else { return (nil, []) }
        return (code, diagnostics.map(\.message))
    }

    @Test func itsCapabilityIsTheVersionOfTheMessages() throws {
        let reply = Plugin.reply(to: Array(#"{"getCapability":{"capability":{"protocolVersion":9}}}"#.utf8)).json
        #expect(reply["getCapabilityResult"]?["capability"]?["protocolVersion"]?.integer == 7)
    }

    @Test(
        arguments: [
            #"{"expandFreestandingMacro":{"macro":{"typeName":"ModelMacro"}}}"#, #"{"loadPluginLibrary":{}}"#, "[]",
            "1",
            #"{"expandAttachedMacro":{"macro":{"typeName":"ModelMacro"},"macroRole":"body"}}"#,
        ])
    func whatItDoesNotKnowGetsAnAnswer(_ message: String) {
        let reply = reply(to: message)
        #expect(reply.code == "")
        #expect(reply.messages.count == 1 && reply.messages[0].contains("was asked what it does not know"))
    }

    @Test(arguments: ["", "{", "{}x", "\u{0}", #"{"a":"\u12"}"#, #"{"a" 1}"#, String(repeating: "[", count: 100_000)])
    func whatIsNoJSONGetsAnAnswer(_ message: String) {
        let reply = reply(to: message)
        #expect(reply.code == "")
        #expect(reply.messages.count == 1 && reply.messages[0].contains("cannot read the compiler's message"))
    }

    @Test(arguments: [
        "[", "(", "{", "<", "- ", "a ? ", "\"\\(", "try ", "#if A\n", "\n#if A\n@B ", "@A(", "a<", "\\", "f([", "/*",
        "`", ".b", "?", "()", "!",
    ])
    func whatIsNestedWithoutEndGetsAnAnswer(_ text: String) throws {
        let nested = String(repeating: text, count: text == "a<" ? 500 : 20_000)
        for members in ["var a = \(nested)", "var a: \(nested)", nested, "@Column(\(nested)"] {
            let syntax: (String) -> JSON = { .object(["source": .string($0)]) }
            let request: [String: JSON] = [
                "macro": .object(["typeName": .string("ModelMacro")]), "macroRole": .string("extension"),
                "attributeSyntax": syntax("@Model"), "declSyntax": syntax("struct S { \(members) }"),
            ]
            let message = JSON.object(["expandAttachedMacro": .object(request)]).encoded
            guard case .expansion("", let diagnostics) = Plugin.reply(to: message) else {
                Issue.record("\(members.prefix(20))")
                continue
            }
            #expect(!diagnostics.isEmpty)
        }
    }

    @Test func anErrorStandsWhereTheCompilerHasTheSource() {
        let message = """
            {"expandAttachedMacro":{"macro":{"typeName":"ModelMacro"},"macroRole":"extension","lexicalContext":[],
            "attributeSyntax":{"kind":"attribute","source":" @Model ","location":{"fileName":"/a.swift","offset":9}},
            "declSyntax":{"kind":"declaration","source":" @Model struct E { /* é */ let a: Int }",
            "location":{"fileName":"/a.swift","offset":9}}}}
            """
        let reply = Plugin.reply(to: Array(message.utf8)).json["expandMacroResult"]
        let error = reply?["diagnostics"]?.array?.first
        #expect(error?["position"]?["offset"]?.integer == 9 + 28)
        #expect(error?["position"]?["fileName"]?.string == "/a.swift")
        #expect(error?["highlights"]?.array?.first?["endOffset"]?.integer == 9 + 38)
        #expect(error?["severity"]?.string == "error")
    }

    @Test func jsonIsReadAsItIsWritten() throws {
        let text = #"{"a":[1,-2.5e3,true,false,null,"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000é"], "b" : {} }"#
        let value = try JSONReader.read(Array(text.utf8))
        let elements: [JSON] = [
            .number(1), .number(-2500), .boolean(true), .boolean(false), .null,
            .string("\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}\u{0}\u{E9}"),
        ]
        #expect(value == .object(["a": .array(elements), "b": .object([:])]))
        #expect(try JSONReader.read(value.encoded) == value)
    }
}
