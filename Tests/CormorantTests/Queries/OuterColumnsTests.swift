import Cormorant
import Testing

@Model
private struct Team {
    @Key var id: Int64?
    var name: String
    @Relation var players = ToMany<Player>.notLoaded
}

@Model
private struct Player {
    @Key var id: Int64?
    var name: String
    var score: Int
    @References("team") var teamID: Int64?
    @References("player") var bossID: Int64?
    @Relation var team = ToOne<Team>.notLoaded
    @Relation var boss = ToOne<Player>.notLoaded
    @Relation var reports = ToMany<Player>.notLoaded
}

/// The columns that a closure is given are those of its query, also where they are used inside of another one that reads from the
/// same table.
struct OuterColumnsTests {
    private let database: Database

    init() throws {
        database = try openDatabase(path: ":memory:")
        try database.createTables(Team.self, Player.self)
        var teams = [Team(name: "Reds"), Team(name: "Blues")]
        try database.insert(contentsOf: &teams)
        // Ann (10) leads Bob (20) and Cid (5), Bob leads Dan (30).
        var players = [
            Player(name: "Ann", score: 10, teamID: 1), Player(name: "Bob", score: 20, teamID: 1, bossID: 1),
            Player(name: "Cid", score: 5, teamID: 2, bossID: 1), Player(name: "Dan", score: 30, teamID: 2, bossID: 2),
        ]
        try database.insert(contentsOf: &players)
    }

    private func names(_ condition: (Player.Columns) -> SQLExpression<Bool>) throws -> [String] {
        try database.fetchAll(Player.where(condition).order { $0.id }.select { $0.name })
    }

    @Test func ofARelationToTheSameTable() throws {
        #expect(try names { p in p.reports.contains { $0.score > p.score } } == ["Ann", "Bob"])
        #expect(try names { p in p.reports.count { $0.score > p.score + 10 } > 0 } == [])
        let over = try names { p in
            p.reports.contains { r in r.reports.contains { $0.score > p.score + r.score - 1 } }
        }
        #expect(over == ["Ann"])
        #expect(try names { p in p.team.name == "Blues" && p.reports.isEmpty() } == ["Cid", "Dan"])
        let counts = Player.order { $0.id }.select { p in p.reports.count { $0.score > p.score } }
        #expect(try database.fetchAll(counts) == [1, 1, 0, 0])
    }

    @Test func ofASubquery() throws {
        #expect(try names { p in Player.where { $0.bossID == p.id }.exists() } == ["Ann", "Bob"])
        #expect(try names { p in Player.where { $0.boss.score == p.score }.exists() } == ["Ann", "Bob"])
        let best = try names { p in
            p.score == Player.where { $0.teamID == p.teamID }.select { $0.score.max() }.scalar()
        }
        #expect(best == ["Bob", "Dan"])
        // A query that was made before stays what it is.
        let good = Player.where { $0.score > 10 }
        #expect(try names { p in good.where { $0.bossID == p.id }.exists() } == ["Ann", "Bob"])
        #expect(try names { p in p.id == good.select { $0.id.max() }.scalar() } == ["Dan"])
        let beaten = try names { p in
            Team.where { t in
                t.id == p.teamID && Player.where { $0.teamID == t.id && $0.score > p.score }.exists()
            }.exists()
        }
        #expect(beaten == ["Ann", "Cid"])
    }

    @Test func ofAJoin() throws {
        let query = Player.join(along: \.team).where { p, t in t.players.contains { $0.score > p.score } }
            .order { p, _ in p.id }.select { p, t in p.name }
        #expect(try database.fetchAll(query) == ["Ann", "Cid"])
        let pairs = Player.join(Player.self, as: "boss") { p, boss in boss.id == p.bossID }
            .where { p, boss in Player.where { $0.bossID == p.id && $0.score > boss.score }.exists() }
            .select { p, boss in p.name }
        #expect(try database.fetchAll(pairs) == ["Bob"])
    }

    @Test func ofAStatementThatWrites() throws {
        try database.execute(
            Player.where { $0.id == 1 }.update { p in
                p.score = Player.where { $0.bossID == p.id }.select { $0.score.max() }.scalar() ?? -1
            })
        #expect(try database.fetchAll(Player.order { $0.id }.select { $0.score }) == [20, 20, 5, 30])
        try database.execute("DELETE FROM player WHERE name = 'Cid'")
        #expect(try database.execute(Player.where { p in !Player.where { $0.bossID == p.id }.exists() }.delete()) == 1)
        #expect(try names { $0.id > 0 } == ["Ann", "Bob"])
    }
}
