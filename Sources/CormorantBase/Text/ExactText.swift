import CormorantPlatform

/// A text that equals another where their bytes are the same, as names and SQL do. To Swift, strings are equal that Unicode calls
/// equivalent, such as an é and an e with an accent behind it.
package struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    @inlinable
    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (left: ExactText, right: ExactText) -> Bool { isSame(left.text, right.text) }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        if text.utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) != nil {
            return
        }
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Whether two texts have the same bytes.
package func isSame(_ left: String, _ right: String) -> Bool {
    let isSame = left.utf8.withContiguousStorageIfAvailable { left in
        right.utf8.withContiguousStorageIfAvailable { right in
            guard left.count == right.count, let bytes = left.baseAddress, let others = right.baseAddress else {
                return left.isEmpty && right.isEmpty
            }
            return memcmp(bytes, others, left.count) == 0
        }
    }
    // Only Foundation's strings, on Darwin, lie elsewhere.
    return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
}

extension Sequence<String> {
    /// Whether one of them has the same bytes.
    package func has(_ text: String) -> Bool { contains { isSame($0, text) } }
}

/// What an identifier is looked up by: the same exactly where it names the same thing to SQLite.
package func nameKey(_ name: String) -> ExactText { ExactText(foldIdentifier(name)) }
