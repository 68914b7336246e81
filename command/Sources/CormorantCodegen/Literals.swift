import CormorantBase

// Texts of a file inside generated code. Whatever could end a text or a comment, turn the direction of reading or not be
// seen is written as an escape.

extension Unicode.Scalar {
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    fileprivate func hex(_ digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

func swiftLiteral(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": out += "\\\(scalar)"
        case "\n": out += "\\n"
        case "\t": out += "\\t"
        default: if scalar.isPlain { out.unicodeScalars.append(scalar) } else { out += "\\u{\(scalar.hex(1))}" }
        }
    }
    return out + "\""
}

/// Names as C takes a list of them: with commas between, in double quotes what is no plain word.
func nameList(_ names: [String]) -> String {
    names.map { name in
        let term = name.hasPrefix("-") ? String(name.dropFirst()) : name
        let isPlain =
            !term.isEmpty
            && term.unicodeScalars.allSatisfy {
                $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
        return isPlain ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }.joined(separator: ", ")
}

func cLiteral(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        // "??=" is a trigraph.
        case "\"", "\\", "?": out += "\\\(scalar)"
        case "\n": out += "\\n"
        case "\t": out += "\\t"
        default:
            guard !scalar.isPlain else {
                out.unicodeScalars.append(scalar)
                continue
            }
            // Three digits always, for a digit may follow.
            for byte in String(scalar).utf8 {
                out += "\\" + String(byte >> 6, radix: 8) + String(byte >> 3 & 7, radix: 8) + String(byte & 7, radix: 8)
            }
        }
    }
    return out + "\""
}

func pythonLiteral(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": out += "\\\(scalar)"
        case "\n": out += "\\n"
        case "\t": out += "\\t"
        default:
            if scalar.isPlain {
                out.unicodeScalars.append(scalar)
            } else {
                out += scalar.value <= 0xFFFF ? "\\u\(scalar.hex(4))" : "\\U\(scalar.hex(8))"
            }
        }
    }
    return out + "\""
}

/// A line of a comment or of a documentation text, in any of the languages.
func commentText(_ text: String) -> String {
    var out = ""
    var previous: Unicode.Scalar = " "
    for character in text.unicodeScalars {
        let scalar = character == "\\" ? "/" : character
        switch scalar {
        case "\n": out += "\\n"
        case "\"": out += "'"
        // "*/" ends a comment of C, "/*" in one is a warning.
        case "/" where previous == "*", "*" where previous == "/": out += " \(scalar)"
        default: if scalar.isPlain { out.unicodeScalars.append(scalar) } else { out += "U+\(scalar.hex(4))" }
        }
        previous = scalar
    }
    return out
}

/// `f(a, b)`, each part on a line of its own where they do not fit on one.
func call(
    _ name: String, _ parts: [String], open: String = "(", close: String = ")", indent: String = "",
    trailingComma: Bool = false
) -> String {
    let line = name + open + parts.joined(separator: ", ") + close
    if indent.count + line.count <= 116 && !line.contains("\n") || parts.isEmpty { return line }
    let inner = parts.map { "\n\(indent)    \($0)" }.joined(separator: ",")
    return name + open + inner + (trailingComma ? "," : "") + "\n\(indent)" + close
}

/// `f(a, b)`, its lines filled as clang-format does it.
func filled(_ name: String, _ parts: [String], open: String = "(", close: String = ")", indent: String = "") -> String {
    var lines = [indent + name + open]
    for (index, part) in parts.enumerated() {
        let piece = part + (index == parts.count - 1 ? close : ",")
        if index > 0, lines[lines.count - 1].count + piece.count + 1 > 118 {
            lines.append("\(indent)    \(piece)")
        } else {
            lines[lines.count - 1] += (index == 0 ? "" : " ") + piece
        }
    }
    return String(lines.joined(separator: "\n").dropFirst(indent.count))
}
