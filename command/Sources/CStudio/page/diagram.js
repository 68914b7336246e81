// Tables and their relations, laid out here, so that tables can be chosen, moved and drawn anew without asking anybody.

import { save } from "./api.js";
import { button, dialog, empty, h, svg } from "./dom.js";
import { cut, drawing, feet, path } from "./drawing.js";
import { Layout, headHeight, picture, rowHeight, widthOf } from "./layout.js";
import * as state from "./state.js";
import { visible } from "./values.js";

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class DiagramView {
  constructor(app, now) {
    this.app = app;
    Object.assign(this, { x: 0, y: 0, scale: 1, isFitted: true });
    this.canvas = h("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "Diagram; arrow keys move it, + and - change its size, Tab leads to its tables" });
    const find = h("input", { type: "search", class: "input", placeholder: "Find a table", "aria-label": "Find a table", "data-search": "", oninput: () => this.find(find.value),
      onkeydown: (event) => { if (event.key === "Enter") this.boxes?.get(this.found)?.focus(); } });
    this.columnChoice = h("select", { class: "input", "aria-label": "Columns shown", onchange: () => state.go({ columns: this.columnChoice.value }) },
      [["all", "All columns"], ["keys", "Keys"], ["none", "Names alone"]].map(([value, label]) => h("option", { value }, label)));
    this.arrange = button("Arrange anew", () => state.go({ moved: {} }), { kind: "quiet" });
    this.chooseButton = button("Tables", () => this.choose(), { icon: "filter" });
    this.element = h("section", { class: "diagram", "aria-label": "Diagram" },
      h("header", { class: "toolbar" }, h("div", { class: "toolbar-title" }, h("h1", {}, "Diagram")), h("div", { class: "grow" }), this.arrange, find, this.columnChoice, this.chooseButton,
        button("", () => this.zoom(0.8), { icon: "minus", kind: "quiet", "aria-label": "Smaller" }), button("", () => this.zoom(1.25), { icon: "plus", kind: "quiet", "aria-label": "Larger" }),
        button("Fit", () => this.fit()), button("Export SVG", () => save("diagram.svg", "image/svg+xml", drawing(this.layout)), { icon: "download" })), this.canvas);
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.zoom(event.deltaY > 0 ? 0.9 : 1.1, event);
      else this.pan(-event.deltaX, -event.deltaY);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.drag(event, { x: this.x, y: this.y }, ({ x, y }) => { this.isFitted = false; Object.assign(this, { x, y }); this.place(); }));
    // As long as nobody has moved it, it fills what room there is.
    this.observer = new ResizeObserver(() => { if (this.layout && this.isFitted) this.fit(); });
    this.observer.observe(this.canvas);
    this.canvas.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (event.key === "+") this.zoom(1.25);
      else if (event.key === "-") this.zoom(0.8);
      else if (event.key === "0") this.fit();
      else if (step && event.target === this.canvas) this.pan(-60 * step[0], -60 * step[1]);
      else return;
      event.preventDefault();
    });
    this.update(now);
  }

  opened() { if (this.layout.tables.length) this.fit(); }
  destroy() { this.observer.disconnect(); }

  /** What is shown when it is come back to. */
  remember({ file, columns, tables, moved }) { this.app.lastDiagram = { file, columns, tables, moved }; }

  update(now) {
    const before = this.layout;
    this.now = now;
    this.remember(now);
    const all = this.app.schema.tables.filter((table) => table.kind !== "view");
    this.columns = now.columns ?? ((now.tables.length || all.length) <= 30 ? "all" : "keys");
    this.columnChoice.value = this.columns;
    this.chooseButton.lastChild.textContent = now.tables.length ? `Tables · ${now.tables.length} of ${all.length}` : "Tables";
    this.arrange.hidden = !Object.keys(now.moved).length;
    this.layout = new Layout(picture(all, { chosen: now.tables, columns: this.columns }), now.moved);
    if (!this.layout.tables.length) { this.canvas.replaceChildren(empty("Nothing to draw", "The file has no tables yet.")); return; }
    this.draw();
    const isAnother = !before || before.width !== this.layout.width || before.height !== this.layout.height;
    if (this.isFitted && isAnother) this.fit();
    else this.place();
  }

  draw() {
    const { layout } = this;
    const hadFocus = this.canvas.contains(document.activeElement) ? document.activeElement.dataset.table : null;
    this.lines = layout.lines.map((line) => {
      const element = svg("g", { class: "line" });
      this.drawLine(line, element);
      return { line, element };
    });
    this.boxes = new Map(layout.tables.map((table, place) => [place, this.box(table, place)]));
    this.world = svg("g", {}, ...this.lines.map(({ element }) => element), ...this.boxes.values());
    this.canvas.replaceChildren(svg("svg", { class: "drawing", role: "group", "aria-label": `${layout.tables.length} tables; Enter opens one, arrow keys lead to the next, with Shift they move it` }, this.world));
    this.setStop(this.stop && layout.tables[this.stop] ? this.stop : 0);
    for (const box of this.boxes.values()) if (hadFocus !== null && box.dataset.table === hadFocus) box.focus();
  }

  drawLine(line, element) {
    const { tables } = this.layout;
    element.replaceChildren(svg("path", { d: path(line.points) }), ...feet(line).map(([tag, attributes]) => svg(tag, attributes)),
      svg("title", {}, `${visible(tables[line.edge.child].name)}.${visible(line.edge.label)} → ${visible(tables[line.edge.parent].name)}`));
  }

  box(table, place) {
    const { x, y, width, height } = this.layout.boxes[place];
    const near = (from, to) => this.layout.edges.filter((edge) => edge[from] === place).map((edge) => visible(this.layout.tables[edge[to]].name));
    const said = [visible(table.name), table.isMissing ? "referred to, and not there" : "", ...[["refers to", near("child", "parent")], ["referred to by", near("parent", "child")]].filter(([, names]) => names.length).map(([word, names]) => `${word} ${[...new Set(names)].join(", ")}`)];
    const group = svg("g", { class: `box ${table.isMissing ? "missing" : ""}`, "data-table": table.name, transform: `translate(${x} ${y})`, role: "link", tabindex: -1, "aria-label": said.filter(Boolean).join("; ") },
      svg("rect", { class: "box-back", width, height, rx: 8 }),
      svg("path", { class: "box-head", d: `M0 28V8q0 -8 8 -8h${width - 16}q8 0 8 8v20z` }),
      svg("text", { class: "box-name", x: 12, y: 19 }, cut(visible(table.name), width - 4)));
    table.columns.forEach((column, row) => {
      const y = headHeight + (row + 0.5) * rowHeight + 7;
      const name = cut(visible(column.name), width - 4);
      group.append(svg("text", { class: `box-column ${column.key_position > 0 ? "key" : ""} ${column.is_foreign_key ? "reference" : ""}`, x: 12, y }, name));
      if (column.declared_type) group.append(svg("text", { class: "box-type", x: width - 12, y, "text-anchor": "end" }, cut(visible(column.declared_type), width, widthOf(name))));
    });
    group.append(svg("title", {}, table.isMissing ? `${visible(table.name)} is referred to, and not there` : visible(table.name)));
    group.addEventListener("pointerenter", () => this.highlight(place));
    group.addEventListener("pointerleave", () => this.highlight(null));
    group.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      const box = this.layout.boxes[place];
      this.drag(event, { x: box.x, y: box.y }, (to) => this.moveBox(place, to.x, to.y), this.scale, () => this.keepMoved(place));
    });
    group.addEventListener("click", () => { if (!this.hasMoved) this.openTable(table); });
    group.addEventListener("focus", () => { this.setStop(place); this.highlight(place); if (group.matches(":focus-visible")) this.reveal(place); });
    group.addEventListener("blur", () => this.highlight(null));
    group.addEventListener("keydown", (event) => this.boxKey(event, table, place));
    return group;
  }

  openTable(table) { if (!table.isMissing) state.go(state.fresh(table.name)); }

  boxKey(event, table, place) {
    const step = steps[event.key];
    const { x, y } = this.layout.boxes[place];
    if (event.key === "Enter" || event.key === " ") this.openTable(table);
    else if (step && event.shiftKey) { this.moveBox(place, x + 20 * step[0], y + 20 * step[1]); this.keepMoved(place); this.reveal(place); }
    else if (step) this.boxes.get(this.next(place, step))?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest table in a direction: what is straight ahead is nearer than what is aside. */
  next(place, [right, down]) {
    const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
    const [x, y] = centre(this.layout.boxes[place]);
    let best = null;
    this.layout.boxes.forEach((box, other) => {
      const [dx, dy] = [centre(box)[0] - x, centre(box)[1] - y];
      const [ahead, aside] = right ? [dx * right, Math.abs(dy)] : [dy * down, Math.abs(dx)];
      const far = ahead + 2 * aside;
      if (other !== place && ahead > 4 && (!best || far < best.far)) best = { other, far };
    });
    return best?.other;
  }

  /** The one table that Tab leads to. */
  setStop(place) {
    this.boxes.get(this.stop)?.setAttribute("tabindex", -1);
    this.stop = place;
    this.boxes.get(place)?.setAttribute("tabindex", 0);
  }

  moveBox(place, x, y) {
    const moved = new Set(this.layout.move(place, Math.round(x), Math.round(y)));
    this.boxes.get(place).setAttribute("transform", `translate(${Math.round(x)} ${Math.round(y)})`);
    for (const { line, element } of this.lines) if (moved.has(line)) this.drawLine(line, element);
  }

  keepMoved(place) {
    const { x, y } = this.layout.boxes[place];
    this.isFitted = false;
    this.now = { ...this.now, moved: { ...this.now.moved, [this.layout.tables[place].name]: [x, y] } };
    state.keep({ moved: this.now.moved });
    this.remember(this.now);
    this.arrange.hidden = false;
  }

  highlight(place) {
    const near = new Set([place]);
    for (const { line, element } of this.lines) {
      const { parent, child } = line.edge;
      const isOn = place !== null && (parent === place || child === place);
      element.classList.toggle("on", isOn);
      if (isOn) { near.add(parent); near.add(child); }
    }
    this.world.classList.toggle("dimmed", place !== null);
    for (const [known, box] of this.boxes) box.classList.toggle("on", place !== null && near.has(known));
  }

  find(text) {
    const wanted = text.toLowerCase();
    const fits = (place) => wanted !== "" && this.layout.tables[place].name.toLowerCase().includes(wanted);
    for (const [place, box] of this.boxes ?? []) box.classList.toggle("found", fits(place));
    this.found = this.layout.tables.findIndex((_, place) => fits(place));
    if (this.found >= 0) { this.setStop(this.found); this.centre(this.found); }
  }

  // Where it stands -----------------------------------------------------------------------------------------------------

  place() { this.world?.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`); }
  pan(x, y) { this.isFitted = false; this.x += x; this.y += y; this.place(); }

  centre(place) {
    const { x, y, width, height } = this.layout.boxes[place];
    this.isFitted = false;
    this.x = this.canvas.clientWidth / 2 - (x + width / 2) * this.scale;
    this.y = this.canvas.clientHeight / 2 - (y + height / 2) * this.scale;
    this.place();
  }

  /** Brings a table into what is seen. */
  reveal(place) {
    const { x, y, width, height } = this.layout.boxes[place];
    const [left, top] = [this.x + x * this.scale, this.y + y * this.scale];
    if (left < 0 || top < 0 || left + width * this.scale > this.canvas.clientWidth || top + height * this.scale > this.canvas.clientHeight) this.centre(place);
  }

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
    const { left, top, width, height } = this.layout;
    const [room, tall] = [this.canvas.clientWidth - 32, this.canvas.clientHeight - 32];
    this.scale = Math.max(0.03, Math.min(1, room / width, tall / height));
    this.x = 16 + Math.max(0, (room - width * this.scale) / 2) - left * this.scale;
    this.y = 16 + Math.max(0, (tall - height * this.scale) / 2) - top * this.scale;
    this.place();
  }

  /** Follows the pointer from where something stands. */
  drag(event, from, moved, scale = 1, ended = () => {}) {
    if (event.button !== 0) return;
    this.hasMoved = false;
    const [x, y] = [event.clientX, event.clientY];
    const move = (now) => {
      if (Math.hypot(now.clientX - x, now.clientY - y) > 4) this.hasMoved = true;
      if (!this.hasMoved) return;
      this.canvas.classList.add("dragging");
      moved({ x: from.x + (now.clientX - x) / scale, y: from.y + (now.clientY - y) / scale });
    };
    const up = () => {
      for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, up);
      removeEventListener("pointermove", move);
      this.canvas.classList.remove("dragging");
      if (this.hasMoved) ended();
    };
    addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, up);
  }

  async choose() {
    const names = this.app.schema.tables.filter((table) => table.kind !== "view").map((table) => table.name);
    const chosen = await dialog("Tables of the diagram", (close) => {
      const boxes = names.map((name) => h("label", { class: "check" }, h("input", { type: "checkbox", value: name, checked: !this.now.tables.length || this.now.tables.includes(name) }), h("span", {}, visible(name))));
      const find = h("input", { type: "search", class: "input", placeholder: "Find a table", "aria-label": "Find a table", oninput: () => boxes.forEach((box) => { box.hidden = !box.textContent.toLowerCase().includes(find.value.toLowerCase()); }) });
      const all = (checked) => boxes.forEach((box) => { if (!box.hidden) box.firstChild.checked = checked; });
      return [h("div", { class: "dialog-body" }, names.length > 12 ? find : null, h("div", { class: "check-list" }, boxes)),
        h("footer", {}, button("All", () => all(true), { kind: "quiet" }), button("None", () => all(false), { kind: "quiet" }), h("div", { class: "grow" }), button("Show these", () => close(boxes.filter((box) => box.firstChild.checked).map((box) => box.firstChild.value)), { kind: "primary" }))];
    });
    if (!chosen) return;
    this.isFitted = true;
    state.go({ tables: chosen.length === names.length ? [] : chosen });
  }
}
