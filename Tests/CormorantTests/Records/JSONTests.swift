import Cormorant
import CormorantFoundation
import Foundation
import Testing

/// A conversion of the program's own: JSON has what the file has.
struct Shouted: CustomColumnValue, Equatable {
    var word: String

    init(_ word: String) { self.word = word }

    init(stored: String) throws {
        guard stored.hasSuffix("!") else { throw NotShouted() }
        word = String(stored.dropLast())
    }

    var stored: String { word + "!" }
}

private struct NotShouted: Error {}

@Model struct Singer {
    @Key var id: Int64?
    @Column(json: "name") var fullName: String
    @Column(json: "") var secret: String?
    var motto: Shouted?
    @Column(computed: "upper(full_name)") var loud: String?
    @Relation var songs = ToMany<Song>.notLoaded
}

@Model struct Song {
    @Key var id: Int64?
    @References("singer") var singerID: Int64
    var title: String
    var isLive: Bool
    var price: Decimal?
    @Relation var singer = ToOne<Singer>.notLoaded
}

struct JSONTests {
    let text = """
        [{"id":1,"name":"Nina","motto":"live!","loud":"NINA","songs":\
        [{"id":2,"singerID":1,"title":"A","isLive":true,"price":"1.5"},\
        {"id":3,"singerID":1,"title":"B","isLive":false,"price":null}]},\
        {"id":4,"name":"Otto","motto":null,"loud":null,"songs":[]}]
        """

    @Test func recordsOfAQueryAreWrittenAsRecords() throws {
        let database = try memoryDatabase(Singer.self, Song.self)
        try database.importJSON(Singer.self, text)
        let written = try database.fetchAll(Song.all).writeJSON()
        #expect(written.contains(#""isLive":true"#))
        #expect(try database.fetchJSON(Song.all) == written)
        #expect(try database.fetchJSON(Song.all.select { $0.isLive }.limit(1)) == #"[{"is_live":1}]"#)
    }

    @Test func recordsBeforeAnErrorComeFirstWhereSoManyAreAskedFor() throws {
        // What is wrong lies in related records: their owner does not come, either.
        let broken =
            text.dropLast() + #",{"id":5,"name":"Eve","songs":[{"id":6,"singerID":5,"title":"C","isLive":true},7]}]"#
        let records = try JSONRecords<Singer>()
        try records.feed(String(broken))
        let singers = try records.next(limit: 100)
        #expect(singers.map(\.fullName) == ["Nina", "Otto"])
        #expect(try singers.map { try $0.songs.records.count } == [2, 0])
        expectError(.json) { try records.next(limit: 100) }
        expectError(.json) { try Singer.readJSON(String(broken)) }
    }

    @Test func awaitedRecordsOfAQueryAreWrittenAsRecords() async throws {
        let database = try memoryDatabase(Singer.self, Song.self)
        try await database.write { _ = try $0.importJSON(Singer.self, text) }
        let written = try await database.fetchAll(Song.all).writeJSON()
        #expect(try await database.fetchJSON(Song.all) == written)
    }

    @Test func recordsComeInAndGoOutWithThoseInThem() throws {
        let singers = try Singer.readJSON(text)
        #expect(singers.map(\.fullName) == ["Nina", "Otto"])
        #expect(singers[0].motto == Shouted("live"))
        #expect(try singers[0].songs.records.map(\.title) == ["A", "B"])
        #expect(try singers[0].songs.records[0].price == Decimal(string: "1.5"))
        #expect(try singers[1].songs.records.isEmpty)
        #expect(try singers.writeJSON() == text)
        #expect(try singers[1].writeJSON() == #"{"id":4,"name":"Otto","motto":null,"loud":null,"songs":[]}"#)
    }

    @Test func whatIsNotInTheTextIsNotLoadedNorWritten() throws {
        let singer = try Singer.readJSON(#"{"name":"Nina"}"#)[0]
        #expect(throws: CormorantError.self) { try singer.songs.records }
        #expect(try singer.writeJSON() == #"{"id":null,"name":"Nina","motto":null,"loud":null}"#)
        let song = try Song.readJSON(#"{"title":"A","isLive":true,"singer":{"name":"Nina"}}"#)[0]
        #expect(try song.singer.record?.fullName == "Nina")
    }

    @Test func aDocumentBecomesAGraphInTheDatabase() throws {
        let database = try memoryDatabase(Singer.self, Song.self)
        var nina = try Singer.readJSON(#"{"name":"Nina","songs":[{"title":"A","isLive":true}]}"#)[0]
        try database.save(graph: &nina)
        #expect(try nina.songs.records[0].singerID == nina.id)
        #expect(try database.importJSON(Singer.self, #"[{"name":"Otto","songs":[{"title":"B","isLive":false}]}]"#) == 1)
        #expect(try database.fetchAll(Song.order { $0.id }).map(\.title) == ["A", "B"])
        #expect(try database.importJSON(Singer.self, #"{"id":1,"name":"Nina S."}"#, saves: true) == 1)
        #expect(try database.fetchOne(Singer.where { $0.id == 1 })?.fullName == "Nina S.")
    }

    @Test func chunksGiveRecordsAsTheyAreComplete() throws {
        let records = try JSONRecords<Singer>()
        var names: [String] = []
        for byte in Array(text.utf8) {
            try records.feed([byte])
            names += try records.next().map(\.fullName)
            if !names.isEmpty { break }
        }
        #expect(names == ["Nina"])
        #expect(throws: CormorantError.self) {
            try records.end()
            _ = try records.next()
        }
    }

    @Test(arguments: [
        (#"[{"name":7}]"#, "$[0].name: expected a string, found a number"),
        (#"[{"name":"a","motto":"b"}]"#, "$[0].motto: "),
        (#"[{"name":"a","songs":[{"title":"b"}]}]"#, "$[0].songs[0].isLive: the key is missing"),
        (#"[{"name":"a","songs":[{"title":"b","isLive":null}]}]"#, "$[0].songs[0].isLive: null"),
        (#"[{"name":"a","secret":"b"}]"#, "$[0].secret: model Singer has no such key"),
        (#"[{"name":"a"}"#, "$: the text ends too early"),
    ])
    func errorsNameThePath(text: String, message: String) throws {
        let error = #expect(throws: CormorantError.self) {
            try Singer.readJSON(text, JSONOptions(refusesUnknown: true))
        }
        #expect(error?.message.hasPrefix(message) == true, "\(String(describing: error))")
    }

    @Test func linesPathsAndNames() throws {
        let columns = JSONOptions(names: .columns, isLines: true)
        let songs = try Song.readJSON(#"{"singer_id":1,"title":"A","is_live":true}"#, columns)
        #expect(
            try songs.writeJSON(columns) == #"{"id":null,"singer_id":1,"title":"A","is_live":true,"price":null}"# + "\n"
        )
        let found = try Singer.readJSON(#"{"data":{"items":[{"name":"a"}]}}"#, JSONOptions(path: "$.data.items"))
        #expect(found.map(\.fullName) == ["a"])
    }
}
