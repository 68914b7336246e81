import Cormorant
import Testing

/// UPDATE, DELETE and INSERT by expressions.
struct ChangeTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    private func titles(_ query: SelectQuery<Album, Album.Columns> = Album.all) throws -> [String] {
        try database.fetchAll(query.order { $0.id }.select { $0.title })
    }

    @Test func updates() throws {
        let update = Album.where { $0.year < 1980 }.update {
            $0.price = $0.price * 2
            $0.title = $0.title + "!"
            $0.year = nil
        }
        try expectSQL(
            update, #"UPDATE "album" SET "price" = "price" * ?, "title" = "title" || ?, "year" = ? WHERE "year" < ?"#,
            [2.0, "!", .null, 1980])
        #expect(try database.execute(update) == 3)
        #expect(try titles(Album.where { $0.title.hasSuffix("!") }) == ["High Voltage!", "Waterloo!", "Arrival!"])
        #expect(try database.execute(Album.all.update { $0.price = 1 }) == 6)
        expectError(.misuse) { try database.execute(Album.all.update { _ in }) }
    }

    @Test func aPropertyThatMayBeNilTakesWhatIsNot() throws {
        let update = Album.where { $0.title.hasPrefix("High") }.update { $0.year = ($0.year ?? 1900) + 1 }
        try expectSQL(
            update, #"UPDATE "album" SET "year" = coalesce("year", ?) + ? WHERE "title" LIKE ? ESCAPE '\'"#,
            [1900, 1, "High%"])
        #expect(try database.execute(update) == 1)
        #expect(try database.fetchOne(Album.where { $0.title == "High Voltage" })?.year == 1977)
    }

    /// SQL would add to what the row held before.
    @Test func aPropertyIsSetOnce() throws {
        let update = Album.all.update {
            $0.year = 1
            $0.year = $0.year + 2
        }
        #expect(expectError(.misuse) { try update.sql }?.message == "Album.year is set twice")
        let insert = Artist.insert {
            $0.name = "a"
            $0.set("name", to: SQLExpression("b"))
        }
        expectError(.misuse) { try database.execute(insert) }
    }

    @Test func updatesAlongOtherTables() throws {
        let swedish = Artist.where { $0.country == "SE" }.select { $0.id }
        #expect(try database.execute(Album.where { $0.artistID.isIn(swedish) }.update { $0.price = 5 }) == 2)
        let byName = Album.where { $0.artist.name == "Bach" }
        #expect(try database.execute(byName.update { $0.year = 1741 }) == 1)
        #expect(try database.fetchOne(byName)?.year == 1741)
    }

    @Test func deletes() throws {
        let delete = Album.where { $0.price < 7 || $0.year == nil }.delete()
        try expectSQL(delete, #"DELETE FROM "album" WHERE "price" < ? OR "year" IS NULL"#, [7.0])
        #expect(try database.execute(delete) == 3)
        #expect(try titles() == ["High Voltage", "Back in Black", "Arrival"])
        #expect(try database.execute(Album.all.delete()) == 3)
    }

    @Test func onlyConditionsGoWithAChange() throws {
        expectError(.misuse) { try Album.all.limit(1).delete().sql }
        expectError(.misuse) { try Album.all.order { $0.id }.update { $0.price = 1 }.sql }
        expectError(.misuse) { try Album.alias("a").delete().sql }
    }

    @Test func returning() throws {
        let gone = try database.fetchAll(Album.where { $0.year == 1976 }.delete().returning { ($0.id, $0.title) })
        #expect(gone.map(\.0) == [1, 4] && gone.map(\.1) == ["High Voltage", "Arrival"])
        let changed = try database.fetchAll(Album.where { $0.id == 2 }.update { $0.price = 3 }.returning())
        #expect(changed == [Album(id: 2, title: "Back in Black", artistID: 1, year: 1980, price: 3)])
        #expect(try database.fetchOne(Artist.insert { $0.name = "New" }.returning { $0.id }) == 5)
    }

    @Test func inserts() throws {
        let insert = Artist.insert {
            $0.name = "Ravel"
            $0.country = "FR"
        }
        try expectSQL(insert, #"INSERT INTO "artist" ("name", "country") VALUES (?, ?)"#, ["Ravel", "FR"])
        #expect(try database.execute(insert) == 1)
        #expect(try database.fetchOne(Artist.where { $0.id == 5 }) == Artist(id: 5, name: "Ravel", country: "FR"))
        expectError(.notNull) { try database.execute(Artist.insert { $0.country = "FR" }) }
        #expect(try database.execute(Artist.insert(onConflict: .ignore) { $0.country = "FR" }) == 0)
    }

    @Test func insertsOfAQuery() throws {
        let insert = Artist.insert(
            \.name, \.country, from: Employee.select { ($0.name, SQLExpression("CH" as String?)) })
        try expectSQL(insert, #"INSERT INTO "artist" ("name", "country") SELECT "name", ? FROM "employee""#, ["CH"])
        #expect(try database.execute(insert) == 4)
        #expect(try database.execute(Artist.insert(\.name, from: Album.select { $0.title })) == 6)
        #expect(try database.fetchCount(Artist.all) == 14)
    }

    @Test func upserts() throws {
        try database.createTables(Counter.self)
        func add(_ word: String, _ number: Int) throws -> Int? {
            let statement = Counter.insert {
                $0.word = SQLExpression(word)
                $0.number = SQLExpression(number)
            }.upsert(on: \.word) { row, new in row.number = row.number + new.number }
            return try database.fetchOne(statement.returning { $0.number })
        }
        #expect(try add("sea", 1) == 1)
        #expect(try add("sea", 5) == 6)
        let again = Counter.insert {
            $0.word = "sea"
            $0.number = 0
        }.upsert(on: \.word)
        try expectSQL(
            again, #"INSERT INTO "counter" ("word", "number") VALUES (?, ?) ON CONFLICT ("word") DO NOTHING"#,
            ["sea", 0])
        #expect(try database.execute(again) == 0)
        let copy = Counter.insert(\.word, \.number, from: Album.select { ($0.title, SQLExpression(1)) })
            .upsert(on: \.word) { row, new in row.number = new.number }
        #expect(try database.execute(copy) == 6)
    }

    @Test func aComputedColumnIsNotSet() throws {
        let error = expectError(.misuse) { try Membership.all.update { $0.number = 1 }.sql }
        #expect(error?.message == "Membership.number is computed and cannot be set")
    }
}

@Model
private struct Counter {
    @Key var word: String
    var number: Int = 0
}
