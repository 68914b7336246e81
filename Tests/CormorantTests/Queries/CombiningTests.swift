import Cormorant
import Testing

/// Compound queries, common table expressions and paging by keys.
struct CombiningTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    @Test func unionsIntersectionsAndDifferences() throws {
        let artists = Artist.select { $0.name }
        let employees = Employee.select { $0.name }
        try expectSQL(
            artists.union(employees).order { $0.name }.limit(2),
            #"SELECT "name" FROM "artist" UNION SELECT "name" FROM "employee" ORDER BY "name" LIMIT ?"#, [2])
        #expect(try database.fetchAll(artists.union(employees).order { $0.name }.limit(2)) == ["AC/DC", "Abba"])
        #expect(try database.fetchCount(artists.unionAll(artists)) == 8)
        #expect(try database.fetchCount(artists.union(artists)) == 4)
        #expect(try database.fetchAll(artists.intersect(Artist.where { $0.id == 2 }.select { $0.name })) == ["Abba"])
        #expect(try database.fetchCount(artists.except(Artist.where { $0.id == 2 }.select { $0.name })) == 3)
        expectError(.misuse) { try artists.union(employees).where { $0.id == 1 }.sql }
        expectError(.misuse) { try artists.limit(1).union(employees).sql }
        let whole = Artist.from(Artist.where { $0.id == 1 }.union(Artist.where { $0.id == 4 }))
        #expect(try database.fetchAll(whole.where { $0.country == "SE" }).map(\.name) == ["Nobody"])
    }

    @Test func aRecursiveQuery() throws {
        let line = Employee.where { $0.name == "Ann" }
            .select { Line.Columns(id: $0.id, name: $0.name, level: SQLExpression(0)) }
            .unionAll(
                Employee.join(Line.self) { employee, line in employee.bossID == line.id }
                    .select { employee, line in
                        Line.Columns(id: employee.id, name: employee.name, level: line.level + 1)
                    })
        let query = Line.all.with(Line.self, line).where { $0.level > 0 }.order { ($0.level, $0.name) }
        #expect(try query.sql.text.hasPrefix(#"WITH RECURSIVE "line" ("id", "name", "level") AS (SELECT "#))
        #expect(
            try database.fetchAll(query) == [
                Line(id: 2, name: "Bob", level: 1), Line(id: 3, name: "Cid", level: 1),
                Line(id: 4, name: "Dot", level: 2),
            ])
    }

    @Test func numbersWithoutATable() throws {
        let upTo = Line.row(Line.Columns(id: SQLExpression(1), name: SQLExpression("n"), level: SQLExpression(1)))
            .unionAll(
                Line.where { $0.level < parameter("last") }.select {
                    Line.Columns(id: $0.id, name: $0.name, level: $0.level + 1)
                })
        let sum = Line.all.with(Line.self, upTo).select { $0.level.sum() }
        #expect(try database.fetchOne(sum, ["last": 100]) == 5050)
    }

    @Test func pagesAfterARecord() throws {
        let query = Album.all.order { ($0.year.desc().nullsFirst(), $0.id) }.limit(2)
        var page = try database.fetchAll(query)
        var seen: [String] = []
        while let last = page.last {
            seen += page.map(\.title)
            page = try database.fetchAll(query.after(last))
        }
        #expect(seen == ["Fugues", "Anonymous", "Back in Black", "High Voltage", "Arrival", "Waterloo"])
        try expectSQL(
            Album.select { $0.title }.order { $0.id }.after(values: [3]),
            #"SELECT "title" FROM "album" WHERE "id" > ? ORDER BY "id""#, [3])
        expectError(.misuse) { try Album.all.after(Album(title: "", price: 0)).sql }
        expectError(.misuse) { try Album.all.order { $0.title.length() }.after(Album(title: "", price: 0)).sql }
    }

    @Test func aRecordMadeByHandCannotBePagedAfterUnlessItTellsItsValues() throws {
        let query = City.all.order { _ in raw("id", as: Int64.self) }
        expectError(.misuse) { try query.after(City(id: 1, name: "Rome")).sql }
        let named = City.all.order { $0.column("id", as: Int64?.self) }
        #expect(
            expectError(.misuse) { try named.after(City(id: 1, name: "Rome")).sql }?.message.contains("City") == true)
    }
}
