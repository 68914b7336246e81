import Cormorant
import Foundation
import Testing

@Model
private struct Shop: Codable, Equatable, Sendable {
    @Key var id: Int64?
    var name: String
    var kind: Kind
    @Relation var goods: ToMany<Good> = .notLoaded

    enum Kind: String, ColumnValue, Codable { case open, closed }
}

@Model
private struct Good: Codable, Equatable, Sendable {
    @Key var id: Int64?
    @References("shop") var shopID: Int64?
    var name: String
    @Relation var shop: ToOne<Shop> = .notLoaded
}

/// Records are `Codable` with their relations, by what the compiler writes alone.
struct RelationCodableTests {
    private let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func value<Content: Decodable>(_ text: String, as type: Content.Type = Content.self) throws -> Content {
        try JSONDecoder().decode(Content.self, from: Data(text.utf8))
    }

    @Test func whatIsNotLoadedIsLeftOut() throws {
        let shop = Shop(id: 1, name: "s", kind: .open)
        #expect(try text(shop) == #"{"id":1,"kind":"open","name":"s"}"#)
        #expect(try value(#"{"id":1,"kind":"open","name":"s"}"#) == shop)
        #expect(try text(Good(name: "g")) == #"{"name":"g"}"#)
        #expect(try !value(#"{"name":"g"}"#, as: Good.self).shop.isLoaded)
    }

    @Test func whatIsLoadedIsThere() throws {
        let database = try memoryDatabase(Shop.self, Good.self)
        var shop = Shop(name: "s", kind: .closed, goods: .loaded([Good(name: "a"), Good(name: "b")]))
        try database.save(graph: &shop)
        let read = try #require(try database.fetchOne(Shop.load(\.goods) { $0.order { $0.id }.load(\.shop) }))
        let written = try text(read)
        #expect(
            written == #"{"goods":[{"id":1,"name":"a","shop":{"id":1,"kind":"closed","name":"s"},"shopID":1},"#
                + #"{"id":2,"name":"b","shop":{"id":1,"kind":"closed","name":"s"},"shopID":1}],"#
                + #""id":1,"kind":"closed","name":"s"}"#)
        #expect(try value(written) == read)
    }

    @Test func noneIsNotTheSameAsNotLoaded() throws {
        let alone = Good(name: "g", shop: .loaded(nil))
        #expect(try text(alone) == #"{"name":"g","shop":null}"#)
        #expect(try value(#"{"name":"g","shop":null}"#) == alone)
        let empty = Shop(name: "s", kind: .open, goods: .loaded([]))
        #expect(try text(empty) == #"{"goods":[],"kind":"open","name":"s"}"#)
        #expect(try value(#"{"goods":[],"kind":"open","name":"s"}"#) == empty)
        #expect(throws: DecodingError.self) { try value(#"{"goods":null,"kind":"open","name":"s"}"#, as: Shop.self) }
    }

    @Test func aRelationByItselfMustBeLoaded() throws {
        #expect(throws: EncodingError.self) { try text([ToMany<Good>.notLoaded]) }
        #expect(try text([ToMany<Good>.loaded([])]) == "[[]]")
        #expect(try value("[null]") == [ToOne<Good>.loaded(nil)])
    }
}
