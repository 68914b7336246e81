import CormorantBase
import CormorantQuery

/// Where the boxes and lines of a picture stand: tables in layers, those that others refer to on the left, and lines with right
/// angles between them. Source: Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures".
struct DiagramLayout {
    struct Box {
        var x = 0.0
        var y = 0.0
        var width = 0.0
        var height = 0.0
    }

    struct Line {
        var edge: Picture.Edge
        var points: [(x: Double, y: Double)]
    }

    static let rowHeight = 20.0
    static let headHeight = 28.0
    static let margin = 24.0

    let picture: Picture
    private(set) var boxes: [Box]
    private(set) var lines: [Line] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ picture: Picture) {
        self.picture = picture
        boxes = picture.tables.map(Self.box)
        let isLinked = Set(picture.edges.filter { $0.child != $0.parent }.flatMap { [$0.child, $0.parent] })
        let linked = picture.tables.indices.filter { isLinked.contains($0) }
        let alone = picture.tables.indices.filter { !isLinked.contains($0) }
        if !linked.isEmpty { placeLayers(linked) }
        placeAlone(alone)
        for edge in picture.edges where edge.child == edge.parent { lines.append(loop(edge)) }
    }

    /// As wide as its widest line, within bounds.
    private static func box(_ table: TableMetadata) -> Box {
        let rows = table.columns.map { displayWidth(visible($0.name)) + displayWidth(visible($0.declaredType)) + 5 }
        let characters = max(displayWidth(visible(table.name)) + 2, rows.max() ?? 0)
        return Box(
            width: min(340, max(130, Double(characters) * 7 + 20)),
            height: headHeight + Double(table.columns.count) * rowHeight + (table.columns.isEmpty ? 0 : 6))
    }

    /// Where a line meets a box: at the column's row, or at the head where that is not shown.
    private func port(_ table: Int, _ column: String) -> Double {
        let row = picture.tables[table].columns.firstIndex { sameIdentifier($0.name, column) }
        return boxes[table].y
            + (row.map { Self.headHeight + (Double($0) + 0.5) * Self.rowHeight + 3 } ?? Self.headHeight / 2)
    }

    // Layers ----------------------------------------------------------------------------------------------------------

    private mutating func placeLayers(_ linked: [Int]) {
        let edges = picture.edges.indices.filter { picture.edges[$0].child != picture.edges[$0].parent }
        var layers = DiagramLayers(linked, edges.map { (picture.edges[$0].parent, picture.edges[$0].child) })
        layers.order()
        let heights = layers.nodes.map { node in node.table.map { boxes[$0].height } ?? 12 }
        let centres = layers.centres(heights)
        var x = Self.margin
        var channels: [(left: Double, right: Double)] = []
        for (place, layer) in layers.layers.enumerated() {
            let widest = layer.compactMap { layers.nodes[$0].table.map { boxes[$0].width } }.max() ?? 0
            for node in layer {
                guard let table = layers.nodes[node].table else { continue }
                boxes[table].x = x
                boxes[table].y = centres[node] - heights[node] / 2
            }
            let next = x + widest
            let crossing = layers.segments.count { layers.nodes[$0.from].rank == place }
            let channel = min(240, 56 + Double(crossing) * 5)
            channels.append((next, next + channel))
            x = next + channel
        }
        width = x - (channels.last.map { $0.right - $0.left } ?? 0) + Self.margin
        let top = linked.map { boxes[$0].y }.min() ?? 0
        for table in linked { boxes[table].y += Self.margin - top }
        height = (linked.map { boxes[$0].y + boxes[$0].height }.max() ?? 0) + Self.margin
        route(edges, layers, centres.map { $0 + Self.margin - top }, channels)
    }

    /// Each line runs straight through a layer, and changes its height in the channel behind it, on a track of its own.
    private mutating func route(
        _ edges: [Int], _ layers: DiagramLayers, _ centres: [Double], _ channels: [(left: Double, right: Double)]
    ) {
        struct Piece {
            var line: Int
            var from: Double
            var to: Double
        }
        var pieces: [[Piece]] = channels.map { _ in [] }
        var starts: [(line: Int, isReversed: Bool)] = []
        for (place, path) in layers.paths.enumerated() {
            let edge = picture.edges[edges[place]]
            let isReversed = layers.nodes[path[0]].table != edge.parent
            let first = isReversed ? port(edge.child, edge.childColumn) : port(edge.parent, edge.parentColumn)
            let last = isReversed ? port(edge.parent, edge.parentColumn) : port(edge.child, edge.childColumn)
            let heights = [first] + path.dropFirst().dropLast().map { centres[$0] } + [last]
            let rank = layers.nodes[path[0]].rank
            for step in 0..<path.count - 1 {
                pieces[rank + step].append(Piece(line: place, from: heights[step], to: heights[step + 1]))
            }
            starts.append((place, isReversed))
        }
        var tracks: [[Int: Double]] = []
        for (pieces, channel) in zip(pieces, channels) {
            // Those that go down turn late, those that go up turn early, so that few cross.
            let sorted = pieces.sorted { first, second in
                let (down, other) = (first.to > first.from, second.to > second.from)
                if down != other { return !down }
                return down ? first.from > second.from : first.from < second.from
            }
            let step = (channel.right - channel.left - 36) / Double(sorted.count + 1)
            tracks.append(
                Dictionary(
                    sorted.enumerated().map { ($1.line, channel.left + 18 + Double($0 + 1) * step) },
                    uniquingKeysWith: { first, _ in first }))
        }
        for (place, isReversed) in starts {
            let path = layers.paths[place]
            let edge = picture.edges[edges[place]]
            let rank = layers.nodes[path[0]].rank
            let (left, right) = isReversed ? (edge.child, edge.parent) : (edge.parent, edge.child)
            var points = [(x: boxes[left].x + boxes[left].width, y: 0.0)]
            for step in 0..<path.count - 1 {
                guard let piece = pieces[rank + step].first(where: { $0.line == place }) else { continue }
                if step == 0 { points[0].y = piece.from }
                let track = tracks[rank + step][place] ?? channels[rank + step].left
                points.append((track, piece.from))
                points.append((track, piece.to))
                if step == path.count - 2 { points.append((boxes[right].x, piece.to)) }
            }
            lines.append(Line(edge: edge, points: isReversed ? points.reversed() : points))
        }
    }

    // Tables without relations ----------------------------------------------------------------------------------------

    /// In rows below the others.
    private mutating func placeAlone(_ alone: [Int]) {
        guard !alone.isEmpty else { return }
        let area = alone.reduce(0) { $0 + (boxes[$1].width + 32) * (boxes[$1].height + 32) }
        let greatest = max(width, min(2400, max(900, (area * 1.6).squareRoot())))
        var (x, y, tallest) = (Self.margin, max(height, Self.margin), 0.0)
        for table in alone.sorted(by: { boxes[$0].height > boxes[$1].height }) {
            if x + boxes[table].width > greatest, x > Self.margin {
                (x, y, tallest) = (Self.margin, y + tallest + 32, 0)
            }
            (boxes[table].x, boxes[table].y) = (x, y)
            x += boxes[table].width + 32
            tallest = max(tallest, boxes[table].height)
            width = max(width, x)
        }
        height = y + tallest + Self.margin
    }

    /// From a table to itself, on its right.
    private func loop(_ edge: Picture.Edge) -> Line {
        let right = boxes[edge.child].x + boxes[edge.child].width
        let (from, to) = (port(edge.parent, edge.parentColumn), port(edge.child, edge.childColumn))
        return Line(edge: edge, points: [(right, from), (right + 22, from), (right + 22, to), (right, to)])
    }
}
