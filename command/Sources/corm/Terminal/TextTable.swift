import CormorantBase

/// Prints rows in columns: aligned, with a line under the titles. Memory stays flat, for the widths are those of the first
/// rows. On a terminal what is too wide is cut.
struct TextTable {
    struct Cell {
        var text: String
        var isNumber = false
        /// Of no value of its own, such as NULL.
        var isFaint = false

        init(_ text: String, isNumber: Bool = false, isFaint: Bool = false) {
            self.text = visible(text)
            self.isNumber = isNumber
            self.isFaint = isFaint
        }

        init(_ number: Int64?) {
            self.init(number.map(String.init) ?? "", isNumber: true)
        }
    }

    private static let measured = 500
    private static let gap = "  "

    private let titles: [String]
    private let output: Output
    private let style = Style(of: .output)
    private var waiting: [[Cell]] = []
    private var columns: [(width: Int, isNumber: Bool)]?

    init(_ titles: [String], on output: Output = .standard) {
        self.titles = titles.map { visible($0) }
        self.output = output
    }

    mutating func add(_ row: [Cell]) throws {
        guard columns == nil else { return try write(row) }
        waiting.append(row)
        if waiting.count == Self.measured { try begin() }
    }

    /// Writes what is left.
    mutating func end() throws { if columns == nil { try begin() } }

    private mutating func begin() throws {
        var widths = titles.map(displayWidth)
        var isNumber = titles.indices.map { column in
            waiting.contains { $0[column].isNumber }
                && waiting.allSatisfy { $0[column].isNumber || $0[column].isFaint || $0[column].text.isEmpty }
        }
        for row in waiting {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], displayWidth(cell.text)) }
        }
        if let available = Terminal.output.width { widths = narrowed(widths, to: available) }
        if titles.isEmpty { isNumber = [] }
        let columns = zip(widths, isNumber).map { (width: $0, isNumber: $1) }
        self.columns = columns
        try line(
            titles.enumerated().map { index, title in
                let column = columns[index]
                return style.bold(
                    padded(title, column.width, right: column.isNumber, isLast: index == titles.count - 1))
            })
        try line(columns.map { style.dim(String(repeating: "─", count: $0.width)) })
        for row in waiting { try write(row) }
        waiting = []
    }

    private func write(_ row: [Cell]) throws {
        // What is last on a line needs no spaces behind it.
        let count = (row.lastIndex { !$0.text.isEmpty } ?? -1) + 1
        try line(
            row.prefix(count).enumerated().map { index, cell in
                let column = columns?[index] ?? (width: 0, isNumber: false)
                let text = padded(cell.text, column.width, right: column.isNumber, isLast: index == count - 1)
                return cell.isFaint ? style.dim(text) : text
            })
    }

    private func line(_ cells: [String]) throws { try output.line(cells.joined(separator: Self.gap)) }

    private func padded(_ text: String, _ width: Int, right: Bool, isLast: Bool = false) -> String {
        let text = Terminal.output.isThere ? cut(text, to: width) : text
        let spaces = String(repeating: " ", count: max(0, width - displayWidth(text)))
        return right ? spaces + text : isLast ? text : text + spaces
    }

    /// Takes from the widest columns what the line has too much.
    private func narrowed(_ widths: [Int], to available: Int) -> [Int] {
        let room = available - Self.gap.count * max(0, widths.count - 1)
        guard widths.reduce(0, +) > room else { return widths }
        var limit = widths.max() ?? 0
        while limit > 8, widths.reduce(0, { $0 + min($1, limit) }) > room { limit -= 1 }
        return widths.map { min($0, limit) }
    }
}
