import CormorantBase

/// How the engine reaches the values of one record: a C struct, a Swift value, a marshalled row or a list of values
/// each have one conformance.
public protocol RecordAccess {
    /// Gives every column that is not computed to the writer, in any order.
    func write(to writer: inout RecordWriter) throws

    /// Takes every column from the reader.
    mutating func read(from reader: RecordReader) throws

    /// Takes from a row that was just written what SQLite made: key, defaults, computed columns. The row has every
    /// column, and taking them all is right where that changes nothing.
    mutating func readBack(from reader: RecordReader) throws

    /// Takes from the row that an update of some properties has written what the database filled in: computed columns and
    /// the version. The reader has these columns and no others, so that what the record holds besides stays as it is.
    mutating func readBack(only columns: [Int], from reader: RecordReader) throws

    /// Takes the key that SQLite made.
    mutating func setGeneratedKey(_ key: Int64) throws

    /// Forgets the key that SQLite made, because the row was rolled back: it will be another record's.
    mutating func clearGeneratedKey()

    /// What of its own is called around its writes.
    var hookKind: RecordHookKind { get }

    /// Calls its hooks before a write, and its validators. What an update of some properties is to write in addition goes into
    /// `write`.
    mutating func willWrite(_ write: inout RecordWrite, in database: Database) throws

    /// Calls its hooks after a write.
    mutating func didWrite(_ write: RecordWrite, in database: Database) throws

    /// Runs a write; where that throws, what the database has put into the record is taken out of it again. What tells it to
    /// others by success alone has nothing to do.
    mutating func undoing<Result>(_ write: (inout Self) throws -> Result) throws -> Result
}

extension RecordAccess {
    public mutating func readBack(from reader: RecordReader) throws { try read(from: reader) }

    /// Refuses: what reads whole records only would lose what is not in the row.
    public mutating func readBack(only columns: [Int], from reader: RecordReader) throws {
        throw reader.cannotTake(columns)
    }

    /// Nothing is called.
    public var hookKind: RecordHookKind { .none }

    /// Calls nothing.
    public mutating func willWrite(_ write: inout RecordWrite, in database: Database) throws {}

    /// Calls nothing.
    public mutating func didWrite(_ write: RecordWrite, in database: Database) throws {}

    /// Of a value all of it is as it was.
    public mutating func undoing<Result>(_ write: (inout Self) throws -> Result) throws -> Result {
        let before = self
        do {
            return try write(&self)
        } catch {
            self = before
            throw error
        }
    }
}
