import CormorantFoundation
import Foundation

@Model(table: "departments")
struct Department {
    @Key var id: Int64!
    @Column(unique: true) var name: String
}

@Model(table: "people", keys: [.index("department", "-salary")], checks: ["salary >= 0"])
struct Person {
    @Key var id: Int64!
    var name: String
    @References("departments", onDelete: .restrict) var department: Int64?
    var salary = 0
    var bonus: Decimal?
    var since: Date = Date()
    var skills: [String] = []
}
