import CormorantBase
import CormorantQuery
import Stencil

/// A table, a field or another part of what templates are given. Of a dictionary Stencil makes a deep copy whenever it
/// looks into it.
final class Part: DynamicMemberLookup {
    private let value: (_ key: String) -> Any?

    init(_ keys: [String: Any]) { value = { keys[$0] } }

    /// With values that are made when they are asked for: most templates ask for few of them.
    init(_ value: @escaping (_ key: String) -> Any?) { self.value = value }

    subscript(dynamicMember member: String) -> Any? { value(member) }
}

/// What templates are given, as docs/generate.md describes it.
struct Context {
    private let code: Code
    private let writer: any CodeWriter
    private let language: Language

    init(_ sketch: Sketch, _ naming: Naming, _ language: Language, name: String) {
        code = Code(sketch: sketch, naming: naming, name: name)
        self.language = language
        switch language {
        case .swift: writer = SwiftCode(code)
        case .c: writer = CCode(code)
        case .python: writer = PythonCode(code)
        }
    }

    /// - Parameter header: how the code was made.
    func keys(header: String) -> [String: Any] {
        let habits = language.habits
        let others = code.naming.types.flatMap { type in ([""] + habits.typeEndings).map { type + $0 } }
        // In C functions share one space with types, and with what is made of them.
        var functions = NameScope(
            others + habits.wholeEndings.map { code.naming.prefix + code.name + $0 }, separator: "_")
        let tables = code.sketch.models.indices.map { table($0, &functions) }
        var keys: [String: Any] = [
            "header": header, "language": language.rawValue, "name": code.name, "type": Words(code.name).upperCamel,
            "tables": tables as [Any], "notes": (code.sketch.notes + code.naming.notes).map(commentText) as [Any],
        ]
        keys.merge(writer.context()) { _, own in own }
        return keys
    }

    private func table(_ place: Int, _ functions: inout NameScope) -> Part {
        let model = code.sketch.models[place]
        let table = model.table
        let fields = model.columns.indices.map { field(place, $0) }
        // Elsewhere they are members.
        var members = NameScope(code.naming.properties[place] + code.naming.relations[place], separator: "_")
        let finders = model.finders.map { finder in
            language == .c
                ? self.finder(place, finder, fields, &functions) : self.finder(place, finder, fields, &members)
        }
        var keys: [String: Any] = [
            "name": table.name, "comment": commentText(table.name), "type": code.naming.types[place],
            "plural": code.naming.plurals[place], "sql": table.sql, "fields": fields as [Any],
            "keys": model.key.map { fields[$0] } as [Any],
            "otherFields": fields.indices.filter { !model.key.contains($0) }.map { fields[$0] } as [Any],
            "relations": model.relations.indices.map { relation(place, $0) } as [Any],
            "finders": finders as [Any], "notes": model.notes.map(commentText) as [Any],
            "kind": table.kind.word, "isView": table.kind == .view, "isStrict": table.isStrict,
            "isWithoutRowID": table.isWithoutRowID,
            "isAutoIncrement": table.isAutoIncrement,
            "enums": model.columns.filter { !$0.enumName.isEmpty }.map(enumeration) as [Any],
            "hasKey": !model.key.isEmpty, "declaration": writer.model(place),
        ]
        if let c = writer as? CCode { keys.merge(c.context(place)) { _, own in own } }
        return Part(keys)
    }

    private func enumeration(_ column: ColumnSketch) -> Part {
        Part([
            "type": column.enumName, "comment": commentText(column.metadata.name),
            "cases": ((writer as? SwiftCode)?.cases(column) ?? column.caseNames) as [Any],
        ])
    }

    private func field(_ model: Int, _ column: Int) -> Part { Part { fieldValue($0, model, column) } }

    private func fieldValue(_ key: String, _ model: Int, _ column: Int) -> Any? {
        let sketch = code.sketch.models[model].columns[column]
        let metadata = sketch.metadata
        // By the declared word.
        var declared: String { foldIdentifier(metadata.declaredType) }
        func isDeclared(_ word: String) -> Bool { declared.hasPrefix(word) }
        return switch key {
        case "name": metadata.name
        case "property": code.naming.properties[model][column]
        case "comment": commentText(metadata.name)
        case "type": metadata.declaredType
        case "modelType": sketch.type.name
        case "languageType": writer.type(sketch)
        case "declaration": writer.declaration(model, column)
        case "swiftType": metadata.swiftType
        case "cType": metadata.cType
        case "pythonType": metadata.pythonType
        case "isKey": metadata.isKey
        case "isOptional": sketch.isOptional
        case "isNullable": metadata.isNullable
        case "isUnique": metadata.isUnique
        case "isForeignKey": metadata.isForeignKey
        case "isGenerated": metadata.isGenerated
        case "isAutoIncrement": sketch.isAutoIncrement
        case "isRowID": sketch.isRowID
        case "isSimpleType": metadata.isSimpleType
        case "isNumber": metadata.isNumber
        case "isReal": metadata.isReal
        case "isInteger": metadata.isInteger
        case "isBool": metadata.isBool
        case "isText": metadata.isText
        case "isBlob": metadata.isBlob
        case "isDate": metadata.isDate
        case "isUUID": metadata.isUUID
        case "isJSON": metadata.isJSON
        case "isBOOL": isDeclared("bool")
        case "isINTEGER": isDeclared("integer")
        case "isINT": declared == "int"
        case "isLONG": isDeclared("long") || isDeclared("bigint")
        case "isDOUBLE": isDeclared("double")
        case "isFLOAT": isDeclared("float")
        case "isREAL": isDeclared("real")
        case "isTEXT": isDeclared("text")
        case "isVARCHAR": contains(declared, "varchar")
        case "isDATETIME": isDeclared("datetime")
        case "isNUMERIC": isDeclared("numeric")
        case "isBLOB": isDeclared("blob")
        case "defaultSQL": metadata.defaultSQL
        case "checkSQL": sketch.check
        case "generatedSQL": metadata.generatedSQL
        case "collation": metadata.collation
        case "references": sketch.reference?.table
        case "definition": (writer as? CCode)?.definition(model, column)
        default: nil
        }
    }

    private func relation(_ model: Int, _ place: Int) -> Part {
        let relation = code.sketch.models[model].relations[place]
        var keys: [String: Any] = [
            "property": code.naming.relations[model][place], "kind": relation.kind.rawValue,
            "isToOne": relation.kind == .toOne, "table": code.sketch.models[relation.target].table.name,
            "type": code.naming.types[relation.target], "declaration": writer.declaration(model, relation: place),
        ]
        if let junction = relation.junction { keys["through"] = code.naming.types[junction] }
        return Part(keys)
    }

    private func finder(
        _ model: Int, _ finder: FinderSketch, _ fields: [Part], _ members: inout NameScope
    ) -> Part {
        let names = finder.columns.map { code.sketch.models[model].columns[$0].metadata.name }
        var keys: [String: Any] = [
            "kind": finder.kind.rawValue, "isMany": finder.kind == .foreignKey,
            "fields": finder.columns.map { fields[$0] } as [Any], "comment": commentText(names.joined(separator: ", ")),
        ]
        keys.merge(writer.finder(model, finder, &members)) { _, own in own }
        return Part(keys)
    }
}
