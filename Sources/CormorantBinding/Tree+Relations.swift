public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

/// A list of tuples of values, one after the other.
private func rows(_ reader: TreeReader, width: Int) throws -> [Value] {
    let count = try reader.reader.sequence()
    var values: [Value] = []
    for _ in 0..<count {
        let found = try reader.reader.sequence()
        guard found == width else {
            throw CormorantError(
                .misuse, "a key has \(found) values, the relation has \(width) columns", hint: "give one value for each"
            )
        }
        for _ in 0..<width { values.append(try reader.reader.value("a key")) }
    }
    return values
}

@_cdecl("corm_tree_load") @implementation
public func corm_tree_load(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ keys: UnsafeRawPointer?,
    _ size: Int, _ options: UnsafeRawPointer?, _ optionsSize: Int, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let owner = try requireModel(model).descriptor
        let relation = try owner.relation(named: string(name, "relation"))
        let columns = relation.ownerColumns.map { owner.columns[$0].type }
        // In the file's form, by which the rows that come are told apart.
        let owners = try rows(TreeReader(keys, size), width: columns.count).enumerated().map { index, key in
            try key.stored(as: columns[index % columns.count]) ?? key
        }
        var given = RelatedOptions()
        if options != nil {
            var reader = try TreeReader(options, optionsSize)
            _ = try reader.reader.sequence()
            given.conditions = [try reader.optionalExpression()].compactMap { $0 }
            given.order = try reader.expressions()
            let limit = try reader.int()
            given.limit = limit == 0 ? nil : max(Int64(limit), 0)
        }
        var writer = MarshalWriter(try require(block, "block"))
        try writer.tuple(2)
        let list = try writer.beginList()
        let types = ColumnTypes(relation.target)
        var pairs: [Int] = []
        var count = 0
        try database.load(relation, owners, given) { reader in
            try writer.row(reader, types)
            count += 1
        } relate: { owner in
            pairs.append(owner)
            pairs.append(count - 1)
        }
        try writer.endList(count, at: list)
        try writer.tuple(pairs.count)
        for number in pairs { writer.integer(Int64(number)) }
        writer.finish()
        return CORM_OK
    }
}

@_cdecl("corm_tree_relation_columns") @implementation
public func corm_tree_relation_columns(
    _ model: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let owner = try requireModel(model).descriptor
        let relation = try owner.relation(named: string(name, "relation"))
        var writer = MarshalWriter(try require(block, "block"))
        try writer.tuple(2)
        for (model, columns) in [(owner, relation.ownerColumns), (relation.target, relation.referredColumns)] {
            try writer.tuple(columns.count)
            for column in columns { try writer.value(.text(model.columns[column].name)) }
        }
        writer.finish()
        return CORM_OK
    }
}

@_cdecl("corm_tree_relate") @implementation
public func corm_tree_relate(
    _ handle: OpaquePointer?, _ models: UnsafePointer<OpaquePointer?>?, _ count: Int, _ lists: UnsafeRawPointer?,
    _ size: Int, _ removed: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let deletesRemoved = try requireRemoved(removed)
        let models = try array(models, count, "models").map { try requireModel($0).descriptor }
        let reader = try TreeReader(lists, size)
        guard try reader.reader.sequence() == 2 else { throw TreeReader.damaged() }
        let relations = SavedRelations()
        let listCount = try reader.reader.sequence()
        guard listCount <= models.count else { throw TreeReader.damaged() }
        for model in models[..<listCount] {
            guard try reader.reader.sequence() == 3 else { throw TreeReader.damaged() }
            let relation = try model.relation(named: reader.text())
            let owner = try reader.values()
            let width =
                relation.kind == .manyToMany ? relation.referredColumns.count : relation.target.keyColumns.count
            let keys = try table(reader, width: width)
            try relations.note(relation, of: owner, keys, deletesRemoved: deletesRemoved)
        }
        guard try reader.reader.sequence() == models.count - listCount else { throw TreeReader.damaged() }
        for model in models[listCount...] {
            guard try reader.reader.sequence() == 2 else { throw TreeReader.damaged() }
            let columns = try (0..<reader.reader.sequence()).map { _ in
                guard let column = try model.column(named: reader.text()) else { throw TreeReader.damaged() }
                return column
            }
            let isOfUse = !relations.columns(of: model).isEmpty
            for row in try table(reader, width: columns.count) where isOfUse { relations.note(model, columns, row) }
        }
        try database.inTransaction { try relations.write(to: database) }
        return CORM_OK
    }
}

private func table(_ reader: TreeReader, width: Int) throws -> [[Value]] {
    let values = try rows(reader, width: width)
    return width == 0 ? [] : stride(from: 0, to: values.count, by: width).map { Array(values[$0..<$0 + width]) }
}
