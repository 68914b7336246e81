import CormorantBase

/// A piece of SQL as it was written. Two are equal when they differ only in spaces, comments, the case of words, or
/// quotes that an identifier does not need.
package struct SQLFragment: Sendable, Hashable {
    /// As written, without the spaces and comments around it.
    package let text: String
    /// Its tokens, one space between two: words and identifiers in lower case, identifiers in double quotes only where
    /// they are no plain word or are a keyword; texts, blobs and numbers as written.
    package let canonical: String

    package init(text: String, canonical: String) {
        self.text = text
        self.canonical = canonical
    }

    /// By bytes, as SQLite compares: to `String` an accented letter and a letter with an accent are the same.
    package static func == (left: SQLFragment, right: SQLFragment) -> Bool {
        left.canonical.utf8.elementsEqual(right.canonical.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}
