/// What odd declarations are made of.
enum OddParts {
    static let heads = [
        "", "", "/// It's \"odd\"\n", "@available(macOS 13, *) ", "@available(*, deprecated, message: \"no\") // x\n",
        "/* /* } */ */ ",
    ]
    static let gaps = [" ", " ", " ", "\n", " // @Key {\n", " /* } */ ", "\t"]
    static let access = ["", "", "public ", "package ", "internal ", "fileprivate ", "private "]
    static let kinds = [
        "struct", "struct", "struct", "struct", "struct", "struct", "struct", "final class", "enum", "actor",
    ]
    static let typeNames = ["Entry", "`Type`", "Ärger", "A_1", "`my entry`"]
    static let clauses = [
        "", "", "", "", ": Sendable", ": Codable, Sendable", ": ~Copyable", ": Base & Other, @unchecked Sendable",
        "<T>",
        "<T: Hashable, each U> where T: Equatable, T.Element == Int", ": nonisolated Hashable",
    ]
    static let tails = ["", " // end", "\n/* end */"]
    static let surroundings: [(before: String, after: String)] = [
        ("", ""), ("", ""), ("", ""), ("import A\nlet s = #\"\\(\"#\n", "\nstruct Next {}\n"),
        ("enum Space {\n    ", "\n}\n"),
        ("public extension Space.Inner where T == Int {\n", "\n}"), ("struct Outer<T> { enum Inner { ", " } }"),
        ("func f() { let c = { x in\n", "\n} }"), ("struct S { var v: Int { get { ", "; return 1 } } }"),
        ("actor A { init() { ", " } }"), ("extension A { private class B { ", " } }"),
        ("extension [Int] { static subscript(i: Int) -> Int { ", "\nreturn 1 } }"),
    ]
    static let modelArguments = [
        "", "", "", "()", "(table: \"t\")", "(table: nil)", "(table: #\"a\\n\"b\"#, strict: true)",
        "(table: \"a\\(b)\", withoutRowID: true)",
        "(keys: [.unique(\"a\", \"b\"), .index(\"-b\")])", "(keys: [.primary(\"a\", \"number\")])",
        "(keys: [.primary(\"a\")], seed: \"\"\"\n  INSERT \\\n  INTO\n    x\n  \"\"\")",
        "(keys: all)", "(keys: [])", "(keys: [KeyDescriptor.unique(\"a\"),\n  foo])",
        "(columnOrder: [\"b\", \"zzz\" + \"\", name])",
        "(renamedFrom: \"entries\", allowDrop: [\"a\", \"b\", \"old\"],)", "(renamedFrom: \"entry\")",
        "(checks: [\"a > \\u{30}\", #\"b = '\\#(1)'\"#], references: [.init([\"a\"], \"t\", [\"b\"])])",
        "(module: ModuleSchema(\"fts5\", arguments: [\"x\": 1]))", "( /* a */ table : \"t\" /* b */ , strict: !false )",
        "(keys: [.unique(\"a\", \"b\", name: \"k\"), .index(\"a\", where: \"a > 1\")], columnOrder: [\"a\"])",
        "(table: cond ? \"a\" : \"b\")",
        "(keys: [.primary(\"a\", \"b\"), .primary(\"number\", \"c\")])", "(table: \"a\", seed: { \"}\" }())",
    ]
    static let attributes = [
        "", "", "", "@Key", "@Key(autoIncrement: true)", "@Key(autoIncrement: false)", "@Column", "@Column(\"a\")",
        "@Column(\"A\", unique: true, check: \"a > ')'\")",
        "@Column(length: 40, default: \"'\\\"'\")", "@Column(computed: \"a || b\")", "@Column(renamedFrom: \"b\")",
        "@Column(renamedFrom: \"former\", convert: #\"x\"y\"#)",
        "@Column(nil, notNull: nil)", "@References(\"t\", onDelete: .cascade)",
        "@References(\"t\", column: \"x\" , onUpdate: ForeignKeyAction.setNull)", "@Cormorant.References( \"t\" )",
        "@Relation", "@Relation(\"aID\", removed: .delete)", "@Relation(through: Link.self, to: [\"x\"])",
        "@Relation(through: [Link].self)", "@Relation(through: Link)", "@Relation(through: nil)",
        "@Relation(through: Space.Link<Int>.self)", "@Ignored", "@Ignored()", "@Published",
        "@Wrapper<Int>(1) @MainActor", "@available(macOS 14, *)", "@available(*, deprecated)",
        "@Other(closure: { $0 > \")\" })", "@objc(a:b:)",
        "@Column(collate: \"NOCASE\", json: \"k\")", "@Column(json: \"\"\"\n    \"quoted\"\n    \"\"\")",
        "@Column(default: \"\\u{41}\", indexed: true)",
    ]
    static let modifiers = [
        "", "", "", "", "", "public ", "private(set) ", "static ", "lazy ", "weak ", "unowned(unsafe) ",
        "nonisolated(unsafe) ", "public internal(set) ", "private ", "fileprivate( set ) public ",
        "final ", "override ", "package private(set) ",
    ]
    static let names = [
        "a", "b", "c", "number", "`class`", "`default`", "recordSource", "größe", "homeURL", "_x", "(a, b)", "_", "get",
        "open", "type", "`self`", "`let`", "`_`",
    ]
    static let types = [
        "Int", "Int64?", "Int64!", "String", "String!", "[UInt8]", "[UInt8]?", "[Int]", "[String: Int]", "(Int, Int)",
        "(Int)",
        "((Int))?", "() -> Void", "(() -> Void)?", "@Sendable (Int) async throws -> [String]",
        "any P", "(any P)?", "some P", "Set<Int>", "Dictionary<String, [Int]>", "Swift.Set<Int>", "Foo<Bar<Int>>",
        "Foo<Bar<Int>>?", "Array<Array<Int>>.Element", "A.B.C", "Optional<Int>", "ToOne<Artist>",
        "ToMany<Album>", "Cormorant.ToOne<Artist>", "ToMany<A.B<C>>", "JSON<[String]>", "Any", "AnyObject", "A & B",
        "Int.Type", "Foo.Protocol", "[[UInt8]]", "[UInt8 /* bytes */]", "( a: Int, b: String )", "Self.ID",
        "[3 of Int]", "InlineArray<3, Int>", "Foo<(Int) -> Void>",
        "(Int) throws(E) -> Void", "Foo<\n  Int,\n  String\n>", "~Copyable", "`Type`", "UUID??", "_",
        "nonisolated(nonsending) () async -> Void", "Foo<Int>.Bar<String>?", "Größe", "Result<Int, any Error>",
        "[String: [Int]]?", "Int?!", "Optional<Int?>", "((Int?)?)", "[Hidden: Int]", "Foo<-1>", "sending Int",
    ]
    static let values = [
        "1", "-1", "1_000", "0xFF", "0b1", "1.5", "-1.5e-3", "0x1p3", "1...2", "\"\"", "\"a\\(b + \"c\\(d)\")\"",
        "#\"\\(\"\"#", "#\"\"\"#", "\"\"\"\n  { \" \\(f(\"}\")) \"\"\\\"\n  \"\"\"", "true", "false", "nil", "[]",
        "[:]", "[1, 2,]",
        "[\"a\": 1]", "ToOne<Artist>.notLoaded", "ToMany<Album>()", "Cormorant.ToMany<Album>.notLoaded",
        "ToOne<Artist>", "Artist.none", "Date()", "1 + 2", "a ?? b", "a ? b : c", "a\n        ? b\n        : c",
        "a\n    .b()\n    .c", "a\n  + b", "try! f()",
        "try? await g()", "{ 1 }()", "{ x in x }", "f { $0 }", "f(1) { a } b: { c }", "f { a }.g", "f<Int>(1)", "a < b",
        "(a < b, c > d)", "f(a < b, c > (d))", "x as Int", "x as? [String: Int]", "x is Foo<Int>", "x as! Int?",
        "\\Foo.bar", "\\.a?.b[0]!", "\\[Int].count",
        "if a { 1 } else if b { 2 } else { 3 }", "switch x { case 1: \"}\"; default: \"a\" }",
        "#/a\"/b/#", "x / y / z", "#line", "#selector(f(a:b:))", "#macro(1) { 2 }", "f(a:b:)", ".init(a: 1)",
        ".some(.none)", "a[1](2)", "a!", "a?.b!.c", "a++", "&a", "!a", "~a",
        "x.0.1", "x.self", "Foo<Int>.self", "[Int]()", "[String: Int]()", "(1, \"a\")", "(1)", "a = b", "f(+)",
        "f(x, by: <)", "[1, 2].reduce(0, +)", "await x", "copy x", "consume x", "copy", "unsafe f()",
        "each x", "any P", "(any P).self", "x\n    as? Int",
        "f\n    // comment with \" and {\n    .g()", "a // .b\n    .c", "a /* } */ .b", "Foo { get }",
        "a\n#if DEBUG\n    .b()\n#else\n    .c { }\n#endif", "√x", "a • b", "\"é\" + \"\\u{1F600}\"", "\"a\" as String",
        "-x", "-\"a\"", "--1", "-(-1)", "+1", "1.0.description", "1.f", "nil as Int?",
        "Foo::Bar", "`self`", "/a[\\/)]b\\/c/", "f(a: &x)", "{ (a: Int) -> Int in a }(1)", "{ [weak self] in self }",
        "f() as (Int) -> Void",
        "() -> Int", "[Int].self", "repeat each x", "a...", "...a", "a..<b", "a.b...", "a<b>c", "a < b > c",
        "f<a, b>(c)", "f < a, b > (c)", "Foo<A, B>\n", "f?(1)", "a ?b :c",
    ]
    static let accessors = [
        "", "", "", "", " { 1 }", " { get { 1 } set { } }", " { didSet { } }",
        " {\n willSet(x) { a }\n @A didSet { b }\n}", " { get async throws { 1 } }",
        " { mutating get { 1 } nonmutating set(v) {} }", " {}", " { return \"}\" }",
        " { @storageRestrictions(initializes: b) init(x) {} get { 1 } }",
        " { _read { yield a } _modify { yield &a } }", "\n{ 1 }", " { get }", " { if true { 1 } else { 2 } }",
        " { // didSet\n 1 }", " { getter }",
    ]
    static let observers = [
        "", "", "", "", "", " { didSet { } }", " { willSet { a } didSet(old) { b } }", "\n{ didSet {} }",
        " { @A didSet { } }", " // {",
    ]
    static let others = [
        "func f<T>(_ a: T, b: Int = 1) async throws(E) -> [T] where T: P { \"}\" }",
        "static func == (l: Self, r: Self) -> Bool { true }", "static func <<T>(l: T, r: T) -> Bool { a < b }",
        "init() { }", "init?(a: Int) throws { return nil }", "init!<T>(t: T) where T: P, T.A == Int {}", "deinit { }",
        "subscript(i: Int) -> Int { get { 1 } set { } }", "static subscript<T>(_ t: T) -> T where T: P { t }",
        "enum Entry { case a }", "struct Inner: P { @Key var x: Int }", "@Model struct Nested { @Key var x: Int }",
        "class C<T> { var y = 1 }", "typealias ID = Foo<Int>", "typealias F<T> = (T) -> Void where T: P",
        "typealias Entry = Int", "private enum Hidden { case a }",
        "enum E: String { case a = \"x\", b\n case c(Int = 1) }", "static let limit = 10",
        "static var all: [Int] { [] }", "class var x: Int { 1 }", "#if DEBUG\nfunc g() {}\n#else\nfunc h() {}\n#endif",
        "#if os(Linux) && (A ||\n  B)\nstatic var z = 1\n#elseif compiler(>=6)\n#if X\nvar q: Int\n#endif\n#endif",
        "#warning(\"a)\")", "#expand(1)", "#declare { var x = 1 }", "private func k() { let s = \"\"\"\n }\n\"\"\" }",
        "@Key func f() {}", "@Ignored static var w = 1", "@Column var computed: Int { 1 }",
        "protocol P { associatedtype A: Q = Int where A: R; func f(); var x: Int { get } }",
        "mutating func m() { x = { $0 }(1) }",
        "nonisolated func n() -> some P { self }", "func r() -> (any P)? { /x}/ ; return nil }",
        "@discardableResult @inlinable public static func s() -> Int { 1 }", "isolated deinit {}",
        "prefix static func - (x: Self) -> Self { x }", "let (x, y) = (1, 2)", "var z = 1 { didSet { } }, q = 2",
        "actor A { var v: Int = 0 }", "extension X {}",
        "func `func`() {}", "case a", "import struct Foo.Bar",
        "@A @B(1) func c(@D _ x: @escaping () -> Void) rethrows {}", "func v(_ xs: Int...) -> Int { xs.count }",
        "init(from d: any Decoder) throws { fatalError() }",
        "#if A\n@Key\n#endif\nvar cond: Int", "#if A\n@available(macOS 14, *)\n#else\n@Other\n#endif\nfunc o() {}",
        "macro m() = #externalMacro(module: \"A\", type: \"B\")", "func w() -> Foo<Int>? { nil }",
        "func u<let N: Int>(_: InlineArray<N, Int>) where N == 3 {}",
    ]
}
