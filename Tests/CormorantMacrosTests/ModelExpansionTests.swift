import Testing

struct ModelExpansionTests {
    @Test func aModelBecomesARecord() {
        expectExpansion(
            """
            @Model(table: "people", keys: [.unique("name", "city")], strict: true)
            public struct Person {
                @Key(autoIncrement: true) public var id: Int64?
                public var name: String
                @Column("town", indexed: true, default: "'Rome'", length: 40, json: "place") public var city: String?
                @Column(unique: true, check: "code > 'A'", collate: "NOCASE") public var code: String?
                @References("department", onDelete: .cascade) public var departmentID: Int64?
                @Column(computed: "upper(name)") public var shouted: String?
                @Ignored public var isSelected = false
                public var initials: String { String(name.prefix(1)) }
                public static let limit = 10
            }
            """,
            """
            public struct Person {
                public var id: Int64?
                public var name: String
                public var city: String?
                public var code: String?
                public var departmentID: Int64?
                public var shouted: String?
                public var isSelected = false
                public var initials: String { String(name.prefix(1)) }
                public static let limit = 10

                public nonisolated static let model = Cormorant.ModelDescriptor(
                    name: "Person",
                    table: "people",
                    columns: [
                        .init("id", Int64?.self, primaryKey: true, autoIncrement: true),
                        .init("name", String.self),
                        .init("city", String?.self, column: "town", length: 40, indexed: true, defaultSQL: "'Rome'", json: "place"),
                        .init("code", String?.self, unique: true, checkSQL: "code > 'A'", collation: "NOCASE"),
                        .init("departmentID", Int64?.self, references: .init("department", onDelete: .cascade)),
                        .init("shouted", String?.self, computedSQL: "upper(name)"),
                    ],
                    keys: [.unique("name", "city")],
                    strict: true)

                public nonisolated mutating func setGeneratedKey(_ key: Int64) throws {
                    self.id = try Int64?.generatedKey(key) ?? self.id
                }

                public nonisolated mutating func clearGeneratedKey() {
                    self.id = Int64?.missingKey ?? self.id
                }

                public nonisolated struct Columns: Cormorant.RecordColumns {
                    public let recordSource: Cormorant.TableSource<Person>

                    public init(recordSource: Cormorant.TableSource<Person>) {
                        self.recordSource = recordSource
                    }

                    public init(
                        id: Cormorant.SQLExpression<Int64?>,
                        name: Cormorant.SQLExpression<String>,
                        city: Cormorant.SQLExpression<String?>,
                        code: Cormorant.SQLExpression<String?>,
                        departmentID: Cormorant.SQLExpression<Int64?>,
                        shouted: Cormorant.SQLExpression<String?>
                    ) {
                        self.recordSource = Cormorant.TableSource(columns: [id, name, city, code, departmentID, shouted])
                    }

                    public var id: Cormorant.SQLExpression<Int64?> {
                        self.recordSource.column(0)
                    }

                    public var name: Cormorant.SQLExpression<String> {
                        self.recordSource.column(1)
                    }

                    public var city: Cormorant.SQLExpression<String?> {
                        self.recordSource.column(2)
                    }

                    public var code: Cormorant.SQLExpression<String?> {
                        self.recordSource.column(3)
                    }

                    public var departmentID: Cormorant.SQLExpression<Int64?> {
                        self.recordSource.column(4)
                    }

                    public var shouted: Cormorant.SQLExpression<String?> {
                        self.recordSource.column(5)
                    }
                }
            }

            nonisolated extension Person: Cormorant.Record {
                public init(from reader: Cormorant.RecordReader) throws {
                    self.init(
                        id: try reader.property(at: 0),
                        name: try reader.property(at: 1),
                        city: try reader.property(at: 2),
                        code: try reader.property(at: 3),
                        departmentID: try reader.property(at: 4),
                        shouted: try reader.property(at: 5))
                }

                public mutating func read(from reader: Cormorant.RecordReader) throws {
                    self.id = try reader.property(at: 0)
                    self.name = try reader.property(at: 1)
                    self.city = try reader.property(at: 2)
                    self.code = try reader.property(at: 3)
                    self.departmentID = try reader.property(at: 4)
                    self.shouted = try reader.property(at: 5)
                }

                public mutating func readBack(only columns: [Int], from reader: Cormorant.RecordReader) throws {
                    if columns.contains(5) { self.shouted = try reader.property(at: 5) }
                }

                public func write(to writer: inout Cormorant.RecordWriter) throws {
                    try writer.write(property: self.id, at: 0)
                    try writer.write(property: self.name, at: 1)
                    try writer.write(property: self.city, at: 2)
                    try writer.write(property: self.code, at: 3)
                    try writer.write(property: self.departmentID, at: 4)
                }

                public func columnValue(at column: Int) throws -> Cormorant.Value {
                    switch column {
                    case 0:
                        return try Cormorant.Value(property: self.id)
                    case 1:
                        return try Cormorant.Value(property: self.name)
                    case 2:
                        return try Cormorant.Value(property: self.city)
                    case 3:
                        return try Cormorant.Value(property: self.code)
                    case 4:
                        return try Cormorant.Value(property: self.departmentID)
                    case 5:
                        return try Cormorant.Value(property: self.shouted)
                    default:
                        return .null
                    }
                }
            }
            """)
    }

    /// Swift has `!` at a property, and in no type beside it.
    @Test func aKeyThatIsImplicitlyUnwrappedIsAnOptionalElsewhere() {
        expectExpansion(
            """
            @Model struct Entry {
                @Key var id: Entry.ID!
            }
            """,
            """
            struct Entry {
                var id: Entry.ID!

                nonisolated static let model = Cormorant.ModelDescriptor(
                    name: "Entry",
                    columns: [
                        .init("id", Entry.ID?.self, primaryKey: true),
                    ])

                nonisolated mutating func setGeneratedKey(_ key: Int64) throws {
                    self.id = try Entry.ID?.generatedKey(key) ?? self.id
                }

                nonisolated mutating func clearGeneratedKey() {
                    self.id = Entry.ID?.missingKey ?? self.id
                }

                nonisolated struct Columns: Cormorant.RecordColumns {
                    let recordSource: Cormorant.TableSource<Entry>

                    init(recordSource: Cormorant.TableSource<Entry>) {
                        self.recordSource = recordSource
                    }

                    init(
                        id: Cormorant.SQLExpression<Entry.ID?>
                    ) {
                        self.recordSource = Cormorant.TableSource(columns: [id])
                    }

                    var id: Cormorant.SQLExpression<Entry.ID?> {
                        self.recordSource.column(0)
                    }
                }
            }

            nonisolated extension Entry: Cormorant.Record {
                init(from reader: Cormorant.RecordReader) throws {
                    self.init(
                        id: try reader.property(at: 0))
                }

                mutating func read(from reader: Cormorant.RecordReader) throws {
                    self.id = try reader.property(at: 0)
                }

                func write(to writer: inout Cormorant.RecordWriter) throws {
                    try writer.write(property: self.id, at: 0)
                }

                func columnValue(at column: Int) throws -> Cormorant.Value {
                    switch column {
                    case 0:
                        return try Cormorant.Value(property: self.id)
                    default:
                        return .null
                    }
                }
            }
            """)
    }

    @Test func typesComeFromLiteralsAndNamesLoseTheirBackticks() {
        expectExpansion(
            """
            @Model struct Entry {
                @Key var `class`: String
                @Key @Column("Number") var number = -1
                var ratio = 0.5
                var isOpen = true
                var label = "" { didSet { print(label) } }
            }
            """,
            """
            struct Entry {
                var `class`: String
                var number = -1
                var ratio = 0.5
                var isOpen = true
                var label = "" { didSet { print(label) } }

                nonisolated static let model = Cormorant.ModelDescriptor(
                    name: "Entry",
                    columns: [
                        .init("class", String.self, primaryKey: true),
                        .init("number", Int.self, column: "Number", primaryKey: true),
                        .init("ratio", Double.self),
                        .init("isOpen", Bool.self),
                        .init("label", String.self),
                    ])

                nonisolated mutating func setGeneratedKey(_ key: Int64) throws {
                }

                nonisolated mutating func clearGeneratedKey() {
                }

                nonisolated struct Columns: Cormorant.RecordColumns {
                    let recordSource: Cormorant.TableSource<Entry>

                    init(recordSource: Cormorant.TableSource<Entry>) {
                        self.recordSource = recordSource
                    }

                    init(
                        `class`: Cormorant.SQLExpression<String>,
                        number: Cormorant.SQLExpression<Int>,
                        ratio: Cormorant.SQLExpression<Double>,
                        isOpen: Cormorant.SQLExpression<Bool>,
                        label: Cormorant.SQLExpression<String>
                    ) {
                        self.recordSource = Cormorant.TableSource(columns: [`class`, number, ratio, isOpen, label])
                    }

                    var `class`: Cormorant.SQLExpression<String> {
                        self.recordSource.column(0)
                    }

                    var number: Cormorant.SQLExpression<Int> {
                        self.recordSource.column(1)
                    }

                    var ratio: Cormorant.SQLExpression<Double> {
                        self.recordSource.column(2)
                    }

                    var isOpen: Cormorant.SQLExpression<Bool> {
                        self.recordSource.column(3)
                    }

                    var label: Cormorant.SQLExpression<String> {
                        self.recordSource.column(4)
                    }
                }
            }

            nonisolated extension Entry: Cormorant.Record {
                init(from reader: Cormorant.RecordReader) throws {
                    self.init(
                        class: try reader.property(at: 0),
                        number: try reader.property(at: 1),
                        ratio: try reader.property(at: 2),
                        isOpen: try reader.property(at: 3),
                        label: try reader.property(at: 4))
                }

                mutating func read(from reader: Cormorant.RecordReader) throws {
                    self.`class` = try reader.property(at: 0)
                    self.number = try reader.property(at: 1)
                    self.ratio = try reader.property(at: 2)
                    self.isOpen = try reader.property(at: 3)
                    self.label = try reader.property(at: 4)
                }

                func write(to writer: inout Cormorant.RecordWriter) throws {
                    try writer.write(property: self.`class`, at: 0)
                    try writer.write(property: self.number, at: 1)
                    try writer.write(property: self.ratio, at: 2)
                    try writer.write(property: self.isOpen, at: 3)
                    try writer.write(property: self.label, at: 4)
                }

                func columnValue(at column: Int) throws -> Cormorant.Value {
                    switch column {
                    case 0:
                        return try Cormorant.Value(property: self.`class`)
                    case 1:
                        return try Cormorant.Value(property: self.number)
                    case 2:
                        return try Cormorant.Value(property: self.ratio)
                    case 3:
                        return try Cormorant.Value(property: self.isOpen)
                    case 4:
                        return try Cormorant.Value(property: self.label)
                    default:
                        return .null
                    }
                }
            }
            """)
    }

    /// The code that the macros make of the model.
    private func made(of source: String) throws -> String {
        let program = try Program(source)
        #expect(program.complaints == [])
        return program.expanded
    }

    @Test func aColumnIsAsVisibleAsItsProperty() throws {
        let code = try made(
            of: """
                @Model public struct Entry {
                    public private(set) var a: Int
                    package var b: Int
                    fileprivate(set) var c: Int
                    fileprivate var d: Int
                    @Relation private var e = ToMany<Other>.notLoaded
                }
                """)
        for (access, name) in [("public ", "a"), ("package ", "b"), ("", "c"), ("fileprivate ", "d")] {
            #expect(code.contains("\n        \(access)var \(name): Cormorant.SQLExpression<Int> {"), "\(name)")
        }
        #expect(code.contains("\n        fileprivate var e: Cormorant.RelatedRecords<Other.Columns> {"))
        #expect(code.contains("\n        public init(recordSource: "))
        // As the memberwise one.
        #expect(code.contains("\n        fileprivate init(\n"))
        #expect(code.contains("\n    public init(from reader: "))
    }

    @Test func aColumnIsNoMoreVisibleThanTheModel() throws {
        let code = try made(of: "@Model package struct Entry { public var a: Int\npublic private(set) var b: Int }")
        #expect(code.contains("\n        package var a: Cormorant") && code.contains("\n        package init(\n"))
    }

    /// What uses a property that is deprecated is so itself, or the compiler would warn of it; nothing calls that but the engine.
    @Test func aDeprecatedPropertyHasADeprecatedColumn() throws {
        let code = try made(
            of: """
                @Model struct Entry {
                    @available(*, deprecated, renamed: "b") var a: Int
                    @available(macOS 13, *) var b: Int
                }
                """)
        #expect(code.contains("\n        @available(*, deprecated, renamed: \"b\")\n        var a: Cormorant"))
        #expect(code.contains("\n        @available(macOS 13, *)\n        var b: Cormorant"))
        for function in ["init(from", "mutating func read(", "func write(", "func columnValue("] {
            #expect(code.contains("\n    @available(*, deprecated)\n    \(function)"), "\(function)")
        }
        #expect(try !made(of: "@Model struct Entry { @available(macOS 13, *) var a: Int }").contains("deprecated"))
    }

    /// Raw identifiers: everything but a backtick and a backslash.
    @Test func aNameMayHaveQuotes() throws {
        let code = try made(
            of: """
                @Model struct `Great "Talk"` {
                    @Key var id: Int64
                    var `say "hi"`: String
                    @Relation("talkID") var `the "parts"`: ToMany<Part> = .notLoaded
                }
                """)
        for part in [
            #"name: "Great \"Talk\"","#, #".init("say \"hi\"", String.self)"#, #"toMany("the \"parts\"","#,
            #"visitor.visit("the \"parts\"", "#, #"recordSource.toMany("the \"parts\"")"#,
        ] {
            #expect(code.contains(part), "\(part)")
        }
    }

    @Test func aKeywordIsALabelWithoutBackticksWhereSwiftHasItSo() throws {
        let code = try made(of: "@Model struct E { var `let`: Int\nvar `var`: Int\nvar `inout`: Int\nvar `_`: Int }")
        for label in ["let", "var", "`inout`", "`_`"] {
            #expect(code.contains("            \(label): try reader.property(at: "), "\(label)")
        }
    }
}
