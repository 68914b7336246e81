import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

extension TreeReader {
    mutating func statement() throws -> StatementBox {
        guard try reader.sequence() == 4 else { throw TreeReader.damaged() }
        let (kind, model, alias) = (try int(), try optionalModel(), try optionalText())
        let box = StatementBox(kind: kind, model: model, alias: alias)
        for _ in 0..<(try reader.sequence()) {
            _ = try reader.sequence()
            try part(int(), of: box)
        }
        return box
    }

    private mutating func part(_ code: Int32, of box: StatementBox) throws {
        switch code {
        case CORM_PART_FROM:
            let (source, model) = try source()
            box.add(source, model)
        case CORM_PART_JOIN:
            let kind = try joinKind(int())
            let (source, model) = try source()
            box.add(source, model, join: (kind, try optionalExpression()))
        case CORM_PART_CLAUSE:
            let clause = try int()
            box.add(try expression(), to: clause)
        case CORM_PART_DISTINCT: box.editSelect { $0.isDistinct = true }
        case CORM_PART_COMPOUND:
            let operation = try compoundOperator(int())
            let other = try select()
            box.editSelect { $0.compounds.append(Compound(operation, other)) }
        case CORM_PART_WITH:
            let (name, columns) = (try text(), try list(text))
            box.add(CommonTable(name, columns: columns, try select()))
        case CORM_PART_AFTER:
            let values = try values()
            box.editSelect { $0 = try $0.after(values) }
        case CORM_PART_SET: box.set(try text(), try expression())
        case CORM_PART_VALUES: box.add(row: try list(text), try expressions())
        case CORM_PART_SELECT:
            let properties = try list(text)
            box.insert(properties, from: try select())
        case CORM_PART_CONFLICT: box.conflict(try conflictPolicy(int()))
        case CORM_PART_UPSERT: box.upsert(try list(text))
        case CORM_PART_UPSERT_SET: box.set(try text(), try expression(), inUpsert: true)
        case CORM_PART_JOIN_RELATION:
            let (kind, from) = (try joinKind(int()), try optionalText())
            let (relation, alias) = (try text(), try optionalText())
            try box.join(along: relation, kind, from: from, alias: alias)
        default: throw TreeReader.damaged()
        }
    }

    private mutating func source() throws -> (Source, ModelDescriptor?) {
        let count = try reader.sequence()
        guard count == 4 || count == 5 else { throw TreeReader.damaged() }
        let model = try optionalModel()
        let select = try none() ? nil : try select()
        let (name, alias) = (try optionalText(), try optionalText())
        if let model { return (Source(.table(model.tableReference), alias: alias), model) }
        if let select { return (Source(.select(select), alias: alias), nil) }
        guard let name else { throw TreeReader.damaged() }
        if count == 5 { return (Source(.function(Call(name, try expressions())), alias: alias), nil) }
        return (Source(.name(name), alias: alias), nil)
    }
}
