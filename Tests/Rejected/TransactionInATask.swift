// instance method 'transaction' is unavailable from asynchronous contexts; await transaction with a body
import Cormorant

func transaction(_ database: Database) async throws {
    try database.transaction { try database.execute("DELETE FROM artist") }
}
