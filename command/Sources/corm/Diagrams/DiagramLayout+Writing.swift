import CormorantBase
import CormorantQuery

extension DiagramLayout {
    /// A picture of its own. Source: https://www.w3.org/TR/SVG2/
    var svg: String {
        let (width, height) = (number(width), number(height))
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12">
            <rect width="\(width)" height="\(height)" fill="#ffffff"/>
            <g fill="none" stroke="#7b8794" stroke-width="1.2">

            """
        for line in lines {
            text += "<path d=\"\(path(line))\"><title>\(escaped(line.edge.label))</title></path>\n"
            text += ends(line)
        }
        text += "</g>\n"
        for place in picture.tables.indices { text += table(place) }
        return text + "</svg>\n"
    }

    /// A line with its corners rounded.
    private func path(_ line: Line) -> String {
        var text = ""
        for (place, point) in line.points.enumerated() {
            guard place > 0, place < line.points.count - 1 else {
                text += "\(place == 0 ? "M" : "L")\(number(point.x)) \(number(point.y))"
                continue
            }
            let (before, after) = (line.points[place - 1], line.points[place + 1])
            let reach = { (other: (x: Double, y: Double)) in
                min(6, (abs(other.x - point.x) + abs(other.y - point.y)) / 2)
            }
            let toward = { (other: (x: Double, y: Double), by: Double) -> String in
                let length = max(0.01, abs(other.x - point.x) + abs(other.y - point.y))
                return
                    "\(number(point.x + (other.x - point.x) * by / length)) \(number(point.y + (other.y - point.y) * by / length))"
            }
            text +=
                "L\(toward(before, reach(before)))Q\(number(point.x)) \(number(point.y)) \(toward(after, reach(after)))"
        }
        return text
    }

    /// Crow's feet: at the child one or many, at the parent one or none.
    private func ends(_ line: Line) -> String {
        guard let parent = line.points.first, let child = line.points.last, line.points.count > 1 else { return "" }
        let out = { (end: (x: Double, y: Double), next: (x: Double, y: Double)) in next.x >= end.x ? 1.0 : -1.0 }
        let (right, left) = (out(parent, line.points[1]), out(child, line.points[line.points.count - 2]))
        func bar(_ end: (x: Double, y: Double), _ side: Double, _ distance: Double) -> String {
            "<path d=\"M\(number(end.x + side * distance)) \(number(end.y - 5))v10\"/>\n"
        }
        func ring(_ end: (x: Double, y: Double), _ side: Double, _ distance: Double) -> String {
            "<circle cx=\"\(number(end.x + side * distance))\" cy=\"\(number(end.y))\" r=\"3.5\" fill=\"#ffffff\"/>\n"
        }
        let foot =
            line.edge.isUnique
            ? bar(child, left, 6)
            : "<path d=\"M\(number(child.x)) \(number(child.y - 5))L\(number(child.x + left * 9)) \(number(child.y))"
                + "L\(number(child.x)) \(number(child.y + 5))\"/>\n"
        return bar(parent, right, 6) + (line.edge.isOptional ? ring(parent, right, 12) : bar(parent, right, 10)) + foot
            + ring(child, left, 13)
    }

    private func table(_ place: Int) -> String {
        let (table, box) = (picture.tables[place], boxes[place])
        let isMissing = picture.missing.contains(place)
        let head = isMissing ? "#c0392b" : table.kind == .virtual ? "#6c5ce7" : "#2c5f8a"
        let (x, y, width) = (number(box.x), number(box.y), number(box.width))
        var text = """
            <g><rect x="\(x)" y="\(y)" width="\(width)" height="\(number(box.height))" rx="6" fill="#ffffff" stroke="#b6c2cf"/>
            <path d="M\(x) \(number(box.y + Self.headHeight))v-\(number(Self.headHeight - 6))q0 -6 6 -6h\(number(box.width - 12))\
            q6 0 6 6v\(number(Self.headHeight - 6))z" fill="\(head)"/>
            <text x="\(number(box.x + 10))" y="\(number(box.y + 18))" fill="#ffffff" font-weight="600">\
            \(escaped(cut(visible(table.name), box)))\(isMissing ? " (missing)" : "")</text>

            """
        for (row, column) in table.columns.enumerated() {
            let y = number(box.y + Self.headHeight + (Double(row) + 0.5) * Self.rowHeight + 7)
            let weight = column.keyPosition > 0 ? " font-weight=\"600\"" : ""
            let style = column.isForeignKey ? " font-style=\"italic\"" : ""
            text += "<text x=\"\(number(box.x + 10))\" y=\"\(y)\" fill=\"#1f2933\"\(weight)\(style)>"
            let name = cut(visible(column.name), box)
            text += "\(escaped(name))</text>\n"
            guard !column.declaredType.isEmpty else { continue }
            text += "<text x=\"\(number(box.x + box.width - 10))\" y=\"\(y)\" fill=\"#616e7c\" text-anchor=\"end\" "
            text +=
                "font-size=\"11\">\(escaped(cut(visible(column.declaredType), box, beside: displayWidth(name))))</text>\n"
        }
        return text + "</g>\n"
    }

    /// What fits into a box.
    /// - Parameter beside: the width of a text that stands before it.
    private func cut(_ text: String, _ box: Box, beside: Int? = nil) -> String {
        let room = Int((box.width - 20) / 6.2)
        let characters = beside.map { max(Int(Double(room) * 0.4), room - $0 - 2) } ?? room
        return displayWidth(text) <= characters ? text : text.prefix(max(1, characters - 1)) + "…"
    }

    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}

private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in visible(text).unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
