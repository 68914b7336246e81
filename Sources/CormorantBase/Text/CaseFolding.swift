/// A text that is equal to another's where the two differ in the case of their letters alone: each character by itself, as
/// Unicode folds it simply, so that a text keeps its number of characters. What takes two to fold (ß to ss) stays as it is, and
/// so does how an accent is written. Source: https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt
package func foldedCase(_ text: String) -> String {
    var text = text
    let isASCII = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } }
    if isASCII { return foldIdentifier(text) }
    var folded = ""
    folded.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars { folded.unicodeScalars.append(foldedCase(scalar)) }
    return folded
}

package func foldedCase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value < 0x80 {
        return 0x41...0x5A ~= scalar.value ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar
    }
    // The dotless i is a letter of its own, whose capital is that of the other.
    if scalar == "\u{131}" { return scalar }
    let upper = only(scalar.properties.uppercaseMapping) ?? scalar
    return only(upper.properties.lowercaseMapping) ?? upper
}

/// The scalar that a text is.
private func only(_ text: String) -> Unicode.Scalar? {
    var scalars = text.unicodeScalars.makeIterator()
    guard let first = scalars.next(), scalars.next() == nil else { return nil }
    return first
}
