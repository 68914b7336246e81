/// What leads to each page: a row whose overflow is another one's, too, or a page that stands in two trees is right in one place at most,
/// and nothing tells in which.
final class PageReferences {
    private let source: DamagedFile
    private var trees: [UInt8]
    private var rows: [UInt8]

    init(_ source: DamagedFile) {
        self.source = source
        trees = [UInt8](repeating: 0, count: Int(source.pageCount) + 1)
        rows = trees
    }

    /// Counts what a tree leads to, as far as it looks like what it is taken for.
    /// - Parameter looked: called for each page.
    func count(from root: UInt32, isTable: Bool, _ looked: () throws -> Void) throws {
        var open = [root]
        while let number = open.popLast() {
            try looked()
            guard let page = source.treePage(number, isTable: isTable, isRoot: number == root),
                refer(to: number, &trees)
            else { continue }
            for index in 0..<page.cellCount {
                if let cell = page.cell(index, atMost: source.greatestCell) { countOverflow(of: cell) }
            }
            open += page.children().map(\.page)
        }
    }

    private func countOverflow(of cell: DamagedCell) {
        var next = cell.overflow
        var rest = cell.size - cell.local.count
        while rest > 0, let page = source.page(next), refer(to: next, &rows) {
            next = page.number32(0)
            rest -= source.usable - 4
        }
    }

    /// - Returns: whether nothing did so before.
    private func refer(to number: UInt32, _ counts: inout [UInt8]) -> Bool {
        let count = counts[Int(number)]
        counts[Int(number)] = min(count, 1) + 1
        return count == 0
    }

    func leadOnce(to number: UInt32) -> Bool { trees[Int(number)] <= 1 }

    func belongToOneRow(_ number: UInt32) -> Bool { trees[Int(number)] == 0 && rows[Int(number)] <= 1 }
}
