/// Which time a datetime column holds: that of a write of the row, which the database puts there.
public enum Stamp: Int32, Sendable {
    /// When the row was inserted; a record that has a time keeps it.
    case created = 1
    /// When the row was last written, whatever the record has.
    case updated = 2
}
