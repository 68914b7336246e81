import Cormorant
import Testing

@Suite struct MetadataTests {
    private let music = """
        CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE /* of the band */);
        CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER NOT NULL REFERENCES artist ON DELETE CASCADE,
            title TEXT DEFAULT 'none', price REAL, CHECK (price > 0));
        CREATE TABLE tag (name TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE album_tag (album INTEGER REFERENCES album, tag TEXT REFERENCES tag, PRIMARY KEY (album, tag));
        CREATE INDEX album_title ON album (title COLLATE NOCASE DESC) WHERE price > 0;
        CREATE VIEW titles AS SELECT title FROM album;
        CREATE TRIGGER no_x BEFORE UPDATE OF title ON album BEGIN SELECT 1; END;
        """

    private func table(_ name: String, _ metadata: Metadata) throws -> TableMetadata {
        try #require(metadata.tables.first { $0.name == name })
    }

    @Test func aSchemaTellsWhatItsFileTells() throws {
        let database = try Database(path: ":memory:")
        try database.executeScript(music)
        #expect(try database.metadata().json == Schema(script: music).metadata().json)
    }

    @Test func columnsAreToldWithTypesAndFlags() throws {
        let album = try table("album", Schema(script: music).metadata())
        #expect(album.columns.map(\.swiftType) == ["Int64", "Int64", "String?", "Double?"])
        #expect(album.columns.map(\.cType) == ["int64_t", "int64_t", "const char *", "corm_optional_double"])
        #expect(album.columns.map(\.pythonType) == ["int", "int", "str | None", "float | None"])
        #expect(album.columns.map(\.isSimpleType) == [true, true, false, true])
        #expect(album.columns[0].isKey && album.columns[0].isUnique && album.columns[1].isForeignKey)
        #expect(album.columns[2].defaultSQL == "'none'")
        #expect(album.rowIDColumn == "id" && album.primaryKey == ["id"])
        #expect(album.checks.map(\.sql) == ["price > 0"])
    }

    @Test func indexesTriggersAndKeysAreTold() throws {
        let metadata = try Schema(script: music).metadata()
        let album = try table("album", metadata)
        let index = try #require(album.indexes.first)
        #expect(index.name == "album_title" && index.conditionSQL == "price > 0" && index.origin == .index)
        #expect(index.terms[0].collation == "NOCASE" && index.terms[0].isDescending)
        #expect(album.triggers.map(\.timing) == [.before] && album.triggers[0].columns == ["title"])
        #expect(album.foreignKeys[0].tableColumns == ["id"] && album.foreignKeys[0].onDelete == .cascade)
        #expect(try table("tag", metadata).indexes.map(\.origin) == [.primaryKey])
        #expect(try !table("artist", metadata).sql.contains("band"))
    }

    @Test func foreignKeysMakeRelations() throws {
        let metadata = try Schema(script: music).metadata()
        #expect(try table("album", metadata).relations.map(\.kind) == [.toOne, .toMany, .manyToMany])
        let over = try #require(try table("tag", metadata).relations.last)
        #expect(over.table == "album" && over.through == "album_tag" && over.throughColumns == ["tag"])
    }

    @Test func whatDoesNotWorkIsAProblem() throws {
        let metadata = try Schema(script: "CREATE VIEW v AS SELECT * FROM missing").metadata()
        #expect(metadata.tables.map(\.columns.count) == [0])
        #expect(metadata.problems.map(\.name) == ["v"])
    }
}
