import CormorantBase
import CormorantPlatform

/// What the server has told of a statement; shared by those with the same SQL.
final class Prepared {
    let sql: ServerSQL
    /// On the server: a hash of the SQL as it was given, so that it is the same whoever prepared it, and another one for each way to
    /// write its parameters. nil where the SQL goes with each run.
    let name: String?
    /// Whether it has neither parameters nor rows, and goes to the server as it is.
    let isDirect: Bool
    private(set) var parameterTypes: [WireType] = []
    /// The same as the server numbers them.
    private(set) var parameterOIDs: [UInt32] = []
    /// Whether a parameter is of a type whose binary form is not known here.
    private(set) var hasOtherTypes = false
    /// Whether the server reads one from a text, and may refuse it.
    private(set) var hasTexts = false
    /// Whether the server may read the SQL anew at a run; of a statement that it keeps a plan of it says itself that its columns are others.
    var comparesTypes: Bool
    private(set) var columns: [Column] = []
    /// 1 where the binary forms of all columns are known; one column of another type makes texts of all.
    private(set) var resultFormat: Int32 = 1
    /// Grows when it is described anew.
    private(set) var version = 0
    /// Whether the server has it no more, or has it for a table that was changed since.
    var isStale = false
    var isOnServer = false
    /// Statements that have it.
    var users = 0
    var lastUse: UInt64 = 0

    /// Whether the names of its columns are those that stand in the SQL.
    private let keepsNames: Bool
    /// Those of the columns, for the comparison with each run's.
    private var names: [UnsafeMutablePointer<CChar>?] = []

    struct Column {
        let name: String
        /// Its type as the server numbers it.
        let oid: UInt32
        let type: WireType
        let declaredType: String
    }

    init(_ sql: ServerSQL, keepsStatements: Bool) {
        self.sql = sql
        isDirect = sql.words.isDirect && sql.numbers.isEmpty
        name = keepsStatements && !isDirect ? "corm_" + sha256(sql.source.utf8).prefix(32) : nil
        comparesTypes = name == nil || !sql.words.isPlanned
        keepsNames = sql.words.namesColumns && !sql.source.utf8.contains(UInt8(ascii: "*"))
    }

    deinit { for name in names { free(name) } }

    /// Takes the columns of a result, where another connection has changed a table's. If not all can be read in the form that
    /// was asked for, it is stale.
    func adoptColumns(_ result: OpaquePointer, _ pq: LibPQ) {
        guard comparesTypes && hasColumnsOfOtherTypes(result, pq) || !keepsNames && hasOtherNames(result, pq) else {
            return
        }
        takeColumns(result, pq)
        if resultFormat == 1, columns.contains(where: { $0.type == .other }) { isStale = true }
    }

    private func hasColumnsOfOtherTypes(_ result: OpaquePointer, _ pq: LibPQ) -> Bool {
        Int(pq.columnCount(result)) != columns.count
            || columns.indices.contains { columns[$0].oid != pq.columnType(result, Int32(truncatingIfNeeded: $0)) }
    }

    private func hasOtherNames(_ result: OpaquePointer, _ pq: LibPQ) -> Bool {
        let columnName = pq.columnName
        return names.withUnsafeBufferPointer { names in
            names.indices.contains { index in
                guard let old = names[index], let new = columnName(result, Int32(truncatingIfNeeded: index)) else {
                    return false
                }
                return strcmp(old, new) != 0
            }
        }
    }

    /// Notes what the server said against a run: the statement is described anew before the next one where that may help.
    func note(_ failure: ServerFailure) {
        guard failure.isStale || failure.isOutdated(self) else { return }
        isStale = true
        if failure.state == "26000" { isOnServer = false }
    }

    /// The server has it from here on, though what it says of it should not come.
    func isParsed() { (isOnServer, isStale) = (name != nil, true) }

    /// Takes what Describe answered.
    func describe(_ result: OpaquePointer, _ pq: LibPQ) {
        parameterOIDs = (0..<pq.parameterCount(result)).map { pq.parameterType(result, $0) }
        parameterTypes = parameterOIDs.map { WireType($0) }
        hasOtherTypes = parameterTypes.contains(.other)
        hasTexts = hasOtherTypes || parameterTypes.contains { [.json, .jsonb, .jsonValue].contains($0) }
        takeColumns(result, pq)
        resultFormat = columns.contains { $0.type == .other } ? 0 : 1
        isStale = false
    }

    private func takeColumns(_ result: OpaquePointer, _ pq: LibPQ) {
        columns = (0..<pq.columnCount(result)).map { index in
            let oid = pq.columnType(result, index)
            let type = WireType(column: oid, ofTable: pq.columnTable(result, index) != 0)
            return Column(
                name: pq.columnName(result, index).map { String(cString: $0) } ?? "", oid: oid, type: type,
                declaredType: type.declared(oid, modifier: pq.columnModifier(result, index)))
        }
        for name in names { free(name) }
        names = columns.map { strdup($0.name) }
        version += 1
    }
}

/// Those that a connection has prepared, by their SQL. The server keeps so many that no statement has.
struct PreparedStatements {
    private static let capacity = 256
    private var bySQL: [ExactText: Prepared] = [:]
    private var clock: UInt64 = 0

    mutating func find(_ sql: String) -> Prepared? {
        guard let found = bySQL[ExactText(sql)] else { return nil }
        clock += 1
        found.lastUse = clock
        return found
    }

    mutating func keep(_ prepared: Prepared) {
        clock += 1
        prepared.lastUse = clock
        bySQL[ExactText(prepared.sql.source)] = prepared
    }

    /// Returns one that goes for it, or nil.
    mutating func add(_ prepared: Prepared) -> Prepared? {
        keep(prepared)
        guard bySQL.count > PreparedStatements.capacity,
            let oldest = bySQL.values.filter({ $0.users == 0 && $0 !== prepared }).min(by: { $0.lastUse < $1.lastUse })
        else { return nil }
        bySQL[ExactText(oldest.sql.source)] = nil
        return oldest
    }

    /// After a loss of the connection.
    func forget() {
        invalidate()
        for prepared in bySQL.values { prepared.isOnServer = false }
    }

    /// When tables may have other columns than the server knew: each is prepared again before its next use.
    func invalidate() { for prepared in bySQL.values where !prepared.isDirect { prepared.isStale = true } }
}
