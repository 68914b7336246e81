public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Related records, those of each owner side by side.
final class Related: HandleObject {
    static var kind: HandleKind { .related }
    let records: Records
    /// Where those of each owner start, and the end of the last.
    let starts: [Int]
    let size: Int
    /// The level below, for all records of this one.
    fileprivate(set) var next: OpaquePointer?

    deinit { Handles.remove(next, as: Related.self) }

    init(_ records: Records, starts: [Int], size: Int) {
        self.records = records
        self.starts = starts
        self.size = size
    }

    func range(_ position: Int) -> Range<Int>? {
        position >= 0 && position < starts.count - 1 ? starts[position]..<starts[position + 1] : nil
    }
}

func related(_ handle: OpaquePointer?) -> Related? { Handles.object(handle, as: Related.self) }

@_cdecl("corm_relation_load") @implementation
public func corm_relation_load(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ records: UnsafeRawPointer?,
    _ count: Int, _ options: UnsafePointer<corm_load_options>?, _ outRelated: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outRelated, "out_related")
        let database = try database(handle)
        let box = try requireModel(model)
        let layout = try box.records()
        let path = try box.descriptor.path(string(name, "relation"))
        try refuseRecords(records, count, size: layout.size)
        try refuseCount(count, "records")
        out.pointee = try Handles.add(load(database, box.descriptor, layout, path[...], records, count, options))
        return CORM_OK
    }
}

/// The first level of a path, which holds the others. The options are of the first.
private func load(
    _ database: Database, _ model: ModelDescriptor, _ layout: StructLayout, _ path: ArraySlice<String>,
    _ records: UnsafeRawPointer?, _ count: Int, _ options: UnsafePointer<corm_load_options>?
) throws -> Related {
    let relation = try model.relation(named: path.first ?? "")
    let target = try targetLayout(of: relation)
    let owners =
        try integerKeys(records, count, layout, relation.ownerColumns)
        ?? database.values(of: model, relation.ownerColumns, count: count) { index in
            record(records, index, layout)
        }
    let found = Records(size: target.size)
    var positions: [(owner: Int, record: Int)] = []
    var access = StructRecord(
        base: UnsafeMutableRawPointer(mutating: emptyText), layout: target, arena: found.texts)
    try database.load(relation, owners, loadOptions(options, relation.target)) { reader in
        access.base = try found.append()
        try access.read(from: reader)
    } relate: { owner in
        positions.append((owner, found.count - 1))
    }
    var starts = [Int](repeating: 0, count: count + 1)
    for position in positions { starts[position.owner + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var next = starts
    var order = [Int](repeating: 0, count: positions.count)
    for position in positions {
        order[next[position.owner]] = position.record
        next[position.owner] += 1
    }
    try found.arrange(order)
    let related = Related(found, starts: starts, size: target.size)
    if path.count > 1 {
        related.next = try Handles.add(
            load(database, relation.target, target, path.dropFirst(), found.start, found.count, nil))
    }
    return related
}

/// How records of the relation's target lie in C.
func targetLayout(of relation: Relation) throws -> StructLayout {
    try targetLayout(of: relation.target, by: relation.name)
}

func targetLayout(of target: ModelDescriptor, by relation: String) throws -> StructLayout {
    guard let layout = try ModelLayouts.records(of: target) else {
        throw CormorantError(
            .misuse, "the model that \(relation) leads to is freed",
            hint: "keep it as long as the relation is used")
    }
    return layout
}

/// Keys of one plain 64-bit integer, the usual case, are read where they lie (benchmarks: load).
private func integerKeys(
    _ records: UnsafeRawPointer?, _ count: Int, _ layout: StructLayout, _ columns: [Int]
) -> [Value]? {
    guard columns.count == 1, let field = layout.fields.first(where: { $0.column == columns[0] }), field.kind == .int64,
        let records
    else { return nil }
    return (0..<count).map { index in
        .integer((records + index &* layout.size + field.offset).loadUnaligned(as: Int64.self))
    }
}

private func record(_ records: UnsafeRawPointer?, _ index: Int, _ layout: StructLayout) -> StructRecord {
    // The caller has checked that there are records.
    let start = records.unsafelyUnwrapped + index &* layout.size
    return StructRecord(base: UnsafeMutableRawPointer(mutating: start), layout: layout, arena: nil)
}

private func loadOptions(
    _ given: UnsafePointer<corm_load_options>?, _ target: ModelDescriptor
) throws -> RelatedOptions {
    guard let given else { return RelatedOptions() }
    let raw: corm_load_options = try readStruct(given, given.pointee.struct_size, "corm_load_options")
    var options = RelatedOptions()
    if let condition = raw.condition {
        options.conditions = [try Handles.require(condition, as: ExpressionBox.self).expression]
    }
    options.order = try names(raw.order_by, "order_by").map { try target.orderTerm($0) }
    options.limit = try limit(raw.limit)
    return options
}

@_cdecl("corm_related_get") @implementation
public func corm_related_get(
    _ handle: OpaquePointer?, _ position: Int, _ outCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutableRawPointer? {
    let related = related(handle), range = related?.range(position) ?? 0..<0
    outCount?.pointee = range.count
    guard let related, !range.isEmpty else { return nil }
    return related.records.start.map { $0 + range.lowerBound &* related.size }
}

@_cdecl("corm_related_all") @implementation
public func corm_related_all(
    _ handle: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutableRawPointer? {
    let related = related(handle)
    outCount?.pointee = related?.records.count ?? 0
    return related.flatMap { $0.records.count == 0 ? nil : $0.records.start }
}

@_cdecl("corm_related_next") @implementation
public func corm_related_next(_ handle: OpaquePointer?) -> OpaquePointer? { related(handle)?.next }

@_cdecl("corm_related_free") @implementation
public func corm_related_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: Related.self) }
