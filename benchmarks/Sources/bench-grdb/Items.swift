import GRDB
import Workload

/// The record as GRDB's guide writes it first: Codable does the mapping.
struct CodableItem: ItemFields, Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var quantity: Int64
    var grade: Int64
    var region: Int64
    var price: Double
    var weight: Double
    var name: String
    var city: String
    var code: String
    var note: String?
}

/// The record with hand-written mapping, as GRDB's guide advises where speed matters: columns by position.
struct ManualItem: ItemFields, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var quantity: Int64
    var grade: Int64
    var region: Int64
    var price: Double
    var weight: Double
    var name: String
    var city: String
    var code: String
    var note: String?
}

extension ManualItem {
    // In an extension, so that the memberwise initialiser stays.
    init(row: Row) {
        id = row[0]
        quantity = row[1]
        grade = row[2]
        region = row[3]
        price = row[4]
        weight = row[5]
        name = row[6]
        city = row[7]
        code = row[8]
        note = row[9]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["quantity"] = quantity
        container["grade"] = grade
        container["region"] = region
        container["price"] = price
        container["weight"] = weight
        container["name"] = name
        container["city"] = city
        container["code"] = code
        container["note"] = note
    }
}
