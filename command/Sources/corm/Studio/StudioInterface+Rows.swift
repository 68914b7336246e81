import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// Rows and what they are related to.
extension StudioInterface {
    /// Nothing of it where it is what the page knows already.
    func schema(_ file: StudioFile, _ json: JSON) throws -> JSON {
        let version = try file.schemaVersion()
        if json["known"].integer == version { return ["isKnown": true, "undo": JSON(file.undoCount)] }
        let metadata = try file.metadata()
        return [
            "version": .integer(version), "metadata": .raw(metadata.json),
            "keys": .object(
                metadata.tables.map { table in
                    let shape = TableShape(table)
                    return (
                        table.name,
                        [
                            "hasKey": .bool(!shape.key.isEmpty), "hasRowID": .bool(shape.hasRowID),
                            "label": JSON(shape.label),
                        ]
                    )
                }),
            "undo": JSON(file.undoCount),
        ]
    }

    func rows(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let page = try RowPage(json, of: file.table(json.required("table")))
        return try file.read(StudioJob(connection, seconds: 10)) { try page.read(from: json["from"], $0) }
    }

    /// - Returns: `{"count"}`, and `{"about"}` where counting takes too long and row numbers tell.
    func count(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let shape = try file.table(json.required("table"))
        let page = try RowPage(json, of: shape)
        do {
            return [
                "count": JSON(try file.read(StudioJob(connection, seconds: 3), by: .console) { try page.count($0) })
            ]
        } catch let error as CormorantError where [.interrupted, .tooBig].contains(error.code) {
            guard shape.hasRowID, json["filters"].elements.isEmpty, (json["search"].text ?? "").isEmpty else {
                return ["count": .null]
            }
            return try file.read(StudioJob(connection, seconds: 1)) { connection in
                let key = shape.key[0]
                let statement = try connection.statement(
                    "SELECT (SELECT max(\(key)) FROM \(shape.name)) - (SELECT min(\(key)) FROM \(shape.name)) + 1")
                defer { connection.recycle(statement) }
                guard try statement.step() else { return ["count": .null] }
                return ["count": .null, "about": .integer(Row(statement).cell(0).int64)]
            }
        }
    }

    func related(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let keys = try json["keys"].elements.prefix(500).map(Wire.values)
        let relations = RowRelations(
            shape: try file.table(json.required("table")), keys: keys, tables: try file.metadata().tables)
        return try file.read(StudioJob(connection, seconds: 5)) { try relations.counts($0) }
    }

    func labels(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let shape = try file.table(json.required("table"))
        let column = try json.required("column")
        let values = try Wire.values(.array(Array(json["values"].elements.prefix(500))))
        let labels = try file.read(StudioJob(connection, seconds: 2)) {
            try RowRelations.labels(of: shape, by: column, values, $0)
        }
        return ["labels": .array(labels.map { .array([Wire.json($0.value), $0.label]) })]
    }

    func value(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let value = try CellValue(json, of: file.table(json.required("table")))
        return try file.read(StudioJob(connection, seconds: 10)) {
            try value.read(from: Int(json["from"].integer ?? 0), count: Int(json["count"].integer ?? 65_536), $0)
        }
    }

    func picture(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> HTTPResponse {
        let value = try CellValue(json, of: file.table(json.required("table")))
        guard let picture = try file.read(StudioJob(connection, seconds: 10), { try value.picture($0) }) else {
            return HTTPResponse(status: 404, text: "the value is no picture")
        }
        return HTTPResponse(type: picture.type, bytes: picture.bytes)
    }

    /// Streams the rows as a file.
    func export(_ json: JSON, _ connection: HTTPConnection) throws {
        let file = try session.file(json)
        let shape = try file.table(json.required("table"))
        let page = try RowPage(json, of: shape)
        let format: RowFormat
        var response: HTTPResponse
        switch json["format"].text {
        case "json": (format, response) = (.json, HTTPResponse(type: "application/json", bytes: []))
        case "sql": (format, response) = (.ndjson, HTTPResponse(type: "application/sql", bytes: []))
        default: (format, response) = (.csv, HTTPResponse(type: "text/csv; charset=utf-8", bytes: []))
        }
        let isSQL = json["format"].text == "sql"
        let isForSpreadsheets = json["format"].text == "spreadsheet"
        // A name of plain letters: others would have to be quoted for a header.
        let name = String(
            shape.table.name.unicodeScalars.map {
                $0.properties.isAlphabetic && $0.isASCII || "0"..."9" ~= $0 ? Character($0) : "_"
            })
        let end = isSQL ? "sql" : format == .json ? "json" : "csv"
        response.headers.append(("Content-Disposition", "attachment; filename=\"\(name).\(end)\""))
        try connection.begin(response)
        let output = Output("the export") { try connection.chunk($0) }
        try file.read(StudioJob(connection, seconds: 3600), by: .console) { database in
            try page.export(
                to: { names in
                    isSQL
                        ? InsertWriter(shape, names, output)
                        : try format.writer(names, isForSpreadsheets: isForSpreadsheets, to: output)
                }, database)
        }
        try output.flush()
        try connection.end()
    }
}

/// Rows as INSERT statements.
private struct InsertWriter: RowWriter {
    private let start: String
    private let output: Output

    init(_ shape: TableShape, _ names: [String], _ output: Output) {
        start = "INSERT INTO \(quoteIdentifier(shape.table.name)) (\(quotedNames(names))) VALUES ("
        self.output = output
    }

    mutating func add(_ row: Row) throws {
        var line = Array(start.utf8)
        for column in 0..<row.count {
            if column > 0 { line.append(contentsOf: ", ".utf8) }
            let cell = row.cell(Int32(column))
            switch cell.type {
            case StorageType.integer: line.append(contentsOf: String(cell.int64).utf8)
            case StorageType.real:
                let real = cell.double
                line.append(contentsOf: jsonNumber(real).utf8)
            case StorageType.text:
                line.append(0x27)
                for byte in cell.text { line.append(contentsOf: byte == 0x27 ? [byte, byte] : [byte]) }
                line.append(0x27)
            case StorageType.blob: line.append(contentsOf: "x'\(Wire.hex(cell.blob))'".utf8)
            default: line.append(contentsOf: "NULL".utf8)
            }
        }
        line.append(contentsOf: ");\n".utf8)
        try output.write(bytes: line)
    }

    func end() {}
}
