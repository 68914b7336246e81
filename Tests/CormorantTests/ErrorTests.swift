import Cormorant
import CormorantBase
import Testing

@Model(checks: ["low < high"])
struct Range: Equatable {
    @Key var id: Int64?
    @Column(check: "low >= 0") var low: Int
    var high: Int
    @References("city", onDelete: .restrict) var cityID: Int64?
    @Column(notNull: true) var label: String?
}

struct ErrorTests {
    private let database: Database

    init() throws { database = try memoryDatabase(City.self, Range.self) }

    private func refuse(_ code: ErrorCode, _ range: Range) -> CormorantError? {
        var range = range
        return expectError(code) { try database.insert(&range) }
    }

    @Test func constraintsNameWhatTheyAreAbout() throws {
        let check = refuse(.check, Range(low: -1, high: 1, label: "secret"))
        #expect(check?.table == "range")
        #expect(check?.columns == ["low"])
        #expect(check?.constraint == "range_low_check")
        #expect(refuse(.check, Range(low: 2, high: 1, label: "secret"))?.constraint == "range_check_1")
        let null = refuse(.notNull, Range(low: 0, high: 1, label: nil))
        #expect(null?.columns == ["label"])
        let foreign = refuse(.foreignKey, Range(low: 0, high: 1, cityID: 9, label: "secret"))
        #expect(foreign?.table == "range")
        #expect(foreign?.columns == ["city_id"])
        _ = try database.inserted(City(name: "secret"))
        var again = City(name: "secret")
        let unique = expectError(.unique) { try database.insert(&again) }
        #expect(unique?.table == "city")
        #expect(unique?.columns == ["name"])
        for error in [check, null, foreign, unique] {
            #expect(error?.hint != nil)
            #expect(error?.sqliteCode != 0)
            #expect(error.map { "\($0)".contains("secret") } == false, "no bound value in a message")
        }
    }

    @Test func syntaxErrorsSayWhere() {
        let error = expectError(.sql) { try database.query("SELECT name FRM city") }
        #expect(error?.offset == 16)
        #expect(error?.sql == "SELECT name FRM city")
        #expect(expectError(.sql) { try database.execute("SELECT 'é', nothing") }?.offset == 13)
        expectError(.sql) { try database.execute("") }
        expectError(.sql) { try database.execute("SELECT 1; SELECT 2") }
        expectError(.sql) { try database.execute("SELECT 1\0") }
        expectError(.sql) { try database.executeScript("CREATE TABLE t (x); CREATE TABLE") }
    }

    @Test func aMissingTableSaysWhatToDo() throws {
        let error = expectError(.schema) { try database.fetchAll(Person.self) }
        #expect(error?.table == "person")
        #expect(error?.hint?.contains("create") == true)
        var person = Person(name: "Ada")
        expectError(.schema) { try database.insert(&person) }
        try database.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
        #expect(expectError(.schema) { try database.createTables(Person.self) }?.columns == ["age"])
    }

    @Test func referencesAreCreatedInOrderAndChecked() throws {
        let other = try Database(path: ":memory:")
        #expect(expectError(.model) { try other.createTables(Range.self) }?.message.contains("city") == true)
        try other.createTables(Range.self, City.self)
        let city = try other.inserted(City(name: "Rome"))
        _ = try other.inserted(Range(low: 0, high: 1, cityID: city.id, label: "x"))
        #expect(expectError(.foreignKey) { try other.delete(city) }?.hint != nil)
    }

    /// finding swift.md section 5
    @Test func messagesAreInSwiftsWords() throws {
        let database = try memoryDatabase(Person.self)
        let two = expectError(.sql) { try database.query("SELECT 1; SELECT 2") }
        #expect(two?.hint?.contains("executeScript") == true)
        #expect(
            inSwift("allow_drop \"a_b\", or renamed_from; my_allow_drop")
                == "allowDrop \"a_b\", or renamedFrom; my_allow_drop")
        #expect(
            inSwift("t.allow_drop and \"allow_drop\" need allow_drop.")
                == "t.allow_drop and \"allow_drop\" need allowDrop.")
        let check = expectError(.sql) { try database.createTables(Misspelt.self) }
        #expect(check?.message.contains("Misspelt") == true && check?.message.contains("pags") == true)
        var person = Person(name: "Ada")
        let missing = expectError(.noRecord) { try database.update(&person) }
        #expect(missing?.hint?.contains("insert the record first") == true)
    }

    @Test func theDescriptionIsOneLine() throws {
        let error = try #require(expectError(.sql) { try database.query("SELEC 1") })
        #expect(
            "\(error)"
                == ".sql: near \"SELEC\": syntax error; it stands in line 1 of the SQL, at character 1 [SQL: SELEC 1]")
        #expect(ErrorCode.allCases.allSatisfy { "\($0.name)".hasPrefix("CORM_E_") })
    }
}

@Model
private struct Misspelt {
    @Key var id: Int64?
    @Column(check: "pags > 0") var pages: Int
}
