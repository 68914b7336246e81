import Cormorant
import CormorantFoundation
import Foundation
import Testing

/// SQL of the program's own: what is interpolated is bound, and what comes back has types.
struct SQLTests {
    private let database: Database

    init() throws {
        database = try memoryDatabase(Person.self)
        var people = [
            Person(name: "Ada", city: "London", age: 36), Person(name: "Alan", city: "London", age: 41),
            Person(name: "Edsger", city: nil, age: 72),
        ]
        try database.insert(contentsOf: &people)
    }

    private func names(_ sql: SQL) throws -> [String] { try database.fetchAll(sql, as: String.self) }

    @Test func interpolatedValuesAreBound() throws {
        let hostile = "' OR 1 = 1; DROP TABLE person; --"
        #expect(try names("SELECT name FROM person WHERE name = \(hostile)") == [])
        #expect(try names("SELECT \(hostile)") == [hostile])
        let (age, city): (Int, String?) = (40, nil)
        #expect(try names("SELECT name FROM \(Person.self) WHERE age > \(age) AND city IS \(city)") == ["Edsger"])
        // A digit behind a value is none of the parameter's.
        expectError(.sql) { try names("SELECT name FROM person WHERE age > \(age)1") }
        #expect(
            try names("SELECT \(name: "name") FROM person WHERE id IN \(list: [3, 1]) ORDER BY id") == [
                "Ada", "Edsger",
            ])
        #expect(try names("SELECT name FROM person WHERE id IN \(list: [Int]())") == [])
        // In the SQL's own parentheses, too.
        #expect(try names("SELECT name FROM person WHERE id IN (\(list: [3, 1])) ORDER BY id").count == 2)
        #expect(try names("SELECT name FROM person WHERE id IN ( \(list: [Int]()) )") == [])
        #expect(try names("SELECT name FROM person WHERE id NOT IN (\(list: [Int]()))").count > 1)
        let old: SQL = "age > \(50)"
        #expect(try names("SELECT name FROM person WHERE \(old) OR name = \("Ada") ORDER BY id") == ["Ada", "Edsger"])
        #expect(try names(SQL("SELECT \("a literal")")) == ["a literal"])
        let text = "SELECT name FROM person WHERE id = ?"
        #expect(try database.fetchAll(SQL(text: text), [2], as: String.self) == ["Alan"])
        #expect(try database.execute("UPDATE person SET city = \("Paris") WHERE age < \(50)") == 2)
        #expect(
            try database.fetchAll(Person.self, Query(sql: "SELECT * FROM person WHERE city = \("Paris")")).count == 2)
        let name = "Ada"
        #expect(try database.fetchCount(Person.where { _ in raw("name = \(name)") }) == 1)
        let moment = Date(timeIntervalSince1970: 0)
        #expect(try names("SELECT \(moment)") == ["1970-01-01 00:00:00"])
    }

    @Test func valuesOfAnyColumnTypeAreGivenBeside() throws {
        let (age, city, name, moment) = (40, nil as String?, "Ada", Date(timeIntervalSince1970: 0))
        let (value, none) = (Value.integer(1), nil as Value?)
        let older: SQL = "SELECT name FROM person WHERE age > ? AND city IS ?"
        #expect(try database.fetchAll(older, [age, city], as: String.self) == ["Edsger"])
        #expect(try database.fetchOne("SELECT name FROM person WHERE age > ?", [age], as: String.self) == "Alan")
        #expect(
            try database.fetchValues("SELECT quote(:a) || quote(:b) || quote(:c)", ["a": moment, "b": city, "c": name])
                == ["'1970-01-01 00:00:00'NULL'Ada'"])
        #expect(
            try database.query("SELECT ?, ?, ?, ?, ?, ?", [value, none, nil, .null, .integer(7), [1, 2] as [UInt8]])[0]
                .values == [1, .null, .null, .null, 7, .blob([1, 2])])
        #expect(try database.fetchCount(Person.where { _ in raw("age > ? AND name <> ?", [age, name]) }) == 2)
        #expect(try database.execute("UPDATE person SET city = ? WHERE name = ?", [city, name]) == 1)
        #expect(
            try database.fetchAll(Person.self, Query(sql: "SELECT * FROM person WHERE name = ?", [name])).count == 1)
        let cursor = try database.rowCursor("SELECT name FROM person WHERE age > :age", ["age": age])
        #expect(try cursor.next()?.values == ["Alan"])
    }

    @Test func aValueBesideThatCannotBeStoredIsTheCallsError() throws {
        let far = Date(timeIntervalSince1970: 1e15)
        func said(_ place: String, _ call: () throws -> Void) -> Bool {
            expectError(.range, call)?.message == "\(place): a date is beyond the years 1 to 9999"
        }
        #expect(said("interpolated value 1") { _ = try database.query("SELECT \(far)") })
        #expect(said("parameter 2") { _ = try database.query("SELECT ?, ?", [1, far]) })
        #expect(
            said("parameter \"a\"") { try database.execute("UPDATE person SET name = :a", ["a": far]) })
        expectError(.range) { try database.fetchCount(Person.where { _ in raw("? > 0", [far]) }) }
        #expect(try database.fetchCount(Person.where { $0.name == "Ada" }) == 1)
    }

    @Test func whatCannotBeBoundIsAnError() throws {
        let quoted = expectError(.binding) { try database.query("SELECT '\(7)'") }
        #expect(quoted?.message == "1 value was interpolated, the statement has 0 parameters")
        #expect(quoted?.hint == "write no quotes around an interpolated value, and no parameters beside it")
        expectError(.binding) { try database.query("SELECT \(1), ?") }
        expectError(.binding) { try database.query("SELECT \(1), ?", [2]) }
        expectError(.binding) { try database.query("SELECT \(1), :a", ["a": 2]) }
        expectError(.range) { try database.query("SELECT \(Date(timeIntervalSince1970: 1e15))") }
        expectError(.range) {
            try database.fetchCount(Person.where { _ in raw("\(Date(timeIntervalSince1970: 1e15)) > 0") })
        }
        expectError(.misuse) { try database.executeScript("DELETE FROM person WHERE id = \(1)") }
        expectError(.range) { try database.fetchAll(Person.self, Query(sql: "SELECT *, \(Double.nan) FROM person")) }
        #expect(try database.fetchCount(Person.self) == 3)
    }

    @Test func columnsHaveTypes() throws {
        let people = try database.fetchAll(
            "SELECT name, age, city, age / 2.0 FROM person ORDER BY id", as: String.self, Int.self, String?.self,
            Double.self)
        #expect(people.map(\.0) == ["Ada", "Alan", "Edsger"] && people.map(\.1) == [36, 41, 72])
        #expect(people.map(\.2) == ["London", "London", nil] && people.map(\.3) == [18, 20.5, 36])
        #expect(try database.fetchOne("SELECT max(age) FROM person", as: Int.self) == 72)
        let none: Int? = try database.fetchOne("SELECT max(age) FROM person WHERE id > 9", as: Int?.self)
        #expect(none == nil)
        #expect(try database.fetchOne("SELECT name FROM person WHERE id > 9", as: String.self) == nil)
        let oldest = try #require(
            try database.fetchOne("SELECT name, age FROM person ORDER BY age DESC", as: String.self, Int.self))
        #expect(oldest.0 == "Edsger" && oldest.1 == 72)
        let wrong = expectError(.type) { try database.fetchAll("SELECT name FROM person", as: Int.self) }
        #expect(wrong?.columns == ["name"])
        let third = expectError(.type) {
            try database.fetchAll("SELECT iif(id = 3, name, id) AS n FROM person ORDER BY id", as: Int.self)
        }
        #expect(third?.recordIndex == 2 && third?.message.hasSuffix("(in row 2)") == true)
        expectError(.nullValue) { try database.fetchAll("SELECT city FROM person WHERE city IS NULL", as: String.self) }
        let many = expectError(.misuse) { try database.fetchAll("SELECT name, age FROM person", as: String.self) }
        #expect(many?.hint == "give a type for each of name, age")
        expectError(.misuse) { try database.fetchAll("SELECT name FROM person", as: String.self, Int.self) }
    }

    @Test func theValueOfAQueryIsOptionalOnce() throws {
        let none: Int? = try database.fetchOne(Person.where { $0.age > 100 }.select { $0.age.max() })
        #expect(none == nil)
        let most: Int? = try database.fetchOne(Person.select { $0.age.max() })
        #expect(most == 72)
    }

    @Test func aParameterHasOneValueAndAListBecomesBindings() throws {
        let database = try Database(path: ":memory:")
        expectError(.binding) { try database.query("SELECT :a", ["a": 1, ":a": 2]) }
        expectError(.binding) { try database.query("SELECT :a", ["a": 1, "a": 2]) }
        expectError(.binding) { try database.query("SELECT :a", .named(["a": 1, ":a": 2])) }
        expectError(.type) { try database.query("SELECT ?", [DecimalText("abc")]) }
        let values: [(any BindableValue)?] = [1, "b", nil]
        #expect(try database.query("SELECT ?, ?, ?", Bindings(values))[0].values == [1, "b", .null])
        #expect(try database.query("SELECT ?, ?", Bindings([2, 3]))[0].values == [2, 3])
    }

    @Test func tasksAwaitTheSame() async throws {
        let age = 40
        #expect(try await database.fetchAll("SELECT name FROM person WHERE age > \(age)", as: String.self).count == 2)
        #expect(try await database.fetchAll("SELECT name FROM person WHERE age > ?", [age], as: String.self).count == 2)
        #expect(try await database.query("SELECT :age + 1", ["age": age])[0].values == [41])
        let first = try await database.fetchOne("SELECT name, age FROM person", as: String.self, Int.self)
        #expect(first?.0 == "Ada" && first?.1 == 36)
        let most: Int? = try await database.fetchOne(Person.select { $0.age.max() })
        #expect(most == 72)
        #expect(try await database.fetchValues("SELECT 1") == [1])
        #expect(try await database.exists(Person.self, key: 1))
        #expect(try await database.delete(Person.self, key: 1))
        #expect(try await database.find(Person.self, key: 1) == nil)
        #expect(try await database.deleteAll(Person.self) == 2)
        let store = try await database.store("settings")
        try await store.put("theme", "dark")
        #expect(try await store.entry("theme")?.value == "dark")
        #expect(try await store.contains("theme"))
        #expect(try await store.delete("theme"))
        #expect(try await store.count() == 0)
    }
}
