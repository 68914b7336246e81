/// Records with relations are `Codable` where those that they are related to are, with nothing written by hand. What is loaded
/// is encoded as the record, or an array of records, itself; what is not loaded is left out, and what a document leaves out is
/// not loaded.
extension ToOne: Decodable where Target: Decodable {
    /// The record that stands there; null: there is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // null says nothing of the foreign key, which is in the document as well.
        self = container.decodeNil() ? .read(nil) : .loaded(try container.decode(Target.self))
    }
}

extension ToOne: Encodable where Target: Encodable {
    /// Throws where it is not loaded: only a key can be left out.
    public func encode(to encoder: any Encoder) throws {
        guard isLoaded else { throw cannotBeLeftOut(self, encoder) }
        var container = encoder.singleValueContainer()
        if let record = try record { try container.encode(record) } else { try container.encodeNil() }
    }
}

extension ToMany: Decodable where Target: Decodable {
    /// The records that stand there.
    public init(from decoder: any Decoder) throws {
        self = .loaded(try decoder.singleValueContainer().decode([Target].self))
    }
}

extension ToMany: Encodable where Target: Encodable {
    /// Throws where they are not loaded: only a key can be left out.
    public func encode(to encoder: any Encoder) throws {
        guard isLoaded else { throw cannotBeLeftOut(self, encoder) }
        var container = encoder.singleValueContainer()
        try container.encode(records)
    }
}

private func cannotBeLeftOut(_ relation: Any, _ encoder: any Encoder) -> EncodingError {
    .invalidValue(
        relation,
        EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription: "the relation is not loaded: load it, or encode the record"))
}

// What the compiler writes for a `Codable` struct calls these, in place of those for any value.
extension KeyedEncodingContainer {
    /// A relation of a record; one that is not loaded is left out.
    public mutating func encode<Target: Encodable>(_ relation: ToOne<Target>, forKey key: Key) throws {
        guard relation.isLoaded else { return }
        if let record = try relation.record { try encode(record, forKey: key) } else { try encodeNil(forKey: key) }
    }

    /// A relation of a record; one that is not loaded is left out.
    public mutating func encode<Target: Encodable>(_ relation: ToMany<Target>, forKey key: Key) throws {
        if relation.isLoaded { try encode(relation.records, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// A relation of a record; where there is no key, it is not loaded.
    public func decode<Target: Decodable>(_ type: ToOne<Target>.Type, forKey key: Key) throws -> ToOne<Target> {
        guard contains(key) else { return .notLoaded }
        return try decodeIfPresent(Target.self, forKey: key).map { .loaded($0) } ?? .read(nil)
    }

    /// A relation of a record; where there is no key, it is not loaded.
    public func decode<Target: Decodable>(_ type: ToMany<Target>.Type, forKey key: Key) throws -> ToMany<Target> {
        contains(key) ? .loaded(try decode([Target].self, forKey: key)) : .notLoaded
    }
}
