import Testing

/// Every misuse says what to do.
struct ModelDiagnosticTests {
    struct Misuse: CustomTestStringConvertible {
        let source: String
        let complaint: String
        var testDescription: String { complaint }

        init(_ source: String, _ complaint: String) {
            self.source = source
            self.complaint = complaint
        }

        /// A misuse in the members of a model.
        init(members: String, _ complaint: String) {
            self.init("@Model struct Entry {\n\(members)\n}", complaint)
        }
    }

    static let misuses = [
        Misuse(
            "@Model class Entry { var id: Int64? }",
            "@Model goes on a struct; make this one, or conform it to Record by hand"),
        Misuse(
            "@Model actor Entry { @Key var id: Int64?\n@Column(unique: true) var name: String }",
            "@Model goes on a struct; make this one, or conform it to Record by hand"),
        Misuse(
            "@Model enum Entry: Int { case a }",
            "@Model goes on a struct; make this one, or conform it to Record by hand"),
        Misuse("@Model struct Entry<T> { var value: T }", "a model cannot be generic; write one struct for each table"),
        Misuse(
            "enum List<T> { struct Inner { @Model struct Entry { var value: Int } } }",
            "a model has one table, and 'List' around it is generic; declare the model outside of it"),
        Misuse(
            "enum Space { @Model private struct Entry { var value: Int } }",
            "the model 'Entry' is private in another type, where its code does not reach; write fileprivate"),
        Misuse(
            "class Space { @Model public private struct Entry { var value: Int } }",
            "the model 'Entry' is private in another type, where its code does not reach; write fileprivate"),
        Misuse(
            "extension Space { private enum Inner { @Model struct Entry { var value: Int } } }",
            "the model 'Entry' is private in another type, where its code does not reach; write fileprivate"),
        Misuse(
            members: "private enum Kind: String { case a }\nprivate var a: [Kind: Int]?",
            "'a' is of the private type 'Kind', of which no column can be; make 'Kind' fileprivate"),
        Misuse(
            members: "enum Entry: String { case a }\nvar a: Entry",
            "the model 'Entry' has a type of its own name in it; give that type another name"),
        Misuse(
            members: "var a: (any Sendable)?",
            "'a' is (any Sendable)?, which no column holds; make it JSON<...> (import CormorantFoundation), or mark it @Ignored"
        ),
        Misuse(members: "@Ignored var a = 1", "a model needs at least one stored property; declare its columns"),
        Misuse(members: "var a: Int, b: Int", "declare each property of a model in a var of its own"),
        Misuse(members: "var (a, b) = (1, 2)", "declare each property of a model in a var of its own"),
        Misuse(
            members: "var a: Int\n#if DEBUG\nvar b: Int = 1\n#endif",
            "columns cannot depend on #if; declare the property always, or move it out of the model"),
        Misuse(members: "var a = Date()", "'a' needs its type written out, as in var a: Int"),
        Misuse(
            members: "let a: Int", "'a' is a constant, and columns are read anew; make it a var, or mark it @Ignored"),
        Misuse(members: "lazy var a: Int = 1", "'a' is lazy and cannot be a column; drop lazy, or mark it @Ignored"),
        Misuse(
            members: "var a: Int!",
            "'a' is implicitly unwrapped, which only a property marked @Key can be; make it Int?"),
        Misuse(members: "@Key var a: Int?!", "'a' is Int?!, and a column has one NULL; make it Int?"),
        Misuse(
            members: "@Key var a: (Int, Int)!",
            "'a' is (Int, Int)?, which no column holds; make it JSON<...> (import CormorantFoundation), or mark it @Ignored"
        ),
        Misuse(
            members: "var a: (Int, Int)",
            "'a' is (Int, Int), which no column holds; make it JSON<...> (import CormorantFoundation), or mark it @Ignored"
        ),
        Misuse(members: "var a: Int??", "'a' is Int??, and a column has one NULL; make it Int?"),
        Misuse(members: "var a: Int???", "'a' is Int???, and a column has one NULL; make it Int?"),
        Misuse(members: "var a: Int?!", "'a' is Int?!, and a column has one NULL; make it Int?"),
        Misuse(members: "var a: (([Int?]?)?)", "'a' is (([Int?]?)?), and a column has one NULL; make it [Int?]?"),
        Misuse(
            members: "var a: Swift.Optional<Optional<Int>> = nil",
            "'a' is Swift.Optional<Optional<Int>>, and a column has one NULL; make it Optional<Int>"),
        Misuse(members: "weak var a: Entry?", "'a' is a reference, which no column holds; mark it @Ignored"),
        Misuse(
            "@Model struct Entry: Sendable, Identifiable { @Key var id: Int64! }",
            "Swift's Identifiable takes no 'id' that is implicitly unwrapped; make it Int64?, or drop Identifiable and list records "
                + "by id: \\.id"),
        Misuse(
            "@Model(keys: [.primary(\"a\", \"b\")]) struct Entry { var a: Int!; var b: Int }",
            "'a' is implicitly unwrapped, which only a property marked @Key can be; make it Int?"),
        Misuse(
            "@Model struct Entry: ~Copyable { var a: Int }", "a model is copied as its records are; remove ~Copyable"),
        Misuse(members: "var a: Int\n@Ignored @Key var b: Int = 1", "'b' is @Ignored and something else; keep one"),
        Misuse(
            members: "var a: Int\n@Ignored var b: Int",
            "'b' is @Ignored and not read from the table; give it a default value"),
        Misuse(
            members: "var a: Int\n@Ignored let b: Int?",
            "'b' is @Ignored and not read from the table; give it a default value"),
        Misuse(
            members: "var a: Int\n@Relation @Key var b = ToOne<B>.notLoaded",
            "'b' is @Relation and something else; keep one"),
        Misuse(
            members: "var a: Int\n@Relation var b: [B] = []",
            "'b' is @Relation; make it a var of type ToOne<...> or ToMany<...>"),
        Misuse(
            members: "var a: Int\n@Relation let b = ToOne<B>.notLoaded",
            "'b' is @Relation; make it a var of type ToOne<...> or ToMany<...>"),
        Misuse(
            members: "var a: Int\n@Relation var b: ToOne<B>",
            "'b' is @Relation and not read from the table; give it the default value .notLoaded"),
        Misuse(
            members: "var a: Int\n@Relation(through: C.self) var b = ToOne<B>.notLoaded",
            "'b' leads to one record, and 'through' is for many; make it ToMany<...>"),
        Misuse(
            members: "var a: Int\n@Relation(removed: .delete) var b = ToOne<B>.notLoaded",
            "'b' leads to one record, and 'removed' is for many; make it ToMany<...>"),
        Misuse(
            members: "var a: Int\n@Relation(through: c) var b = ToMany<B>.notLoaded",
            "the junction of 'b' must be named by its type; write through: AlbumTag.self"),
        Misuse(
            members: "var recordSource: Int",
            "'recordSource' is taken by the model's columns; give the property another name"),
        Misuse(
            members: "var `self`: Int",
            "'self' is taken by the model's columns; give the property another name"),
        Misuse(
            members: "@Column(\"c\") var Cormorant: Int",
            "'Cormorant' is taken by the model's columns; give the property another name"),
        Misuse(
            members: "var a: Int\nvar b: ToMany<Space.B> = .notLoaded",
            "'b' is ToMany<Space.B>, which leads to records of another table; mark it @Relation"),
        Misuse(
            members: "var a: Int\nvar b = Cormorant.ToOne<B>()",
            "'b' is Cormorant.ToOne<B>, which leads to records of another table; mark it @Relation"),
        Misuse(
            members: "var a: Int\n@References(\"b\") let b: (ToOne<B>?)",
            "'b' is ToOne<B>, which leads to records of another table; mark it @Relation"),
        Misuse(
            members: "@Column(unique: true) @Column(indexed: true) var a: Int",
            "'a' has @Column twice; put all into one"),
        Misuse(
            members: "@Key @Column(computed: \"1\") var a: Int",
            "'a' is computed and cannot be a key; choose another key"),
        Misuse(
            members: "@Column(default: \"1\", computed: \"1\") var a: Int",
            "'a' is computed and has a default; drop one of the two"),
        Misuse(members: "@Column(length: 5) var a: Int?", "'a' is Int?, and only text has a length; drop length"),
        Misuse(
            members: "@Key(autoIncrement: true) var a: String",
            "autoIncrement is for a single integer key; drop it, or make 'a' that"),
        Misuse(
            members: "@Key(autoIncrement: true) var a: Int\n@Key var b: Int",
            "autoIncrement is for a single integer key; drop it, or make 'a' that"),
        Misuse(
            "let all: [KeyDescriptor] = []\n@Model(keys: all) struct Entry { var a: Int }",
            "write the keys as a list of .unique(...), .index(...) or .primary(...)"),
        Misuse(
            "@Model(keys: [KeyDescriptor(.unique, [\"a\"])]) struct Entry { var a: Int }",
            "write the keys as a list of .unique(...), .index(...) or .primary(...)"),
        Misuse(
            "@Model(keys: [.primary(\"a\", \"b\")]) struct Entry { @Key var a: Int\nvar b: Int }",
            "the primary key is declared with @Key and with .primary; keep one"),
        Misuse(
            "@Model(keys: [.primary(\"a\")]) struct Entry { var a: Int }",
            "the primary key is a single property; mark it @Key instead"),
        Misuse(
            "@Model(withoutRowID: true) struct Entry { var a: Int }",
            "withoutRowID needs a primary key; mark a property @Key"),
        Misuse(
            "@Model(keys: [.index(\"-a\", \"c\")]) struct Entry { var a: Int\nvar b: Int }",
            "the model has no property 'c'; its properties are a, b"),
        Misuse(
            "@Model(columnOrder: [\"b\", \"-a\"]) struct Entry { var a: Int\nvar b: Int }",
            "the model has no property '-a'; its properties are a, b"),
        Misuse(
            members: "var homeURL: String\n@Column(\"Home_URL\") var b: Int",
            "'homeURL' and 'b' share the column \"Home_URL\"; give one another name with @Column"),
        Misuse(
            members: "@Column(computed: \"1\", convert: \"2\") var a: Int",
            "'a' is computed and has a conversion; drop one of the two"),
        Misuse(
            members: "@Column(computed: \"1\", validate: isSmall) var a: Int",
            "'a' has a validator, and the database fills it in; look at what the program writes, or give it a check"),
        Misuse(
            members: "@Column(stamp: .updated, validate: isSmall) var a: Timestamp",
            "'a' has a validator, and the database fills it in; look at what the program writes, or give it a check"),
        Misuse(
            members: "@Column(version: true, validate: isSmall) var a: Int",
            "'a' has a validator, and the database fills it in; look at what the program writes, or give it a check"),
        Misuse(
            members: "@Column(renamedFrom: \"HOME_URL\") var a: Int\nvar homeURL: String",
            "'a' is renamed from \"HOME_URL\", which is a column of the model; rename in two steps, or drop renamedFrom"
        ),
        Misuse(
            members: "@Column(renamedFrom: \"a\") var a: Int",
            "'a' is renamed from \"a\", which is a column of the model; rename in two steps, or drop renamedFrom"),
        Misuse(
            members: "@Column(renamedFrom: \"c\") var a: Int\n@Column(renamedFrom: \"C\") var b: Int",
            "'a' and 'b' are both renamed from \"C\"; keep one, and give the other a conversion"),
        Misuse(
            "@Model(allowDrop: [\"c\", \"B\"]) struct Entry { var a: Int\n@Column(\"b\") var c: Int }",
            "allowDrop names \"B\", which is a column of the model; name only columns that it no longer has"),
        Misuse(
            "@Model(renamedFrom: \"album_track\") struct AlbumTrack { var a: Int }",
            "\"album_track\" is the model's table as it is; name the former one, or drop renamedFrom"),
        Misuse(
            "@Model(table: \"Entries\", renamedFrom: \"entries\") struct Entry { var a: Int }",
            "\"entries\" is the model's table as it is; name the former one, or drop renamedFrom"),
        Misuse(
            members: "var a: Int\n@Key static var b = 1",
            "@Key goes on a stored property of a @Model struct; remove it here"),
        Misuse(
            members: "var a: Int\n@Column var b: Int { 1 }",
            "@Column goes on a stored property of a @Model struct; remove it here"),
        Misuse(
            members: "var a: Int\n@Ignored func b() {}",
            "@Ignored goes on a stored property of a @Model struct; remove it here"),
        Misuse(
            "struct Entry { @References(\"t\") var a: Int }",
            "@References goes on a stored property of a @Model struct; remove it here"),
    ]

    @Test(arguments: misuses)
    func aMisuseSaysWhatToDo(_ misuse: Misuse) throws {
        #expect(try complaints(about: misuse.source) == [misuse.complaint])
    }

    @Test(
        arguments: [
            "@Model(keys: [.primary(\"a\", \"b\"), .unique(\"b\"), .index(\"-b\")], columnOrder: [\"b\"])\n"
                + "struct E { var a: Int\nvar b: Int }",
            "@Model struct E { @Ignored let a = 1\n@Ignored var b: Int??\n@Ignored lazy var c = 1\nvar d: Int }",
            "@Model private struct E { var a: [Int?]?\n@Ignored var b: ToMany<E>? }",
            "private extension Space { enum Inner { @Model struct E { private var a: Kind\nprivate static var b: P.Kind } } }",
            "@Model struct E { fileprivate enum Kind { case a }\nprivate struct Other {}\nprivate var a: Kind }",
            "@Model(withoutRowID: true, strict: true) struct E { @Key var a: String }",
            "@Model(table: \"entry\", renamedFrom: \"e\", allowDrop: [\"c\"]) struct E {\n"
                + "@Column(renamedFrom: \"d\", convert: \"upper(d)\") var a: String\n@Column(\"e\") var b: String? }",
        ])
    func properUseIsNotComplainedOf(_ source: String) throws {
        #expect(try complaints(about: source) == [])
    }

    /// Else the compiler would tell of each use that the model is no record, and have the way to a `var` at the end of it.
    @Test(arguments: [
        "@Model struct Entry { let a: Int\n@Key let b: Int64?\n@Column(stamp: .updated) let c: Timestamp\nvar d: Int }",
        "@Model struct Entry { let a = 1\n@Key let b = \"b\"\nvar c: Int }",
        "@Model(keys: [.index(\"a\")]) struct Entry { let a: Int }",
        "@Model struct Entry { let a = UUID()\nvar b: Int }",
    ])
    func aModelWithAConstantIsARecordBesides(_ source: String) throws {
        let program = try Program(source)
        #expect(!program.complaints.isEmpty)
        #expect(program.complaints.allSatisfy { $0.contains("is a constant") }, "\(program.complaints)")
        #expect(program.expanded.contains("extension Entry: Cormorant.Record {"))
        #expect(program.expanded.contains("struct Columns: Cormorant.RecordColumns {"))
        // Nothing is assigned to it.
        #expect(!program.expanded.contains("self.a = ") && !program.expanded.contains("self.b = "))
    }
}
