// Where the boxes and lines of a diagram stand: tables in layers, those that others refer to on the left, and lines with right angles
// between them, as DiagramLayout.swift has them, so that `corm diagram` draws the same.
// Source: Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures".

import { Layers } from "./layers.js";
import { visible } from "./values.js";

export const rowHeight = 20;
export const headHeight = 28;
export const margin = 24;

const fold = (name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const segmenter = new Intl.Segmenter();
const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

export const characters = (text) => [...segmenter.segment(text)].map(({ segment }) => segment);

/** Columns of a fixed font that a text takes, as a terminal has them. */
export function widthOf(text) {
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  return characters(text).reduce((sum, character) => {
    let width = 0;
    for (const scalar of character) {
      if (scalar === "\ufe0f" && width) { width = 2; break; }
      width = Math.max(width, /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u.test(scalar) ? 0 : wide.test(scalar) ? 2 : 1);
    }
    return sum + width;
  }, 0);
}

/** What is drawn of the tables of a file: chosen: their names, or none for all; columns: "all", "keys" or "none". */
export function picture(all, { chosen, columns }) {
  const isThere = new Set(all.map((table) => fold(table.name)));
  const tables = all.filter((table) => !chosen.length || chosen.includes(table.name))
    .map((table) => ({ name: table.name, kind: table.kind, of: table, columns: table.columns.filter((column) => (columns === "all" ? !column.is_hidden : columns === "keys" && (column.key_position > 0 || column.is_foreign_key))) }));
  const places = new Map(tables.map((table, place) => [fold(table.name), place]));
  const edges = [];
  tables.slice().forEach(({ of }, child) => of.foreign_keys.forEach((key) => {
    const name = fold(key.table);
    if (!places.has(name)) {
      // What is not chosen is not missing.
      if (isThere.has(name)) return;
      places.set(name, tables.push({ name: key.table, kind: "table", columns: [], isMissing: true }) - 1);
    }
    const own = new Set(key.columns.map(fold));
    edges.push({ child, parent: places.get(name), childColumn: key.columns[0] ?? "", parentColumn: key.table_columns[0] ?? "", label: key.columns.join(", "),
      isUnique: isUnique(of, own), isOptional: of.columns.some((column) => column.is_nullable && own.has(fold(column.name))) });
  }));
  return { tables, edges };
}

function isUnique(table, names) {
  const isSame = (others) => names.size === new Set(others.map(fold)).size && others.every((name) => names.has(fold(name)));
  return (table.rowid_column !== null && isSame([table.rowid_column]))
    || table.indexes.some((index) => index.is_unique && index.condition_sql === null && index.terms.every((term) => term.column !== null) && isSame(index.terms.map((term) => term.column)));
}

export class Layout {
  /** moved: where tables were put by hand, [x, y] by their names. */
  constructor({ tables, edges }, moved = {}) {
    Object.assign(this, { tables, edges, lines: [], left: 0, top: 0, width: 0, height: 0 });
    this.boxes = tables.map(box);
    const between = edges.filter((edge) => edge.child !== edge.parent);
    const isLinked = new Set(between.flatMap((edge) => [edge.child, edge.parent]));
    const all = tables.map((_, place) => place);
    if (isLinked.size) this.placeLayers(all.filter((place) => isLinked.has(place)), between);
    this.placeAlone(all.filter((place) => !isLinked.has(place)));
    for (const edge of edges) if (edge.child === edge.parent) this.lines.push({ edge, points: this.loop(edge) });
    tables.forEach((table, place) => { if (Object.hasOwn(moved, table.name)) this.move(place, ...moved[table.name]); });
  }

  /** Where a line meets a box: at the column's row, or at the head where that is not shown. */
  port(table, column) {
    const row = this.tables[table].columns.findIndex((known) => fold(known.name) === fold(column));
    return this.boxes[table].y + (row < 0 ? headHeight / 2 : headHeight + (row + 0.5) * rowHeight + 3);
  }

  // Layers ------------------------------------------------------------------------------------------------------------

  placeLayers(linked, edges) {
    const layers = new Layers(linked, edges.map((edge) => [edge.parent, edge.child]));
    layers.order();
    const heights = layers.nodes.map(({ table }) => (table === null ? 12 : this.boxes[table].height));
    const centres = layers.centres(heights);
    const crossing = layers.layers.map(() => 0);
    for (const [from] of layers.segments) crossing[layers.nodes[from].rank] += 1;
    let x = margin;
    const channels = layers.layers.map((layer, place) => {
      const shown = layer.filter((node) => layers.nodes[node].table !== null);
      const left = x + Math.max(0, ...shown.map((node) => this.boxes[layers.nodes[node].table].width));
      for (const node of shown) Object.assign(this.boxes[layers.nodes[node].table], { x, y: centres[node] - heights[node] / 2 });
      x = left + Math.min(240, 56 + crossing[place] * 5);
      return { left, right: x };
    });
    const last = channels.at(-1);
    this.width = x - (last.right - last.left) + margin;
    const top = Math.min(...linked.map((table) => this.boxes[table].y));
    for (const table of linked) this.boxes[table].y += margin - top;
    this.height = Math.max(...linked.map((table) => this.boxes[table].y + this.boxes[table].height)) + margin;
    this.route(edges, layers, centres.map((centre) => centre + margin - top), channels);
  }

  /** Each line runs straight through a layer, and changes its height in the channel behind it, on a track of its own. */
  route(edges, layers, centres, channels) {
    const pieces = channels.map(() => []);
    const isReversed = layers.paths.map((path, line) => {
      const edge = edges[line];
      const isReversed = layers.nodes[path[0]].table !== edge.parent;
      const parent = this.port(edge.parent, edge.parentColumn);
      const child = this.port(edge.child, edge.childColumn);
      const heights = [isReversed ? child : parent, ...path.slice(1, -1).map((node) => centres[node]), isReversed ? parent : child];
      const { rank } = layers.nodes[path[0]];
      for (let step = 0; step < path.length - 1; step += 1) pieces[rank + step].push({ line, from: heights[step], to: heights[step + 1] });
      return isReversed;
    });
    const tracks = pieces.map((all, channel) => {
      const { left, right } = channels[channel];
      // Those that go down turn late, those that go up turn early, so that few cross.
      const sorted = [...all].sort((first, second) => {
        const [down, other] = [first.to > first.from, second.to > second.from];
        return down !== other ? down - other : down ? second.from - first.from : first.from - second.from;
      });
      const step = (right - left - 36) / (sorted.length + 1);
      return new Map(sorted.map((piece, place) => [piece.line, { ...piece, x: left + 18 + (place + 1) * step }]));
    });
    layers.paths.forEach((path, line) => {
      const edge = edges[line];
      const { rank } = layers.nodes[path[0]];
      const [left, right] = isReversed[line] ? [edge.child, edge.parent] : [edge.parent, edge.child];
      const points = [];
      for (let step = 0; step < path.length - 1; step += 1) {
        const { x, from, to } = tracks[rank + step].get(line);
        if (step === 0) points.push([this.boxes[left].x + this.boxes[left].width, from]);
        points.push([x, from], [x, to]);
        if (step === path.length - 2) points.push([this.boxes[right].x, to]);
      }
      this.lines.push({ edge, points: isReversed[line] ? points.reverse() : points });
    });
  }

  // Tables without relations ------------------------------------------------------------------------------------------

  /** In rows below the others. */
  placeAlone(alone) {
    if (!alone.length) return;
    const { boxes } = this;
    const area = alone.reduce((sum, table) => sum + (boxes[table].width + 32) * (boxes[table].height + 32), 0);
    const greatest = Math.max(this.width, Math.min(2400, Math.max(900, Math.sqrt(area * 1.6))));
    let [x, y, tallest] = [margin, Math.max(this.height, margin), 0];
    for (const table of [...alone].sort((first, second) => boxes[second].height - boxes[first].height)) {
      if (x + boxes[table].width > greatest && x > margin) [x, y, tallest] = [margin, y + tallest + 32, 0];
      Object.assign(boxes[table], { x, y });
      x += boxes[table].width + 32;
      tallest = Math.max(tallest, boxes[table].height);
      this.width = Math.max(this.width, x);
    }
    this.height = y + tallest + margin;
  }

  /** From a table to itself, on its right. */
  loop(edge) {
    const right = this.boxes[edge.child].x + this.boxes[edge.child].width;
    const [from, to] = [this.port(edge.parent, edge.parentColumn), this.port(edge.child, edge.childColumn)];
    return [[right, from], [right + 22, from], [right + 22, to], [right, to]];
  }

  // By hand -----------------------------------------------------------------------------------------------------------

  /** Puts a table elsewhere; its lines follow. Returns them. */
  move(table, x, y) {
    Object.assign(this.boxes[table], { x, y });
    const lines = this.lines.filter(({ edge }) => edge.parent === table || edge.child === table);
    for (const line of lines) line.points = line.edge.parent === line.edge.child ? this.loop(line.edge) : this.direct(line.edge);
    this.left = Math.min(0, ...this.boxes.map((box) => box.x - margin));
    this.top = Math.min(0, ...this.boxes.map((box) => box.y - margin));
    this.width = Math.max(...this.boxes.map((box) => box.x + box.width)) + margin - this.left;
    this.height = Math.max(...this.boxes.map((box) => box.y + box.height)) + margin - this.top;
    return lines;
  }

  /** Between the sides that face each other, or around the right ones where the boxes stand above each other. */
  direct(edge) {
    const [parent, child] = [this.boxes[edge.parent], this.boxes[edge.child]];
    const [from, to] = [this.port(edge.parent, edge.parentColumn), this.port(edge.child, edge.childColumn)];
    const ends = [parent, child].map((box) => [box.x, box.x + box.width]);
    let [start, end] = [ends[0][1], ends[1][1]];
    let x = Math.max(start, end) + 30;
    if (ends[1][0] - ends[0][1] >= 40) { [start, end] = [ends[0][1], ends[1][0]]; x = (start + end) / 2; }
    else if (ends[0][0] - ends[1][1] >= 40) { [start, end] = [ends[0][0], ends[1][1]]; x = (start + end) / 2; }
    return [[start, from], [x, from], [x, to], [end, to]];
  }
}

/** As wide as its widest line, within bounds. */
function box(table) {
  const rows = table.columns.map((column) => widthOf(visible(column.name)) + widthOf(visible(column.declared_type ?? "")) + 5);
  const most = Math.max(widthOf(visible(table.name)) + 2, ...rows);
  return { x: 0, y: 0, width: Math.min(340, Math.max(130, most * 7 + 20)),
    height: headHeight + table.columns.length * rowHeight + (table.columns.length ? 6 : 0) };
}
