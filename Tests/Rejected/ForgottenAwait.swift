// expression is 'async' but is not marked with 'await'
import Cormorant

func forgottenAwait(_ database: Database) async throws -> [Artist] {
    try database.fetchAll(Artist.all)
}
