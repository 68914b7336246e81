/// How a statement fails whose value a column cannot hold.
package enum StoredFault: Int32, Error, CaseIterable {
    case type = 1
    case range
    case converted
    case scale

    package var code: ErrorCode { self == .range || self == .scale ? .range : .type }

    package var hint: String {
        switch self {
        case .type: "make a value of the column's type, with a CAST for example; nothing was written"
        case .range: "keep the value within the type, or give the property a wider one; nothing was written"
        case .scale: "round it in the program, or give the column a greater scale; nothing was written"
        case .converted:
            "give the property the type that the column has, or rebuild the table with the model's; nothing was written"
        }
    }

    /// What the text begins with that a server is to read as a number, which it cannot: the message is in its error then.
    package var marker: String { "corm_stored \(rawValue): " }

    /// What such a message ends with.
    package static let end = " cannot hold"
}
