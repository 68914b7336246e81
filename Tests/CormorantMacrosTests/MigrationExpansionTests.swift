import Testing

struct MigrationExpansionTests {
    @Test func whatMigrationsAreToldGoesIntoTheModel() {
        expectExpansion(
            #"""
            @Model(table: "notes", renamedFrom: "memo", allowDrop: ["colour"], seed: "INSERT INTO notes VALUES ('x')")
            struct Note {
                @Column(renamedFrom: "body", convert: "trim(body)") var text: String
            }
            """#,
            #"""
            struct Note {
                var text: String

                nonisolated static let model = Cormorant.ModelDescriptor(
                    name: "Note",
                    table: "notes",
                    columns: [
                        .init("text", String.self, renamedFrom: "body", convertSQL: "trim(body)"),
                    ],
                    migration: .init(renamedFrom: "memo", allowDrop: ["colour"], seedSQL: "INSERT INTO notes VALUES ('x')"))

                nonisolated mutating func setGeneratedKey(_ key: Int64) throws {
                }

                nonisolated mutating func clearGeneratedKey() {
                }

                nonisolated struct Columns: Cormorant.RecordColumns {
                    let recordSource: Cormorant.TableSource<Note>

                    init(recordSource: Cormorant.TableSource<Note>) {
                        self.recordSource = recordSource
                    }

                    init(
                        text: Cormorant.SQLExpression<String>
                    ) {
                        self.recordSource = Cormorant.TableSource(columns: [text])
                    }

                    var text: Cormorant.SQLExpression<String> {
                        self.recordSource.column(0)
                    }
                }
            }

            nonisolated extension Note: Cormorant.Record {
                init(from reader: Cormorant.RecordReader) throws {
                    self.init(
                        text: try reader.property(at: 0))
                }

                mutating func read(from reader: Cormorant.RecordReader) throws {
                    self.text = try reader.property(at: 0)
                }

                func write(to writer: inout Cormorant.RecordWriter) throws {
                    try writer.write(property: self.text, at: 0)
                }

                func columnValue(at column: Int) throws -> Cormorant.Value {
                    switch column {
                    case 0:
                        return try Cormorant.Value(property: self.text)
                    default:
                        return .null
                    }
                }
            }
            """#)
    }
}
