import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// An entity-relationship picture.
struct Diagram: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw the tables and their relations.",
        discussion: """
            Mermaid is what GitHub, GitLab and many editors show as a picture. PNG is drawn by Graphviz, whose dot must be \
            installed.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case mermaid, dot, svg, png

        /// The one that a file's name asks for.
        init?(fileName: String) {
            switch fileName.split(separator: ".").last?.lowercased() {
            case "mmd", "mermaid", "md": self = .mermaid
            case "dot", "gv": self = .dot
            case "svg": self = .svg
            case "png": self = .png
            default: return nil
            }
        }
    }

    enum Columns: String, ExpressibleByArgument, CaseIterable {
        case all, keys, none
    }

    @Argument(help: ArgumentHelp(stringLiteral: SchemaSource.helpWithServers), completion: .file())
    var schema: String

    @OptionGroup var keys: KeyOptions

    @Option(help: "mermaid, dot, svg or png; without it what the name of --out ends with, or mermaid.")
    var format: Format?

    @Option(help: "The file to write, instead of standard output.", completion: .file())
    var out: String?

    @Option(help: "The columns to show: all, keys or none; without it all where there are 30 tables at most.")
    var columns: Columns?

    func validate() throws {
        if format == nil, let out, Format(fileName: out) == nil {
            throw ValidationError("the end of \"\(out)\" names no format; add --format")
        }
    }

    func run() throws {
        let format = format ?? out.flatMap(Format.init(fileName:)) ?? .mermaid
        if format == .png, out == nil, Terminal.output.isThere {
            throw CormorantError(.misuse, "a terminal shows no PNG", hint: "name a file with --out")
        }
        let tables = try metadata().tables.filter { $0.kind != .view }
        let picture = Picture(tables, columns: columns ?? (tables.count <= 30 ? .all : .keys))
        let bytes: [UInt8]
        switch format {
        case .mermaid: bytes = Array(picture.mermaid.utf8)
        case .dot: bytes = Array(picture.dot.utf8)
        case .svg: bytes = Array(DiagramLayout(picture).svg.utf8)
        case .png: bytes = try graphviz(picture.dot, format.rawValue)
        }
        let file = try out.map { try OutputFile($0, besides: [schema] + keys.files) }
        try (file?.output ?? .standard).write(bytes: bytes)
        try file?.finish()
    }

    private func metadata() throws -> Metadata {
        let source = try SchemaSource(schema, keys, isMain: true, mayBeServer: true)
        if case .database(let database) = source { return try database.metadata() }
        return try source.schema().metadata()
    }
}

/// What a diagram shows, whatever it is written in.
struct Picture {
    struct Edge {
        /// Places in `tables`.
        var child: Int
        var parent: Int
        /// The foreign key's first column, and the one it refers to.
        var childColumn: String
        var parentColumn: String
        var label: String
        /// Whether a parent has one child at most.
        var isUnique: Bool
        /// Whether a child may have no parent.
        var isOptional: Bool
    }

    var tables: [TableMetadata]
    var edges: [Edge] = []
    /// Those of `tables` that are not there, and only referred to.
    var missing = Set<Int>()

    init(_ tables: [TableMetadata], columns: Diagram.Columns) {
        self.tables = tables
        var places: [[UInt8]: Int] = [:]
        for (place, table) in tables.enumerated() { places[foldedBytes(table.name)] = place }
        for (child, table) in tables.enumerated() {
            for key in table.foreignKeys {
                let folded = foldedBytes(key.table)
                let parent = places[folded] ?? self.tables.count
                if parent == self.tables.count {
                    places[folded] = parent
                    missing.insert(parent)
                    self.tables.append(TableMetadata(name: key.table, kind: .table, sql: ""))
                }
                edges.append(
                    Edge(
                        child: child, parent: parent, childColumn: key.columns.first ?? "",
                        parentColumn: key.tableColumns.first ?? "", label: key.columns.joined(separator: ", "),
                        isUnique: table.isUnique(key.columns),
                        isOptional: table.columns.contains { column in
                            column.isNullable && key.columns.contains { sameIdentifier($0, column.name) }
                        }))
            }
        }
        for place in self.tables.indices {
            self.tables[place].columns.removeAll { column in
                switch columns {
                case .all: column.isHidden
                case .keys: column.keyPosition == 0 && !column.isForeignKey
                case .none: true
                }
            }
        }
    }
}
