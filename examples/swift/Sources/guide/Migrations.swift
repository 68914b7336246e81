// Migrations: files brought to models, to steps and to versions, with nothing lost.
import Cormorant
import Foundation

@Model(allowDrop: ["fax"])
struct Person {
    @Key var id: Int64?
    @Column(renamedFrom: "full_name") var name: String
    @Column(convert: "iif(age NOT GLOB '*[^0-9]*', nullif(age, ''), NULL)") var age: Int64?
    @Column(default: "''") var email = ""
}

/// Does not say what becomes of the columns that it lacks.
@Model(table: "person")
struct BarePerson {
    @Key var id: Int64?
    var name: String
}

enum Migrations {
    /// What earlier releases have left: a name of another kind, ages as texts, a number that nobody calls.
    static let earlier: SQL = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, age TEXT, fax TEXT);
        INSERT INTO person VALUES (1, 'Ada', '36', '555'), (2, 'Grace', 'unknown', NULL);
        """

    static func show() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try Database(path: folder.appendingPathComponent("people.db").path)
        try database.executeScript(earlier)
        refuse(database)
        try plan(database)
        let snapshot = folder.appendingPathComponent("before.db").path
        try sync(database, snapshot)
        try restore(database, snapshot)
        try database.close()
        try save(folder.appendingPathComponent("people.db").path)
        let migrations = folder.appendingPathComponent("migrations").path
        try generate(migrations)
        try apply(migrations, to: Database(path: ":memory:"))
        try number(Database(path: ":memory:"))
    }

    /// A change that could lose something asks for its annotation; nothing is done.
    static func refuse(_ database: Database) {
        do {
            try database.sync(BarePerson.self)
        } catch {
            print(error)
        }
    }

    static func plan(_ database: Database) throws {
        print(try database.plan(Person.self))
    }

    static func sync(_ database: Database, _ snapshot: String) throws {
        let options = MigrationOptions(snapshot: snapshot) { progress in
            print("\(progress.step): step \(progress.index + 1) of \(progress.count), \(progress.done) rows")
            return true
        }
        try database.sync(Person.self, options: options)
        print(try database.fetchAll(Person.self).map { ($0.name, $0.age, $0.email) })
        print(try database.sync(Person.self).isEmpty)
    }

    static func restore(_ database: Database, _ snapshot: String) throws {
        try database.restore(snapshot)
    }

    /// One call makes the table or brings it up, and saves.
    static func save(_ path: String) throws {
        var options = OpenOptions()
        options.autoSync = true
        let database = try Database(path: path, options: options)
        var ida = Person(name: "Ida")
        try database.save(&ida)
        print(try database.fetchAll(Person.self).map(\.name))
    }

    /// Run when a release is made, not by the program that is released.
    static func generate(_ folder: String) throws {
        print(try MigrationBundle.generate(folder, name: "create_people", models: Person.self))
    }

    /// The steps that the file lacks run in their order, each once.
    static func apply(_ folder: String, to database: Database) throws {
        var bundle = try MigrationBundle(folder: folder)
        try bundle.add(
            MigrationStep(
                "0002_first_person",
                up: .function { _ = try $0.inserted(Person(name: "Ada")) },
                down: .sql("DELETE FROM person WHERE name = 'Ada'")))
        try database.apply(bundle)
        for step in try database.status(bundle) { print(step.id, step.state.name) }
        try database.revert(bundle, downTo: "0001_create_people")
    }

    static func number(_ database: Database) throws {
        let steps = [
            VersionStep(1, up: .sql("CREATE TABLE note (text)"), down: .sql("DROP TABLE note")),
            VersionStep(
                2, up: .sql("ALTER TABLE note ADD COLUMN day"), down: .sql("ALTER TABLE note DROP COLUMN day")),
        ]
        try database.setVersion(steps: steps)
        try database.setVersion(1, steps: steps)
        print(try database.version())
    }
}
