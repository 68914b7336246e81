// requires that 'ReturningStatement<Artist.Columns, Artist>' conform to 'RowQuery'
import Cormorant

func returningInARead(_ reader: Reader) throws -> [Artist] {
    try reader.fetchAll(Artist.where { $0.id == 1 }.delete().returning())
}
