import Testing

struct RelationExpansionTests {
    @Test func relationsAreDeclaredAndVisited() {
        expectExpansion(
            """
            @Model struct Album {
                @Key var id: Int64
                @Relation("artistID") var artist = ToOne<Artist>()
                @Relation(removed: .delete) var tracks: Cormorant.ToMany<Music.Track> = .notLoaded
                @Relation("album", through: AlbumTag.self, to: ["tag"]) var tags = ToMany<Tag>.notLoaded
            }
            """,
            """
            struct Album {
                var id: Int64
                var artist = ToOne<Artist>()
                var tracks: Cormorant.ToMany<Music.Track> = .notLoaded
                var tags = ToMany<Tag>.notLoaded

                nonisolated static let model = Cormorant.ModelDescriptor(
                    name: "Album",
                    columns: [
                        .init("id", Int64.self, primaryKey: true),
                    ],
                    relations: [
                        .toOne("artist", Cormorant.ToOne<Artist>.self, columns: ["artistID"]),
                        .toMany("tracks", Cormorant.ToMany<Music.Track>.self),
                        .manyToMany("tags", Cormorant.ToMany<Tag>.self, through: Cormorant.ToMany<AlbumTag>.self, columns: ["album"], targetColumns: ["tag"]),
                    ])

                nonisolated mutating func setGeneratedKey(_ key: Int64) throws {
                    self.id = try Int64.generatedKey(key) ?? self.id
                }

                nonisolated mutating func clearGeneratedKey() {
                    self.id = Int64.missingKey ?? self.id
                }

                nonisolated struct Columns: Cormorant.RecordColumns {
                    let recordSource: Cormorant.TableSource<Album>

                    init(recordSource: Cormorant.TableSource<Album>) {
                        self.recordSource = recordSource
                    }

                    init(
                        id: Cormorant.SQLExpression<Int64>
                    ) {
                        self.recordSource = Cormorant.TableSource(columns: [id])
                    }

                    var id: Cormorant.SQLExpression<Int64> {
                        self.recordSource.column(0)
                    }

                    var artist: Cormorant.OptionalColumns<Artist.Columns> {
                        self.recordSource.toOne("artist")
                    }

                    var tracks: Cormorant.RelatedRecords<Music.Track.Columns> {
                        self.recordSource.toMany("tracks")
                    }

                    var tags: Cormorant.RelatedRecords<Tag.Columns> {
                        self.recordSource.toMany("tags")
                    }
                }
            }

            nonisolated extension Album: Cormorant.Record {
                init(from reader: Cormorant.RecordReader) throws {
                    self.init(
                        id: try reader.property(at: 0))
                }

                mutating func read(from reader: Cormorant.RecordReader) throws {
                    self.id = try reader.property(at: 0)
                }

                func write(to writer: inout Cormorant.RecordWriter) throws {
                    try writer.write(property: self.id, at: 0)
                }

                func columnValue(at column: Int) throws -> Cormorant.Value {
                    switch column {
                    case 0:
                        return try Cormorant.Value(property: self.id)
                    default:
                        return .null
                    }
                }

                mutating func visitRelations(_ visitor: inout some Cormorant.RelationVisitor) throws {
                    try visitor.visit("artist", &self.artist)
                    try visitor.visit("tracks", &self.tracks, removed: .delete)
                    try visitor.visit("tags", &self.tags)
                }
            }
            """)
    }
}
