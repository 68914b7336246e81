import CormorantBase
import CormorantQuery
import Stencil

/// A table, a field or another part of what templates are given. Of a dictionary Stencil makes a deep copy whenever it
/// looks into it.
final class Part: DynamicMemberLookup {
    let keys: [String: Any]

    init(_ keys: [String: Any]) { self.keys = keys }

    subscript(dynamicMember member: String) -> Any? { keys[member] }
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
        var functions = NameScope(language == .c ? code.naming.types : [], separator: "_")
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
        // In C functions share one space, elsewhere they are members.
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
            "isStrict": table.isStrict, "isWithoutRowID": table.isWithoutRowID,
            "isAutoIncrement": table.isAutoIncrement,
            "hasKey": !model.key.isEmpty, "declaration": writer.model(place),
        ]
        if let c = writer as? CCode { keys.merge(c.context(place)) { _, own in own } }
        return Part(keys)
    }

    private func field(_ model: Int, _ column: Int) -> Part {
        let sketch = code.sketch.models[model].columns[column]
        let metadata = sketch.metadata
        let declared = foldIdentifier(metadata.declaredType)
        func isDeclared(_ word: String) -> Bool { declared.hasPrefix(word) }
        var keys: [String: Any] = [
            "name": metadata.name, "property": code.naming.properties[model][column],
            "comment": commentText(metadata.name), "type": metadata.declaredType, "modelType": sketch.type.name,
            "languageType": writer.type(sketch), "declaration": writer.declaration(model, column),
            "swiftType": metadata.swiftType, "cType": metadata.cType, "pythonType": metadata.pythonType,
            "isKey": metadata.isKey, "isOptional": sketch.isOptional, "isNullable": metadata.isNullable,
            "isUnique": metadata.isUnique, "isForeignKey": metadata.isForeignKey, "isGenerated": metadata.isGenerated,
            "isAutoIncrement": sketch.isAutoIncrement, "isRowID": sketch.isRowID,
            "isSimpleType": metadata.isSimpleType, "isNumber": metadata.isNumber, "isReal": metadata.isReal,
            "isInteger": metadata.isInteger, "isBool": metadata.isBool, "isText": metadata.isText,
            "isBlob": metadata.isBlob, "isDate": metadata.isDate, "isUUID": metadata.isUUID, "isJSON": metadata.isJSON,
            // By the declared word.
            "isBOOL": isDeclared("bool"), "isINTEGER": isDeclared("integer"), "isINT": declared == "int",
            "isLONG": isDeclared("long") || isDeclared("bigint"), "isDOUBLE": isDeclared("double"),
            "isFLOAT": isDeclared("float"), "isREAL": isDeclared("real"), "isTEXT": isDeclared("text"),
            "isVARCHAR": contains(declared, "varchar"), "isDATETIME": isDeclared("datetime"),
            "isNUMERIC": isDeclared("numeric"), "isBLOB": isDeclared("blob"),
        ]
        if let sql = metadata.defaultSQL { keys["defaultSQL"] = sql }
        if let sql = sketch.check { keys["checkSQL"] = sql }
        if let sql = metadata.generatedSQL { keys["generatedSQL"] = sql }
        if let collation = metadata.collation { keys["collation"] = collation }
        if let reference = sketch.reference { keys["references"] = reference.table }
        if let c = writer as? CCode { keys["definition"] = c.definition(model, column) }
        return Part(keys)
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
