import CormorantBase
import CormorantQuery

/// The models of a schema in a language: what templates are given.
struct Code {
    let sketch: Sketch
    let naming: Naming
    /// Of the generated code as a whole.
    let name: String

    func columnNames(_ model: Int, _ columns: [Int]) -> [String] { columns.map { naming.properties[model][$0] } }
}

/// What a language makes of a schema beyond names. Each gives keys of the context, by their names in docs/generate.md.
protocol CodeWriter {
    init(_ code: Code)
    /// Of a type of column.
    func type(_ column: ColumnSketch) -> String
    func declaration(_ model: Int, _ column: Int) -> String
    func declaration(_ model: Int, relation: Int) -> String
    func model(_ model: Int) -> String
    /// Keys of a function that finds records.
    func finder(_ model: Int, _ finder: FinderSketch, _ members: inout NameScope) -> [String: Any]
    /// Keys of the whole.
    func context() -> [String: Any]
}

extension IndexSketch {
    /// Its properties as models list them: a leading "-" means descending.
    func terms(_ properties: [String]) -> [String] {
        columns.map { ($0.isDescending ? "-" : "") + properties[$0.column] }
    }
}

extension ModelSketch {
    /// A foreign key of one column that is said of it.
    func reference(_ column: Int) -> ReferenceSketch? { columns[column].reference }
}
