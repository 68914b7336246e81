import Cormorant
import CormorantBase
import Testing

struct ErrorTests {
    private let database: Database

    init() throws { database = try Database(path: ":memory:") }

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
        #expect(inSwift("lower writer_count and reader_count") == "lower writerCount and readerCount")
        #expect(inSwift("distributed_by names no property") == "distributedBy names no property")
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
