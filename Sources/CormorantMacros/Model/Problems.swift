/// What is wrong with the use of a macro, and what to do about it.
enum Problem {
    case notAStruct
    case generic
    case nestedInGeneric(String)
    case privateInType(String)
    case privateType(String, String)
    case sameName(String)
    case notCopyable
    case twice
    case noColumns
    case noColumnType(String, String)
    case optionalTwice(String, String, String)
    case weak(String)
    case severalProperties
    case conditional
    case conditionalMarker(String, String)
    case notUnderstood
    case noType(String)
    case constant(String)
    case lazy(String)
    case implicitlyUnwrapped(String, String)
    case identifiable(String)
    case ignoredColumn(String)
    case ignoredWithoutDefault(String)
    case relationColumn(String)
    case unmarkedRelation(String, String)
    case relationType(String)
    case relationWithoutDefault(String)
    case relationToOne(String, String)
    case junction(String)
    case reserved(String)
    case repeated(String, String)
    case computedKey(String)
    case computedDefault(String)
    case lengthOfNoText(String, String)
    case autoIncrement(String)
    case keyForm
    case twoKeys
    case primaryOfOne
    case withoutRowID
    case noSuchProperty(String, [String])
    case sharedColumn(String, String, String)
    case computedConversion(String)
    case validatorOfFilled(String)
    case renamedFromColumn(String, String)
    case renamedTwice(String, String, String)
    case dropOfColumn(String)
    case renamedFromItself(String)
    case misplaced(String)
}

extension Problem {
    var message: String {
        switch self {
        case .notAStruct: "@Model goes on a struct; make this one, or conform it to Record by hand"
        case .generic: "a model cannot be generic; write one struct for each table"
        case .nestedInGeneric(let outer):
            "a model has one table, and '\(outer)' around it is generic; declare the model outside of it"
        case .privateInType(let name):
            "the model '\(name)' is private in another type, where its code does not reach; write fileprivate"
        case .privateType(let name, let type):
            "'\(name)' is of the private type '\(type)', of which no column can be; make '\(type)' fileprivate"
        case .sameName(let name):
            "the model '\(name)' has a type of its own name in it; give that type another name"
        case .notCopyable: "a model is copied as its records are; remove ~Copyable"
        case .twice: "@Model stands here twice; remove one"
        case .noColumnType(let name, let type):
            "'\(name)' is \(type), which no column holds; make it JSON<...> (import CormorantFoundation), or mark it @Ignored"
        case .optionalTwice(let name, let type, let once):
            "'\(name)' is \(type), and a column has one NULL; make it \(once)"
        case .weak(let name): "'\(name)' is a reference, which no column holds; mark it @Ignored"
        case .noColumns: "a model needs at least one stored property; declare its columns"
        case .severalProperties: "declare each property of a model in a var of its own"
        case .conditional: "columns cannot depend on #if; declare the property always, or move it out of the model"
        case .conditionalMarker(let marker, let name):
            "@\(marker) of '\(name)' cannot depend on #if; write it without, or two models of which one is compiled"
        case .notUnderstood:
            "@Model cannot read what stands here; if it is right, move it out of the struct, into an extension or a constant"
        case .noType(let name): "'\(name)' needs its type written out, as in var \(name): Int"
        case .constant(let name):
            "'\(name)' is a constant, and columns are read anew; make it a var, or mark it @Ignored"
        case .lazy(let name): "'\(name)' is lazy and cannot be a column; drop lazy, or mark it @Ignored"
        case .implicitlyUnwrapped(let name, let type):
            "'\(name)' is implicitly unwrapped, which only a property marked @Key can be; make it \(type)?"
        case .identifiable(let type):
            "Swift's Identifiable takes no 'id' that is implicitly unwrapped; make it \(type), or drop Identifiable and list records by id: \\.id"
        case .ignoredColumn(let name): "'\(name)' is @Ignored and something else; keep one"
        case .ignoredWithoutDefault(let name):
            "'\(name)' is @Ignored and not read from the table; give it a default value"
        case .relationColumn(let name): "'\(name)' is @Relation and something else; keep one"
        case .unmarkedRelation(let name, let type):
            "'\(name)' is \(type), which leads to records of another table; mark it @Relation"
        case .relationType(let name): "'\(name)' is @Relation; make it a var of type ToOne<...> or ToMany<...>"
        case .relationWithoutDefault(let name):
            "'\(name)' is @Relation and not read from the table; give it the default value .notLoaded"
        case .relationToOne(let name, let label):
            "'\(name)' leads to one record, and '\(label)' is for many; make it ToMany<...>"
        case .junction(let name): "the junction of '\(name)' must be named by its type; write through: AlbumTag.self"
        case .reserved(let name): "'\(name)' is taken by the model's columns; give the property another name"
        case .repeated(let marker, let name): "'\(name)' has @\(marker) twice; put all into one"
        case .computedKey(let name): "'\(name)' is computed and cannot be a key; choose another key"
        case .computedDefault(let name): "'\(name)' is computed and has a default; drop one of the two"
        case .lengthOfNoText(let name, let type): "'\(name)' is \(type), and only text has a length; drop length"
        case .autoIncrement(let name):
            "autoIncrement is for a single integer key; drop it, or make '\(name)' that"
        case .keyForm: "write the keys as a list of .unique(...), .index(...) or .primary(...)"
        case .twoKeys: "the primary key is declared with @Key and with .primary; keep one"
        case .primaryOfOne: "the primary key is a single property; mark it @Key instead"
        case .withoutRowID: "withoutRowID needs a primary key; mark a property @Key"
        case .noSuchProperty(let name, let names):
            "the model has no property '\(name)'; its properties are \(names.joined(separator: ", "))"
        case .sharedColumn(let one, let other, let column):
            "'\(one)' and '\(other)' share the column \"\(column)\"; give one another name with @Column"
        case .computedConversion(let name): "'\(name)' is computed and has a conversion; drop one of the two"
        case .validatorOfFilled(let name):
            "'\(name)' has a validator, and the database fills it in; look at what the program writes, or give it a check"
        case .renamedFromColumn(let name, let former):
            "'\(name)' is renamed from \"\(former)\", which is a column of the model; rename in two steps, or drop renamedFrom"
        case .renamedTwice(let one, let other, let former):
            "'\(one)' and '\(other)' are both renamed from \"\(former)\"; keep one, and give the other a conversion"
        case .dropOfColumn(let column):
            "allowDrop names \"\(column)\", which is a column of the model; name only columns that it no longer has"
        case .renamedFromItself(let table):
            "\"\(table)\" is the model's table as it is; name the former one, or drop renamedFrom"
        case .misplaced(let marker): "@\(marker) goes on a stored property of a @Model struct; remove it here"
        }
    }
}

/// Collects what is wrong, for the compiler.
final class Problems {
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether code can be written that compiles none the less.
    private(set) var leavesCode = true

    var hasErrors: Bool { diagnostics.contains { !$0.isWarning } }

    func add(_ problem: Problem, at range: SourceRange) {
        var isWarning = false
        switch problem {
        case .constant, .implicitlyUnwrapped: break
        // A program may have an Identifiable of its own; Swift's is the compiler's error, without the reason.
        case .identifiable: isWarning = true
        default: leavesCode = false
        }
        diagnostics.append(Diagnostic(message: problem.message, isWarning: isWarning, range: range))
    }
}
