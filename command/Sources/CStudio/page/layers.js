// The tables of a diagram in layers, with a stand-in in each layer that a line passes through, as DiagramLayers.swift has them.

export class Layers {
  /** tables: places; edges: [parent, child], from a table that is referred to, to one that refers. */
  constructor(tables, edges) {
    const places = new Map(tables.map((table, place) => [table, place]));
    const pairs = edges.map(([parent, child]) => [places.get(parent), places.get(child)]);
    const ranks = ranked(tables.length, withoutCircles(tables.length, pairs));
    this.nodes = tables.map((table, place) => ({ table, rank: ranks[place] }));
    this.paths = [];
    this.segments = [];
    for (const [from, to] of pairs) {
      const [left, right] = ranks[from] <= ranks[to] ? [from, to] : [to, from];
      const path = [left];
      for (let rank = ranks[left] + 1; rank < ranks[right]; rank += 1) path.push(this.nodes.push({ table: null, rank }) - 1);
      path.push(right);
      this.paths.push(path);
      for (let step = 1; step < path.length; step += 1) this.segments.push([path[step - 1], path[step]]);
    }
    this.layers = Array.from({ length: Math.max(0, ...ranks) + 1 }, () => []);
    this.nodes.forEach((node, place) => this.layers[node.rank].push(place));
    this.before = this.nodes.map(() => []);
    this.behind = this.nodes.map(() => []);
    for (const [from, to] of this.segments) { this.before[to].push(from); this.behind[from].push(to); }
  }

  /** Goes through the layers to and fro; wanted(node): the mean of what its neighbours have. */
  rounds(count, values, place) {
    for (let round = 0; round < count; round += 1) {
      const isForward = round % 2 === 0;
      const near = isForward ? this.before : this.behind;
      const wanted = (node) => (near[node].length ? near[node].reduce((sum, other) => sum + values[other], 0) / near[node].length : values[node]);
      const order = this.layers.map((_, index) => index);
      for (const index of isForward ? order : order.reverse()) place(index, this.layers[index].map(wanted));
    }
  }

  /** Puts what is linked at the same height. */
  order() {
    const places = this.nodes.map(() => 0);
    const number = (layer) => layer.forEach((node, place) => { places[node] = place; });
    this.layers.forEach(number);
    this.rounds(10, places, (index, wanted) => {
      const layer = this.layers[index];
      const sorted = layer.map((_, place) => place).sort((first, second) => wanted[first] - wanted[second] || first - second);
      this.layers[index] = sorted.map((place) => layer[place]);
      number(this.layers[index]);
    });
  }

  /** The heights of the nodes' centres, each near those of its neighbours. */
  centres(heights) {
    const centres = this.nodes.map(() => 0);
    for (const layer of this.layers) {
      let y = 0;
      for (const node of layer) { centres[node] = y + heights[node] / 2; y += heights[node] + this.gap(node); }
    }
    this.rounds(8, centres, (index, wanted) => {
      const layer = this.layers[index];
      this.separated(wanted, layer, heights).forEach((centre, place) => { centres[layer[place]] = centre; });
    });
    return centres;
  }

  gap(node) { return this.nodes[node].table === null ? 6 : 28; }

  /** The nearest heights at which nothing overlaps: blocks of what would are moved together (pool adjacent violators). */
  separated(wanted, layer, heights) {
    const offsets = [];
    layer.forEach((node, place) => {
      const above = layer[place - 1];
      offsets.push(place ? offsets[place - 1] + heights[above] / 2 + Math.max(this.gap(above), this.gap(node)) + heights[node] / 2 : 0);
    });
    const blocks = [];
    wanted.forEach((want, place) => {
      blocks.push({ sum: want - offsets[place], count: 1 });
      for (let [above, last] = blocks.slice(-2); last && above.sum / above.count > last.sum / last.count; [above, last] = blocks.slice(-2)) {
        blocks.pop();
        above.sum += last.sum;
        above.count += last.count;
      }
    });
    return blocks.flatMap(({ sum, count }) => Array(count).fill(sum / count)).map((mean, place) => mean + offsets[place]);
  }
}

/** The pairs with those turned around that would close a circle. */
function withoutCircles(count, pairs) {
  const next = Array.from({ length: count }, () => []);
  pairs.forEach(([from], index) => next[from].push(index));
  const state = Array(count).fill(0);
  const turned = new Set();
  const isTarget = new Set(pairs.map(([, to]) => to));
  const all = state.map((_, place) => place);
  // Those that nobody is referred to by first, with a stack of our own: a chain may be as long as there are tables.
  for (const start of [...all.filter((place) => !isTarget.has(place)), ...all.filter((place) => isTarget.has(place))]) {
    if (state[start]) continue;
    const stack = [{ node: start, edge: 0 }];
    state[start] = 1;
    while (stack.length) {
      const top = stack.at(-1);
      if (top.edge >= next[top.node].length) { state[top.node] = 2; stack.pop(); continue; }
      const index = next[top.node][top.edge];
      top.edge += 1;
      const to = pairs[index][1];
      if (state[to] === 0) { state[to] = 1; stack.push({ node: to, edge: 0 }); } else if (state[to] === 1) turned.add(index);
    }
  }
  return pairs.map(([from, to], index) => (turned.has(index) ? [to, from] : [from, to]));
}

/** Each behind all that it refers to, and none of the layers much longer than the picture is wide. */
function ranked(count, pairs) {
  const children = Array.from({ length: count }, () => []);
  const waiting = Array(count).fill(0);
  for (const [from, to] of pairs) { children[from].push(to); waiting[to] += 1; }
  const ranks = Array(count).fill(0);
  const greatest = Math.max(6, Math.trunc(Math.sqrt(count * 1.4)));
  const sizes = [];
  const ready = waiting.map((_, place) => place).filter((place) => waiting[place] === 0);
  for (const node of ready) {
    while ((sizes[ranks[node]] ?? 0) >= greatest) ranks[node] += 1;
    sizes[ranks[node]] = (sizes[ranks[node]] ?? 0) + 1;
    for (const child of children[node]) {
      ranks[child] = Math.max(ranks[child], ranks[node] + 1);
      waiting[child] -= 1;
      if (waiting[child] === 0) ready.push(child);
    }
  }
  // Without a gap, which nobody would see a reason for.
  const compact = new Map([...new Set(ranks)].sort((first, second) => first - second).map((rank, place) => [rank, place]));
  return ranks.map((rank) => compact.get(rank));
}
