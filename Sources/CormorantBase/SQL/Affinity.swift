/// What a column turns its values into: https://www.sqlite.org/datatype3.html#determination_of_column_affinity
public enum Affinity: String, Sendable {
    /// Integers, where a text or number is one.
    case integer = "INTEGER"
    /// Text; numbers become text.
    case text = "TEXT"
    /// Anything, as it comes.
    case blob = "BLOB"
    /// Numbers with a fraction, where a text or number is one.
    case real = "REAL"
    /// Numbers, integers where possible.
    case numeric = "NUMERIC"

    package init(declaredType: String) {
        let type = foldIdentifier(declaredType)
        func has(_ part: String) -> Bool { contains(type, part) }
        if has("int") {
            self = .integer
        } else if has("char") || has("clob") || has("text") {
            self = .text
        } else if type.isEmpty || has("blob") {
            self = .blob
        } else if has("real") || has("floa") || has("doub") {
            self = .real
        } else {
            self = .numeric
        }
    }
}
