// instance method 'begin' is unavailable from asynchronous contexts; await transaction, read or write with a body
import Cormorant

func begin(_ database: Database) async throws {
    try database.begin()
    try await Task.sleep(for: .milliseconds(5))
    try database.commit()
}
