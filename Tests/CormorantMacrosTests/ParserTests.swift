import Testing

@testable import CormorantMacros

/// What stands between properties, around them and in them does not hide one, and makes none.
struct ParserTests {
    private func properties(_ members: String) throws -> [String] {
        var parser = Parser(SourceText("struct S {\n\(members)\n}"))
        return try parser.declaration().members().compactMap { member in
            member.storedProperties.map { bindings in
                bindings.map { binding in
                    [binding.name?.text, binding.type.map { ": " + $0.text }, binding.value.map { " = " + $0.text }]
                        .compactMap(\.self).joined()
                }.joined(separator: ", ")
            }
        }
    }

    @Test(
        arguments: [
            ("var a = \"}\\(b(\"}\"))\"; var b = 1", ["a = \"}\\(b(\"}\"))\"", "b = 1"]),
            (
                "var a = #\"\\(\"\"#\nvar b = \"\"\"\n  }\"\\(\"}\")\n  \"\"\"",
                ["a = #\"\\(\"\"#", "b = \"\"\"\n  }\"\\(\"}\")\n  \"\"\""]
            ),
            ("var a: Foo<Bar<Int>>? // }\n/* { /* } */ */ var b: Int", ["a: Foo<Bar<Int>>?", "b: Int"]),
            ("var a = x\n    .y { $0 }\n    ?? z\nvar b: Int", ["a = x\n    .y { $0 }\n    ?? z", "b: Int"]),
            ("var a = 1 { didSet { } }\nvar b: Int { 1 }\nvar c: Int { get { 1 } }", ["a = 1"]),
            ("var a = f { } b: { }\nvar c = { 1 }()", ["a = f { } b: { }", "c = { 1 }()"]),
            ("static var a = 1\nfunc f() { var b: Int }\nstruct T { var c: Int }\nvar d: Int", ["d: Int"]),
            (
                "var a = x < y, b = f<Int>(1), c: (Int, Int) -> Void",
                ["a = x < y, b = f<Int>(1), c: (Int, Int) -> Void"]
            ),
            (
                "var a = /[\\/\"}]/\nvar b = x / y / z\nvar c = #/ \" } /#",
                ["a = /[\\/\"}]/", "b = x / y / z", "c = #/ \" } /#"]
            ),
            (
                "var a = if x { 1 } else { 2 }\nvar b = \\T.a?.b[0]\nvar `c d`: Int",
                ["a = if x { 1 } else { 2 }", "b = \\T.a?.b[0]", "`c d`: Int"]
            ),
            (
                "var a = x\n#if A\n.b\n#endif\nstatic func < (l: S, r: S) -> Bool { true }\n@A #if B\n@C\n#endif\nvar b: Int",
                ["a = x\n#if A\n.b\n#endif", "b: Int"]
            ),
        ])
    func storedPropertiesAreFound(_ members: String, _ expected: [String]) throws {
        #expect(try properties(members) == expected)
    }

    @Test(arguments: ["var a: Int\nwhat is this", "var a = ", "var a: ", "var a = \"", "func", "var a = (", "@"])
    func whatIsNotUnderstoodIsAnError(_ members: String) {
        #expect(throws: NotUnderstood.self) { try properties(members) }
    }

    @Test(
        arguments: [
            (#""a\tb\u{e9}\\""#, "a\tb\u{E9}\\"), (##"#"a\n\#n"b"#"##, "a\\n\n\"b"),
            ("\"\"\"\n    a\\\n    b\n     c\n    \"\"\"", "ab\n c"),
            ("\"\"\"\r\n  a\r\n  b\r\n  \"\"\"", "a\nb"), (#""a\(b)""#, nil), ("a", nil), (#""a" + "b""#, nil),
        ])
    func textIsWhatTheLiteralStandsFor(_ literal: String, _ text: String?) throws {
        var parser = Parser(SourceText(literal))
        #expect(try parser.expression().literalText == text)
    }
}
