// Tables and their relations, as the server lays them out.

import { ask, download } from "./api.js";
import { button, dialog, empty, h, problem, svg } from "./dom.js";
import * as state from "./state.js";

export class DiagramView {
  constructor(app, now) {
    this.app = app;
    this.file = now.file;
    this.tables = [];
    this.columns = null;
    this.scale = 1;
    this.canvas = h("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "Diagram; arrow keys move it, + and - change its size" });
    const find = h("input", { type: "search", class: "input", placeholder: "Find a table", "aria-label": "Find a table", "data-search": "", oninput: () => this.find(find.value) });
    this.columnChoice = h("select", { class: "input", "aria-label": "Columns shown", onchange: () => { this.columns = this.columnChoice.value; this.load(); } },
      [["all", "All columns"], ["keys", "Keys"], ["none", "Names alone"]].map(([value, label]) => h("option", { value }, label)));
    this.element = h("section", { class: "diagram", "aria-label": "Diagram" },
      h("header", { class: "toolbar" }, h("div", { class: "toolbar-title" }, h("h1", {}, "Diagram")), h("div", { class: "grow" }), find, this.columnChoice,
        button("Tables", () => this.choose(), { icon: "filter" }),
        button("", () => this.zoom(0.8), { kind: "quiet", "aria-label": "Smaller" }), button("", () => this.zoom(1.25), { icon: "plus", kind: "quiet", "aria-label": "Larger" }),
        button("Fit", () => this.fit()), button("Export SVG", () => download("diagram.svg", this.query), { icon: "download" })), this.canvas);
    this.element.querySelector("[aria-label=Smaller]").append("−");
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.zoom(event.deltaY > 0 ? 0.9 : 1.1, event);
      else this.move(-event.deltaX, -event.deltaY);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.drag(event));
    // As long as nobody has moved it, it fills what room there is.
    this.observer = new ResizeObserver(() => { if (this.layout && this.isFitted) this.fit(); });
    this.observer.observe(this.canvas);
    this.canvas.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
      if (event.target !== this.canvas) return;
      if (moves[event.key]) this.move(...moves[event.key]);
      else if (event.key === "+") this.zoom(1.25);
      else if (event.key === "-") this.zoom(0.8);
      else return;
      event.preventDefault();
    });
  }

  opened() { this.load(); }
  destroy() { this.observer.disconnect(); }

  get query() { return { file: this.file, tables: this.tables, columns: this.columns ?? undefined }; }

  async load() {
    try {
      this.layout = await ask("diagram", this.query);
    } catch (error) { this.canvas.replaceChildren(problem(error)); return; }
    if (!this.layout.tables.length) { this.canvas.replaceChildren(empty("Nothing to draw", "The file has no tables yet.")); return; }
    if (!this.columns) this.columnChoice.value = this.layout.tables.length <= 30 ? "all" : "keys";
    this.draw();
    this.fit();
  }

  draw() {
    const { layout } = this;
    const boxes = new Map(layout.tables.map((table) => [table.place, table]));
    this.lines = layout.lines.map((line) => {
      const element = svg("g", { class: "line", "data-parent": line.parent, "data-child": line.child }, svg("path", { d: round(line.points) }), ...ends(line));
      element.append(svg("title", {}, `${boxes.get(line.child)?.name}.${line.label} → ${boxes.get(line.parent)?.name}`));
      return element;
    });
    this.boxes = new Map(layout.tables.map((table) => [table.place, this.box(table)]));
    this.world = svg("g", {}, ...this.lines, ...this.boxes.values());
    this.canvas.replaceChildren(svg("svg", { class: "drawing", role: "img", "aria-label": `${layout.tables.length} tables` }, this.world));
  }

  box(table) {
    const group = svg("g", { class: `box ${table.kind} ${table.isMissing ? "missing" : ""}`, transform: `translate(${table.x} ${table.y})` },
      svg("rect", { class: "box-back", width: table.width, height: table.height, rx: 8 }),
      svg("path", { class: "box-head", d: `M0 28V8q0 -8 8 -8h${table.width - 16}q8 0 8 8v20z` }),
      svg("text", { class: "box-name", x: 12, y: 19 }, cut(table.name, table.width - 24, 7)));
    table.columns.forEach((column, row) => {
      const y = 28 + (row + 0.5) * 20 + 7;
      group.append(svg("text", { class: `box-column ${column.isKey ? "key" : ""} ${column.isReference ? "reference" : ""}`, x: 12, y }, cut(column.name, table.width - 24, 6.6)));
      if (column.type) group.append(svg("text", { class: "box-type", x: table.width - 12, y, "text-anchor": "end" }, cut(column.type, table.width * 0.4, 6.2)));
    });
    group.append(svg("title", {}, table.isMissing ? `${table.name} is referred to, and not there` : table.name));
    group.addEventListener("pointerenter", () => this.highlight(table.place));
    group.addEventListener("pointerleave", () => this.highlight(null));
    group.addEventListener("click", () => { if (!this.hasMoved && !table.isMissing) state.go(state.fresh(table.name)); });
    return group;
  }

  highlight(place) {
    const near = new Set([place]);
    for (const line of this.lines) {
      const [parent, child] = [Number(line.dataset.parent), Number(line.dataset.child)];
      const isOn = place !== null && (parent === place || child === place);
      line.classList.toggle("on", isOn);
      if (isOn) { near.add(parent); near.add(child); }
    }
    this.world.classList.toggle("dimmed", place !== null);
    for (const [known, box] of this.boxes) box.classList.toggle("on", place !== null && near.has(known));
  }

  find(text) {
    const wanted = text.toLowerCase();
    const found = wanted ? this.layout.tables.filter((table) => table.name.toLowerCase().includes(wanted)) : [];
    for (const [place, box] of this.boxes) box.classList.toggle("found", found.some((table) => table.place === place));
    if (found.length) {
      this.isFitted = false;
      const { x, y, width, height } = found[0];
      this.x = this.canvas.clientWidth / 2 - (x + width / 2) * this.scale;
      this.y = this.canvas.clientHeight / 2 - (y + height / 2) * this.scale;
      this.place();
    }
  }

  // Where it stands -----------------------------------------------------------------------------------------------------

  place() { this.world?.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`); }
  move(x, y) { this.isFitted = false; this.x += x; this.y += y; this.place(); }

  zoom(by, event = null) {
    this.isFitted = false;
    const bounds = this.canvas.getBoundingClientRect();
    const [x, y] = event ? [event.clientX - bounds.left, event.clientY - bounds.top] : [bounds.width / 2, bounds.height / 2];
    const scale = Math.max(0.03, Math.min(3, this.scale * by));
    this.x = x - ((x - this.x) / this.scale) * scale;
    this.y = y - ((y - this.y) / this.scale) * scale;
    this.scale = scale;
    this.place();
  }

  fit() {
    this.isFitted = true;
    const { width, height } = this.layout;
    const [room, tall] = [this.canvas.clientWidth - 32, this.canvas.clientHeight - 32];
    this.scale = Math.max(0.03, Math.min(1, room / width, tall / height));
    this.x = 16 + Math.max(0, (room - width * this.scale) / 2);
    this.y = 16 + Math.max(0, (tall - height * this.scale) / 2);
    this.place();
  }

  drag(event) {
    if (event.button !== 0) return;
    this.hasMoved = false;
    const [x, y, left, top] = [event.clientX, event.clientY, this.x, this.y];
    const move = (moved) => {
      if (Math.hypot(moved.clientX - x, moved.clientY - y) > 4) this.hasMoved = true;
      if (!this.hasMoved) return;
      this.isFitted = false;
      this.canvas.classList.add("dragging");
      this.x = left + moved.clientX - x;
      this.y = top + moved.clientY - y;
      this.place();
    };
    const up = () => { removeEventListener("pointermove", move); this.canvas.classList.remove("dragging"); };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up, { once: true });
  }

  async choose() {
    const names = this.app.schema.tables.filter((table) => table.kind !== "view").map((table) => table.name);
    const chosen = await dialog("Tables of the diagram", (close) => {
      const boxes = names.map((name) => h("label", { class: "check" }, h("input", { type: "checkbox", value: name, checked: !this.tables.length || this.tables.includes(name) }), h("span", {}, name)));
      const find = h("input", { type: "search", class: "input", placeholder: "Find a table", "aria-label": "Find a table", oninput: () => boxes.forEach((box) => { box.hidden = !box.textContent.toLowerCase().includes(find.value.toLowerCase()); }) });
      const all = (checked) => boxes.forEach((box) => { if (!box.hidden) box.firstChild.checked = checked; });
      return [h("div", { class: "dialog-body" }, names.length > 12 ? find : null, h("div", { class: "check-list" }, boxes)),
        h("footer", {}, button("All", () => all(true), { kind: "quiet" }), button("None", () => all(false), { kind: "quiet" }), h("div", { class: "grow" }), button("Show these", () => close(boxes.filter((box) => box.firstChild.checked).map((box) => box.firstChild.value)), { kind: "primary" }))];
    });
    if (!chosen) return;
    this.tables = chosen.length === names.length ? [] : chosen;
    this.load();
  }
}

function cut(text, width, each) { const most = Math.max(1, Math.floor(width / each)); return text.length <= most ? text : `${text.slice(0, most - 1)}…`; }

/** A line with its corners rounded. */
function round(points) {
  let path = `M${points[0]} ${points[1]}`;
  for (let at = 2; at < points.length - 2; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    const toward = (other) => {
      const [dx, dy] = [points[other] - x, points[other + 1] - y];
      const length = Math.abs(dx) + Math.abs(dy);
      const by = Math.min(6, length / 2) / (length || 1);
      return `${x + dx * by} ${y + dy * by}`;
    };
    path += `L${toward(at - 2)}Q${x} ${y} ${toward(at + 2)}`;
  }
  return `${path}L${points.at(-2)} ${points.at(-1)}`;
}

function ends(line) {
  const { points } = line;
  const parent = { x: points[0], y: points[1], side: points[2] >= points[0] ? 1 : -1 };
  const child = { x: points.at(-2), y: points.at(-1), side: points.at(-4) >= points.at(-2) ? 1 : -1 };
  const bar = (end, distance) => svg("path", { d: `M${end.x + end.side * distance} ${end.y - 5}v10` });
  const ring = (end, distance) => svg("circle", { cx: end.x + end.side * distance, cy: end.y, r: 3.5 });
  return [bar(parent, 6), line.isOptional ? ring(parent, 12) : bar(parent, 10),
    line.isUnique ? bar(child, 6) : svg("path", { d: `M${child.x} ${child.y - 5}L${child.x + child.side * 9} ${child.y}L${child.x} ${child.y + 5}` }), ring(child, 13)];
}
