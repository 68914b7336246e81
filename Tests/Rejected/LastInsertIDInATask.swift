// 'lastInsertID' is unavailable from asynchronous contexts; ask in the body of perform or write
import Cormorant

func lastInsertIDInATask(_ database: Database) async throws -> Int64 {
    try await database.execute("INSERT INTO artist (name) VALUES ('x')")
    return database.lastInsertID
}
