import CormorantBase
import CormorantQuery
import CormorantSQLite

extension StatementCursor {
    /// The rows that are left as one JSON array of objects, their values as SQLite holds them.
    /// - Parameter names: the keys; empty: the model's properties, else the statement's names.
    package func json(names: [String] = []) throws -> [UInt8] {
        var json = [UInt8(ascii: "[")]
        var members: [Member]?
        try readRows { row in
            if members == nil { members = try jsonMembers(names) } else { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "{"))
            for member in members ?? [] {
                try json.makeRoom(member.key.count + 64)
                json.append(contentsOf: member.key)
                if let time = member.time { try checkTime(row.cell(member.column), of: time.table, time.column) }
                try row.appendJSON(column: member.column, to: &json)
            }
            json.append(UInt8(ascii: "}"))
            return true
        }
        json.append(UInt8(ascii: "]"))
        return json
    }

    /// Each column with what stands before its value.
    private func jsonMembers(_ names: [String]) throws -> [Member] {
        let columns = try outlineColumns(names: names)
        try requireDistinctKeys(columns.lazy.map(\.name))
        return columns.enumerated().map { index, column in
            var key = index == 0 ? [] : [UInt8(ascii: ",")]
            appendJSONString(column.name.utf8, to: &key)
            key.append(UInt8(ascii: ":"))
            var time: TimeColumn?
            if let table = model?.tableReference, table.columns[index].type.timeForm != nil {
                time = (table, table.columns[index])
            }
            return (key, column.source, time)
        }
    }

    private typealias TimeColumn = (table: TableReference, column: TableReference.Column)
    private typealias Member = (key: [UInt8], column: Int32, time: TimeColumn?)
}
