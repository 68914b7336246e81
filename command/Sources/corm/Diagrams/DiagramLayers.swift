/// The tables of a diagram in layers, with a stand-in in each layer that a line passes through.
struct DiagramLayers {
    struct Node {
        /// nil: a stand-in.
        var table: Int?
        var rank: Int
    }

    private(set) var nodes: [Node] = []
    /// Nodes from top to bottom.
    private(set) var layers: [[Int]] = []
    /// Of each line its nodes, from left to right.
    private(set) var paths: [[Int]] = []
    /// Pairs of nodes in neighbouring layers.
    private(set) var segments: [(from: Int, to: Int)] = []
    private var before: [[Int]] = []
    private var behind: [[Int]] = []

    /// - Parameter edges: from a table that is referred to, to one that refers.
    init(_ tables: [Int], _ edges: [(parent: Int, child: Int)]) {
        var places: [Int: Int] = [:]
        for (place, table) in tables.enumerated() { places[table] = place }
        let pairs = edges.map { (from: places[$0.parent] ?? 0, to: places[$0.child] ?? 0) }
        let ranks = Self.ranks(tables.count, Self.withoutCircles(tables.count, pairs))
        nodes = zip(tables, ranks).map { Node(table: $0, rank: $1) }
        for (from, to) in pairs {
            let (left, right) = ranks[from] <= ranks[to] ? (from, to) : (to, from)
            var path = [left]
            for rank in stride(from: ranks[left] + 1, to: ranks[right], by: 1) {
                path.append(nodes.count)
                nodes.append(Node(table: nil, rank: rank))
            }
            path.append(right)
            paths.append(path)
            segments += zip(path, path.dropFirst()).map { ($0, $1) }
        }
        layers = Array(repeating: [], count: (ranks.max() ?? 0) + 1)
        for (place, node) in nodes.enumerated() { layers[node.rank].append(place) }
        before = Array(repeating: [], count: nodes.count)
        behind = before
        for (from, to) in segments {
            before[to].append(from)
            behind[from].append(to)
        }
    }

    /// The pairs with those turned around that would close a circle.
    private static func withoutCircles(_ count: Int, _ pairs: [(from: Int, to: Int)]) -> [(from: Int, to: Int)] {
        var next: [[Int]] = Array(repeating: [], count: count)
        for (index, pair) in pairs.enumerated() { next[pair.from].append(index) }
        var state = Array(repeating: 0, count: count)
        var turned = Set<Int>()
        // Those that nobody is referred to by first, with a stack of our own: a chain may be as long as there are tables.
        let isTarget = Set(pairs.map(\.to))
        for start in (0..<count).sorted(by: { !isTarget.contains($0) && isTarget.contains($1) }) where state[start] == 0
        {
            var stack = [(node: start, edge: 0)]
            state[start] = 1
            while let (node, edge) = stack.last {
                guard edge < next[node].count else {
                    state[node] = 2
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].edge += 1
                let index = next[node][edge]
                switch state[pairs[index].to] {
                case 0:
                    state[pairs[index].to] = 1
                    stack.append((pairs[index].to, 0))
                case 1: turned.insert(index)
                default: break
                }
            }
        }
        return pairs.enumerated().map { turned.contains($0) ? (from: $1.to, to: $1.from) : $1 }
    }

    /// Each behind all that it refers to, and none of the layers much longer than the picture is wide.
    private static func ranks(_ count: Int, _ pairs: [(from: Int, to: Int)]) -> [Int] {
        var children: [[Int]] = Array(repeating: [], count: count)
        var waiting = Array(repeating: 0, count: count)
        for (from, to) in pairs {
            children[from].append(to)
            waiting[to] += 1
        }
        var ranks = Array(repeating: 0, count: count)
        let greatest = max(6, Int((Double(count) * 1.4).squareRoot()))
        var sizes: [Int: Int] = [:]
        var ready = (0..<count).filter { waiting[$0] == 0 }
        var next = 0
        while next < ready.count {
            let node = ready[next]
            next += 1
            while sizes[ranks[node], default: 0] >= greatest { ranks[node] += 1 }
            sizes[ranks[node], default: 0] += 1
            for child in children[node] {
                ranks[child] = max(ranks[child], ranks[node] + 1)
                waiting[child] -= 1
                if waiting[child] == 0 { ready.append(child) }
            }
        }
        // Without a gap, which nobody would see a reason for.
        let used = Set(ranks).sorted()
        let compact = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
        return ranks.map { compact[$0] ?? 0 }
    }

    /// Puts what is linked at the same height, going to and fro.
    mutating func order() {
        var places = Array(repeating: 0.0, count: nodes.count)
        for layer in layers { for (place, node) in layer.enumerated() { places[node] = Double(place) } }
        for round in 0..<10 {
            let isForward = round % 2 == 0
            for index in isForward ? Array(layers.indices) : layers.indices.reversed() {
                let wanted = layers[index].map { node -> Double in
                    let others = isForward ? before[node] : behind[node]
                    return others.isEmpty ? places[node] : others.reduce(0) { $0 + places[$1] } / Double(others.count)
                }
                let sorted = layers[index].indices.sorted {
                    wanted[$0] != wanted[$1] ? wanted[$0] < wanted[$1] : $0 < $1
                }
                layers[index] = sorted.map { layers[index][$0] }
                for (place, node) in layers[index].enumerated() { places[node] = Double(place) }
            }
        }
    }

    /// The heights of the nodes' centres, each near those of its neighbours.
    func centres(_ heights: [Double]) -> [Double] {
        var centres = Array(repeating: 0.0, count: nodes.count)
        for layer in layers {
            var y = 0.0
            for node in layer {
                centres[node] = y + heights[node] / 2
                y += heights[node] + gap(node)
            }
        }
        for round in 0..<8 {
            let isForward = round % 2 == 0
            for index in isForward ? Array(layers.indices) : layers.indices.reversed() {
                let layer = layers[index]
                let wanted = layer.map { node -> Double in
                    let others = isForward ? before[node] : behind[node]
                    return others.isEmpty ? centres[node] : others.reduce(0) { $0 + centres[$1] } / Double(others.count)
                }
                for (node, centre) in zip(layer, separated(wanted, layer, heights)) { centres[node] = centre }
            }
        }
        return centres
    }

    private func gap(_ node: Int) -> Double { nodes[node].table == nil ? 6 : 28 }

    /// The nearest heights at which nothing overlaps: blocks of what would are moved together (pool adjacent violators).
    private func separated(_ wanted: [Double], _ layer: [Int], _ heights: [Double]) -> [Double] {
        var offsets: [Double] = []
        for (place, node) in layer.enumerated() {
            let previous = place == 0 ? nil : layer[place - 1]
            offsets.append(
                previous.map { offsets[place - 1] + heights[$0] / 2 + max(gap($0), gap(node)) + heights[node] / 2 } ?? 0
            )
        }
        var blocks: [(sum: Double, count: Int)] = []
        for (want, offset) in zip(wanted, offsets) {
            blocks.append((want - offset, 1))
            while blocks.count > 1, let last = blocks.last,
                blocks[blocks.count - 2].sum / Double(blocks[blocks.count - 2].count) > last.sum / Double(last.count)
            {
                blocks.removeLast()
                blocks[blocks.count - 1].sum += last.sum
                blocks[blocks.count - 1].count += last.count
            }
        }
        let means = blocks.flatMap { Array(repeating: $0.sum / Double($0.count), count: $0.count) }
        return zip(means, offsets).map { $0 + $1 }
    }
}
