import Cormorant
import Foundation
import Testing

@Model(table: "order \"by\" ][`'; DROP TABLE person; --")
struct Hostile: Equatable {
    @Key @Column("select") var id: Int64?
    @Column("группа \"x\" [y]", unique: true, check: "length(\"группа \"\"x\"\" [y]\") > 0") var label: String
    @Column("a.b, c") var other: String?
}

struct LongName: Record {
    static let name = String(repeating: "n", count: 10_000)
    static let model = ModelDescriptor(
        name: name, table: name, columns: [ColumnDescriptor("label", String.self, column: name, indexed: true)])

    var label: String

    init(label: String) { self.label = label }
    init(from reader: RecordReader) throws { label = try String(from: reader, at: 0) }
    func write(to writer: inout RecordWriter) throws { try label.write(to: &writer, at: 0) }
    mutating func setGeneratedKey(_ key: Int64) {}
    mutating func clearGeneratedKey() {}
}

@Model
struct File {
    @Key var id: Int64?
    var data: [UInt8]
}

struct HostileInputTests {
    @Test func namesOfEveryKind() throws {
        let database = try memoryDatabase(Hostile.self, Person.self)
        var record = Hostile(label: "x", other: "'); DROP TABLE person; --")
        try database.insert(&record)
        record.label = "y"
        try database.save(&record)
        try database.update(&record, properties: ["other"])
        #expect(try database.find(Hostile.self, key: 1) == record)
        #expect(try database.fetchAll(Hostile.self, Query(["label": "y"], order: ["-other"])) == [record])
        #expect(try database.tableExists(Person.self))
        record.label = ""
        #expect(expectError(.check) { try database.update(&record) }?.columns == ["группа \"x\" [y]"])
        let long = try memoryDatabase(LongName.self)
        _ = try long.inserted(LongName(label: "x"))
        #expect(try long.fetchAll(LongName.self, Query(["label": "x"])).count == 1)
    }

    @Test func aBlobOf100Megabytes() throws {
        let database = try memoryDatabase(File.self)
        var file = File(data: Array(repeating: 0xA5, count: 100_000_000))
        file.data[99_999_999] = 1
        try database.insert(&file)
        let read = try database.find(File.self, key: 1)
        #expect(read?.data == file.data)
    }

    @Test func numbersThatSQLiteCannotHold() throws {
        let database = try memoryDatabase(Person.self)
        #expect(expectError(.range) { try database.query("SELECT ?", [.real(.nan)]) }?.message.contains("NaN") == true)
        expectError(.range) { try database.query("SELECT ?", [UInt64.max]) }
        #expect(
            try database.fetchValues("SELECT ? UNION ALL SELECT ?", [Int64.min, Int64.max]) == [
                .integer(.min), .integer(.max),
            ])
        #expect(try database.fetchValues("SELECT ?", [Double.infinity]) == [.real(.infinity)])
    }

    @Test func aClosedDatabaseSaysSo() throws {
        let database = try memoryDatabase(Person.self)
        try database.close()
        var ada = Person(name: "Ada")
        expectError(.misuse) { try database.close() }
        expectError(.misuse) { try database.insert(&ada) }
        expectError(.misuse) { try database.fetchAll(Person.self) }
        expectError(.misuse) { try database.query("SELECT 1") }
        expectError(.misuse) { try database.begin() }
        expectError(.misuse) { try database.createTables(Person.self) }
        database.interrupt()
        #expect(database.changes == 0)
    }

    @Test func pathsThatAreNoDatabase() throws {
        let folder = try TemporaryFolder()
        #expect(expectError(.cannotOpen) { try openDatabase(path: folder.path) }?.message.contains("directory") == true)
        expectError(.cannotOpen) { try openDatabase(path: folder.file("none/x.db")) }
        let missing = OpenOptions(mode: .readWrite)
        expectError(.cannotOpen) { try openDatabase(path: folder.file("none.db"), options: missing) }
        expectError(.misuse) { try openDatabase(path: "") }
        expectError(.misuse) { try openDatabase(path: "a\0b") }
        let text = folder.file("text.db")
        try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: text))
        expectError(.notADatabase) { try openDatabase(path: text) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: text)) == Data(repeating: 0x41, count: 4096))
    }

    @Test(.enabled(if: getuid() != 0, "root may read and write everything"))
    func filesWithoutPermission() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try openDatabase(path: path, options: OpenOptions(journalMode: .delete)).close()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        expectError(.readOnly) { try openDatabase(path: path) }
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        expectError(.cannotOpen) { try openDatabase(path: path, options: OpenOptions(mode: .readOnly)) }
    }
}
