import Cormorant
import Testing

@Model
struct Sales: Equatable {
    var artist: Int64?
    var total: Double
}

/// Subqueries, common tables and table functions as tables of queries.
struct SubqueryTests {
    private let database: Database
    private let sales = Album.group { $0.artistID }
        .select { Sales.Columns(artist: $0.artistID, total: $0.price.total()) }

    init() throws { database = try musicDatabase() }

    @Test func aCommonTableBringsItsDefinitionOnce() throws {
        let sales = sales.cte("sales")
        let best = sales.where { $0.total > sales.select { $0.total.average() }.scalar() }
        try expectSQL(
            best,
            #"WITH "sales" ("artist", "total") AS (SELECT "artist_id" AS "artist", total("price") AS "total" FROM "album" "#
                + #"GROUP BY "artist_id") SELECT * FROM "sales" WHERE "sales"."total" > "#
                + #"(SELECT avg("sales_2"."total") FROM "sales" AS "sales_2")"#)
        #expect(try database.fetchAll(best.order { $0.total }).map(\.total) == [12, 13.5, 18])
        #expect(try database.fetchCount(best) == 3)
        #expect(try database.exists(best))
    }

    @Test func aSubqueryIsJoinedByItsName() throws {
        let sales = sales.subquery("s")
        let query = Artist.join(Sales.self, from: sales) { artist, s in s.artist == artist.id }
            .where { artist, s in s.total > 12 }.order { artist, s in artist.name }
        #expect(try query.sql.text.contains(#"JOIN (SELECT "artist_id" AS "artist", total("price") AS "total" FROM"#))
        #expect(try query.sql.text.contains(#") AS "s" ON "s"."artist" = "artist"."id""#))
        let found = try database.fetchAll(query)
        #expect(found.map(\.0.name) == ["AC/DC", "Abba"])
        #expect(found.map(\.1.total) == [18, 13.5])
    }

    @Test func oneTableTwiceByASecondName() throws {
        let sales = sales.cte("sales")
        let other = sales.subquery("other")
        let pairs = sales.join(Sales.self, from: other) { first, second in first.total < second.total }
        let text = try pairs.sql.text
        #expect(text.contains(#"FROM "sales" JOIN "sales" AS "other" ON "sales"."total" < "other"."total""#))
        #expect(text.components(of: "WITH") == 1)
        #expect(try database.fetchCount(pairs) == 6)
        let correlated = sales.where { outer in other.where { $0.total > outer.total }.exists() }
        #expect(try database.fetchCount(correlated) == 3)
    }

    @Test func commonTablesOfCommonTables() throws {
        let sales = sales.cte("sales")
        let best = sales.where { $0.total > 12 }.cte("best")
        let query = Artist.join(Sales.self, from: best) { artist, best in best.artist == artist.id }
            .where { artist, best in sales.where { $0.total < best.total }.exists() }
        #expect(try query.sql.text.components(of: "WITH") == 1)
        #expect(try query.sql.text.components(of: " AS (SELECT") == 2)
        #expect(try database.fetchAll(query).count == 2)
        let union = best.select { $0.total }.union(sales.select { $0.total })
        #expect(try database.fetchAll(union).count == 4)
        try #expect(
            database.execute(Album.where { $0.artistID.isIn(best.select { $0.artist }) }.update { $0.price = 0.0 }) == 4
        )
    }

    @Test func aRecursiveTableReadsFromItself() throws {
        let line = Employee.where { $0.name == "Ann" }
            .select { Line.Columns(id: $0.id, name: $0.name, level: SQLExpression(0)) }
            .cte("line") { line in
                Employee.join(Line.self, from: line) { employee, line in employee.bossID == line.id }
                    .select { employee, line in
                        Line.Columns(id: employee.id, name: employee.name, level: line.level + 1)
                    }
            }
        #expect(try line.sql.text.hasPrefix(#"WITH RECURSIVE "line" ("id", "name", "level") AS (SELECT "#))
        #expect(
            try database.fetchAll(line.where { $0.level > 0 }.order { ($0.level, $0.name) }) == [
                Line(id: 2, name: "Bob", level: 1), Line(id: 3, name: "Cid", level: 1),
                Line(id: 4, name: "Dot", level: 2),
            ])
        // Round in a circle, each once.
        let round = Line.row(Line.Columns(id: SQLExpression(1), name: SQLExpression(""), level: SQLExpression(0)))
            .cte("round", distinct: true) { round in
                round.select { Line.Columns(id: $0.id, name: $0.name, level: ($0.level + 1) % 3) }
            }
        #expect(try database.fetchAll(round.select { $0.level }.order { $0.level }) == [0, 1, 2])
    }

    @Test func namesThatMeanTwoThingsAreRefused() throws {
        let others = sales.limit(1).cte("sales")
        let two = sales.cte("sales").join(Sales.self, as: "b", from: others) { a, b in a.total == b.total }
        #expect(expectError(.misuse) { try two.sql }?.message.contains("two common tables") == true)
        let hidden = Artist.join(Sales.self, as: "s", from: sales.cte("artist")) { artist, s in s.artist == artist.id }
        #expect(expectError(.misuse) { try hidden.sql }?.message.contains("Artist") == true)
    }

    @Test func elementsOfJSON() throws {
        let query = Artist.where { $0.id == 1 }.crossJoin { _ in jsonEach(SQLExpression(#"["a", "b"]"#)) }
            .select { artist, element in (artist.name, element.value(as: String.self), element.key(as: Int.self)) }
        #expect(try database.fetchAll(query).map(\.1) == ["a", "b"])
        #expect(try database.fetchAll(query).map(\.2) == [0, 1])
        let inner = jsonTree(SQLExpression(#"{"a": {"b": [1]}}"#), path: "$.a").all.where { $0.type == "integer" }
        #expect(try database.fetchAll(inner).map(\.fullkey) == ["$.a.b[0]"])
        let columns = TableFunction<ColumnName>("pragma_table_info", SQLExpression("tag")).all
        #expect(try database.fetchAll(columns) == [ColumnName(name: "id"), ColumnName(name: "word")])
        expectError(.misuse) { try TableFunction<ColumnName>("a b", SQLExpression(1)).all.sql }
    }

    @Test func outerJoinsOfTheOtherSide() throws {
        let right = Artist.rightJoin(Album.self) { artist, album in album.artistID == artist.id }
            .order { artist, album in album.id }
        let rows = try database.fetchAll(right)
        #expect(rows.map { $0.0?.name } == ["AC/DC", "AC/DC", "Abba", "Abba", "Bach", nil])
        let full = Artist.fullJoin(Album.self) { artist, album in album.artistID == artist.id }
        #expect(try database.fetchCount(full) == 7)
        #expect(try database.fetchAll(full).filter { $0.0 == nil || $0.1 == nil }.count == 2)
    }

    @Test func anUpdateReadsAlongRelations() throws {
        let counts = Artist.all.update {
            $0.country = $0.albums.count().cast(to: String.self).optional
            $0.name = $0.name + "!"
        }
        #expect(try database.execute(counts) == 4)
        let artists = try database.fetchAll(Artist.order { $0.id }.select { ($0.country, $0.albums.count(), $0.name) })
        #expect(artists.allSatisfy { $0.0 == "\($0.1)" && $0.2.hasSuffix("!") })
        let named = try database.fetchAll(
            Album.join(along: \.artist).select { album, artist in (album.id, artist.name) })
        try database.execute(Album.join(along: \.artist).update { album, artist in album.title = artist.name })
        for (id, name) in named {
            #expect(try database.one(Album.where { $0.id == id }.select { $0.title }) == name)
        }
    }

    @Test func anUpdateReadsFromWhatIsJoined() throws {
        let sales = sales.cte("sales")
        let update = Artist.join(Sales.self, from: sales) { artist, sales in sales.artist == artist.id }
            .where { artist, sales in sales.total > 12 }
            .update { artist, sales in artist.country = sales.total.cast(to: String.self).optional }
        #expect(try database.execute(update) == 2)
        #expect(try database.fetchAll(Artist.order { $0.id }).map(\.country) == ["18.0", "13.5", nil, "SE"])
        let outer = Artist.leftJoin(Sales.self, from: sales) { artist, sales in sales.artist == artist.id }
            .update { artist, _ in artist.country = "x" }
        expectError(.misuse) { try outer.sql }
    }
}

@Model
struct ColumnName: Equatable {
    var name: String
}

extension String {
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
