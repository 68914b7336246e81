import CormorantBase
import CormorantQuery

extension Picture {
    /// Source: https://graphviz.org/doc/info/shapes.html#html. Tables are boxes with a row for each column, and lines end in
    /// crow's feet.
    var dot: String {
        var text = """
            digraph schema {
              graph [rankdir=LR, nodesep=0.35, ranksep=1.1, fontname="Helvetica", bgcolor="white", pad=0.3]
              node [shape=plain, fontname="Helvetica", fontsize=11]
              edge [dir=both, color="#5b6b7b", arrowsize=0.8]

            """
        for (place, table) in tables.enumerated() { text += node(place, table) }
        for edge in edges {
            let from = port(edge.child, edge.childColumn, "e")
            let to = port(edge.parent, edge.parentColumn, "w")
            let head = edge.isOptional ? "teeodot" : "teetee"
            let tail = edge.isUnique ? "teeodot" : "crowodot"
            // To the left is the table referred to, so that the first ones to be read are those that stand alone.
            text += "  \(to.node) -> \(from.node) [tailport=\"\(to.port)\", headport=\"\(from.port)\", "
            text += "arrowtail=\(head), arrowhead=\(tail), tooltip=\"\(escaped(edge.label))\"]\n"
        }
        return text + "}\n"
    }

    private func node(_ place: Int, _ table: TableMetadata) -> String {
        let isMissing = missing.contains(place)
        let head = isMissing ? "#c0392b" : table.kind == .virtual ? "#6c5ce7" : "#2c5f8a"
        var text = "  t\(place) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\" "
        text += "color=\"#9fb3c8\" bgcolor=\"white\">"
        text += "<tr><td port=\"h\" bgcolor=\"\(head)\" align=\"left\">"
        text += "<font color=\"white\"><b>\(escaped(table.name))</b>\(isMissing ? " (missing)" : "")</font></td></tr>"
        for (index, column) in table.columns.enumerated() {
            let mark = column.keyPosition > 0 ? "<b>\(escaped(column.name))</b>" : escaped(column.name)
            let isReference = column.isForeignKey ? "<i>\(mark)</i>" : mark
            let type =
                column.declaredType.isEmpty ? "" : "  <font color=\"#8795a1\">\(escaped(column.declaredType))</font>"
            text += "<tr><td port=\"c\(index)\" align=\"left\">\(isReference)\(type)</td></tr>"
        }
        return text + "</table>>]\n"
    }

    /// Where a line meets a table: at the column, or at the head where that is not shown.
    private func port(_ place: Int, _ column: String, _ side: String) -> (node: String, port: String) {
        let index = tables[place].columns.firstIndex { sameIdentifier($0.name, column) }
        let opposite = side == "e" ? "w" : "e"
        return ("t\(place)", (index.map { "c\($0)" } ?? "h") + ":" + opposite)
    }
}

/// Text of an HTML-like label, and of a quoted one.
private func escaped(_ text: String) -> String {
    var escaped = ""
    for character in visible(text) {
        switch character {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case "\\": escaped += "&#92;"
        default: escaped.append(character)
        }
    }
    // A label must not be empty.
    return escaped.isEmpty ? " " : escaped
}
