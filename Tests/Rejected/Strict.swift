// What must compile without a warning under every setting that a program may have: run says which.
public import Cormorant

@Model
struct Novel: Codable, Hashable, Sendable {
    enum Kind: String, ColumnValue, Codable { case crime, romance }

    @Key var id: Int64?
    var title: String
    var kind: Kind = .crime
    @References("novelist", onDelete: .cascade) var novelistID: Int64?
    @Relation var novelist = ToOne<Novelist>.notLoaded
}

@Model
struct Novelist: Codable, Hashable, Sendable {
    @Key var id: Int64?
    @Column(unique: true) var name: String
    @Relation(removed: .delete) var novels: ToMany<Novel> = .notLoaded
}

/// Visible to other modules, but for a part of it; with names that are keywords, and with one on its way out.
@Model
public struct Archive: Sendable {
    enum Kind: String, ColumnValue { case city, school }
    fileprivate enum State: String, ColumnValue { case open, closed }

    @Key public private(set) var id: Int64?
    var kind: Kind = .city
    private var state: State = .open
    @Column(version: true) private(set) var revision: Int = 0
    var `let`: Int?
    var `var`: Int?
    var `inout`: Int?
    var `_`: Int?
    @available(*, deprecated, message: "every library has one") public var rooms: Int?
    @Relation var novels = ToMany<Novel>.notLoaded

    func alike() -> some RowQuery<Archive> { Archive.where { $0.state == state && $0.kind == kind } }
}

nonisolated func crimes(_ reader: Reader, limit: Int) throws -> [Novel] {
    try reader.fetchAll(Novel.where { $0.kind == .crime && $0.novelist.name != "x" }.order { $0.title }.limit(limit))
}

func useOfIt(_ path: String) async throws -> Int {
    let database = try await Database.open(path)
    try await database.createTables(Novelist.self, Novel.self)
    var novelist = Novelist(name: "Highsmith", novels: .loaded([Novel(title: "Deep Water")]))
    try await database.save(graph: &novelist)
    let count = try await database.write { database in
        _ = try database.inserted(Novel(title: "Carol", kind: .romance))
        return try crimes(database, limit: 10).count
    }
    let titles = try await database.read { reader in try crimes(reader, limit: count).map(\.title) }
    let trees = try await database.fetchAll(Novelist.load(\.novels) { $0.order { $0.title } })
    let observer = try await database.observe { reader in try reader.fetchCount(Novel.all) }
    let counts = observer.onMain { result in print((try? result.get()) ?? 0) }
    for try await number in counts {
        if number > 0 { break }
    }
    for try await event in try await database.observe(Novel.self, values: true) {
        print(event.changes.count)
        break
    }
    for try await novel in try await database.cursor(Novel.all) { print(novel.title) }
    try await database.store("settings").put("last", "Carol")
    let sold = try await database.fetchAll("SELECT title FROM novel WHERE id > \(3)", as: String.self)
    observer.cancel()
    return titles.count + trees.count + sold.count
}
