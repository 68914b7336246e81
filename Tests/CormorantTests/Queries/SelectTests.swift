import Cormorant
import Testing

/// Queries over one table: their SQL, bindings and rows.
struct SelectTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    @Test func wholeRecords() throws {
        let query = Album.where { $0.price > 7 && $0.title.hasPrefix("B") }.order { $0.title.desc() }.limit(10)
        try expectSQL(
            query,
            #"SELECT "id", "title", "artist_id", "year", "price" FROM "album" WHERE "price" > ? AND "title" LIKE ? ESCAPE '\' "#
                + #"ORDER BY "title" DESC LIMIT ?"#, [7.0, "B%", 10])
        #expect(
            try database.fetchAll(query) == [Album(id: 2, title: "Back in Black", artistID: 1, year: 1980, price: 10)])
        #expect(try database.fetchAll(Album.all).count == 6)
    }

    @Test func oneCountExistsAndPages() throws {
        let old = Album.where { $0.year < 1980 }.order { ($0.year, $0.title) }
        #expect(try database.fetchOne(old)?.title == "Waterloo")
        #expect(try database.fetchOne(old.offset(1))?.title == "Arrival")
        #expect(try database.fetchOne(old.limit(0)) == nil)
        #expect(try database.fetchOne(Album.where { $0.year == 1 }) == nil)
        #expect(try database.fetchCount(old) == 3)
        #expect(try database.fetchCount(old.limit(2)) == 2)
        #expect(try database.fetchCount(Album.select { $0.year }.distinct()) == 5)
        #expect(try database.fetchPageCount(old, pageSize: 2) == 2)
        #expect(try database.exists(old))
        #expect(try !database.exists(Album.where { $0.year == 1 }))
    }

    @Test func valuesAndTuples() throws {
        let byYear = Album.all.order { ($0.year.desc().nullsFirst(), $0.title) }
        try expectSQL(
            byYear.select { ($0.title, $0.year) },
            #"SELECT "title", "year" FROM "album" ORDER BY "year" DESC NULLS FIRST, "title""#)
        let pairs = try database.fetchAll(byYear.select { ($0.title, $0.year) })
        #expect(pairs.map(\.0) == ["Fugues", "Anonymous", "Back in Black", "Arrival", "High Voltage", "Waterloo"])
        #expect(pairs.map(\.1) == [nil, 2000, 1980, 1976, 1976, 1974])
        #expect(try database.fetchAll(byYear.select { $0.year }).first == .some(nil))
        #expect(try database.fetchOne(byYear.select { ($0.title, $0.price * 2, $0.year == nil) })?.1 == 24)
    }

    @Test func recordsOfOnesOwnMaking() throws {
        let query = Album.group { $0.artistID }.having { _ in count() > 1 }.order { $0.artistID }
            .select { Summary.Columns(title: $0.title.min() ?? "", count: count()) }
        #expect(
            try database.fetchAll(query) == [
                Summary(title: "Back in Black", count: 2), Summary(title: "Arrival", count: 2),
            ])
        let mixed = try database.fetchAll(Album.where { $0.id == 1 }.select { ($0, $0.title.uppercased()) })
        #expect(mixed.map(\.0.title) == ["High Voltage"] && mixed.map(\.1) == ["HIGH VOLTAGE"])
        // Like any others they can be read from again.
        let most = Summary.from(query).where { $0.title == "Arrival" }
        #expect(try database.fetchAll(most) == [Summary(title: "Arrival", count: 2)])
    }

    @Test func streamsAndRows() throws {
        let titles = try database.cursor(Album.all.order { $0.title }.select { $0.title })
        #expect(try titles.next() == "Anonymous")
        var rest: [String] = []
        try titles.forEach { rest.append($0) }
        #expect(rest.count == 5 && rest.last == "Waterloo")
        let rows = try database.fetchRows(Album.where { $0.id == 3 }.select { ($0.title, $0.price.named("cost")) })
        #expect(rows.map(\.json) == [#"{"title":"Waterloo","cost":6.0}"#])
        #expect(rows.first?.dictionary == ["title": "Waterloo", "cost": 6.0])
    }

    @Test func groupsAndAggregates() throws {
        let query = Album.group { $0.year }.having { $0.price.sum() > 7 }.order { $0.year }
            .select { ($0.year, count(), $0.price.sum(), $0.price.average(), $0.title.joined(separator: "+")) }
        try expectSQL(
            query,
            #"SELECT "year", count(*), sum("price"), avg("price"), group_concat("title", ?) FROM "album" "#
                + #"GROUP BY "year" HAVING sum("price") > ? ORDER BY "year""#, ["+", 7.0])
        let rows = try database.fetchAll(query)
        #expect(rows.map(\.0) == [nil, 1976, 1980] && rows.map(\.1) == [1, 2, 1] && rows.map(\.2) == [12, 15.5, 10])
        #expect(rows[1].3 == 7.75 && rows[1].4 == "High Voltage+Arrival")
        let none = Album.where { $0.id == 99 }
        #expect(try database.fetchOne(none.select { $0.price.sum() }) == .some(nil))
        #expect(try database.fetchOne(none.select { ($0.price.total(), count()) })?.1 == 0)
    }

    @Test func windows() throws {
        let rows = try database.fetchAll(
            Album.where { $0.artistID != nil }.order { $0.id }.select {
                (
                    $0.price.sum().over(.order(by: $0.id)),
                    call("row_number", as: Int64.self).over(.partition(by: $0.artistID).order(by: $0.price.desc()))
                )
            })
        #expect(rows.map(\.0) == [8, 18, 24, 31.5, 43.5])
        #expect(rows.map(\.1) == [2, 1, 2, 1, 1])
    }

    @Test func explained() throws {
        #expect(try database.explain(Album.where { $0.id == 1 }).hasPrefix("SEARCH album USING INTEGER PRIMARY KEY"))
        let steps = try database.plan(of: Album.where { $0.id == 1 })
        #expect(steps.count == 1 && steps[0].columnNames == ["id", "parent", "detail"])
        #expect(try steps[0]["parent"] == .integer(0) && steps[0]["detail"] != .null)
    }
}
