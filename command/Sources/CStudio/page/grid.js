// A grid of any number of rows: as many elements as are seen, whatever is scrolled to. Roles and keys as in
// https://www.w3.org/WAI/ARIA/apg/patterns/grid/.

import { h } from "./dom.js";

export const rowHeight = 32;
const headHeight = 48;
/** Browsers draw nothing that is taller, and Firefox lets nothing stick below 8,947,848 pixels; more rows are scrolled to in proportion. */
const tallest = 8_000_000;

export class Grid {
  /**
   * source: { total, get(index), need(first, last) }
   * paint(cell, row, column, index): fills a cell.
   */
  constructor({ label, source, paint, head, act }) {
    Object.assign(this, { source, paint, head, act, columns: [], top: 0, focus: { row: 0, column: 0 }, selection: null });
    this.header = h("div", { class: "grid-row grid-head", role: "row", "aria-rowindex": 1 });
    this.headGroup = h("div", { role: "rowgroup" }, this.header);
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.layer = h("div", { class: "grid-layer", role: "grid", "aria-label": label, "aria-multiselectable": "true" }, this.headGroup, this.body);
    this.spacer = h("div", { class: "grid-spacer" }, this.layer);
    this.scroller = h("div", { class: "grid", "data-grid": "" }, this.spacer);
    this.element = this.scroller;
    this.rows = [];
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.layer.addEventListener("keydown", (event) => this.key(event));
    this.layer.addEventListener("mousedown", (event) => this.press(event));
    this.layer.addEventListener("dblclick", (event) => {
      const place = this.place(event.target);
      if (place) this.act("edit", place);
    });
    this.layer.addEventListener("contextmenu", (event) => {
      const place = this.place(event.target);
      if (!place) return;
      event.preventDefault();
      this.setFocus(place.row, place.column, true);
      this.act("menu", { ...place, element: event.target.closest("[role=gridcell]") });
    });
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.scroller);
  }

  destroy() { this.observer.disconnect(); }

  setColumns(columns) {
    const head = this.headFocus;
    this.columns = columns;
    let left = 0;
    for (const column of columns) { column.left = column.pinned ? left : null; if (column.pinned) left += column.width; }
    this.width = columns.reduce((sum, column) => sum + column.width, 0);
    this.layer.setAttribute("aria-colcount", columns.length);
    this.header.replaceChildren(...columns.map((column, index) => this.headCell(column, index)));
    for (const row of this.rows) row.element.remove();
    this.rows = [];
    this.focus.column = Math.min(this.focus.column, Math.max(0, columns.length - 1));
    this.measure();
    if (head) this.headFocus = head;
  }

  /** The column whose title has the focus, by its id; null where none has it. */
  get headFocus() { return this.columns[[...this.header.children].findIndex((cell) => cell.contains(document.activeElement))]?.id ?? null; }
  set headFocus(id) { const place = this.columns.findIndex((column) => column.id === id); if (place >= 0) this.focusHead(place); }

  headCell(column, index) {
    const cell = h("div", { class: "grid-cell", role: "columnheader", "aria-colindex": index + 1, tabindex: -1,
      "aria-sort": column.sort ? (column.sort === "desc" ? "descending" : "ascending") : column.canSort ? "none" : null });
    this.shape(cell, column);
    this.head(cell, column);
    const handle = h("div", { class: "grid-handle", "aria-hidden": "true" });
    handle.addEventListener("pointerdown", (event) => this.resize(event, column, handle));
    cell.append(handle);
    return cell;
  }

  shape(cell, column) {
    cell.style.width = `${column.width}px`;
    cell.classList.toggle("pinned", !!column.pinned);
    cell.style.left = column.pinned ? `${column.left}px` : "";
  }

  resize(event, column, handle) {
    event.preventDefault();
    event.stopPropagation();
    handle.setPointerCapture(event.pointerId);
    const [start, width] = [event.clientX, column.width];
    const move = (moved) => {
      column.width = Math.max(56, Math.min(1200, width + moved.clientX - start));
      this.setColumnsKeepingFocus();
    };
    const up = () => { handle.removeEventListener("pointermove", move); this.act("resized", { column }); };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", up, { once: true });
  }

  setColumnsKeepingFocus() {
    let left = 0;
    for (const column of this.columns) { column.left = column.pinned ? left : null; if (column.pinned) left += column.width; }
    this.width = this.columns.reduce((sum, column) => sum + column.width, 0);
    [...this.header.children].forEach((cell, index) => this.shape(cell, this.columns[index]));
    for (const row of this.rows) row.cells.forEach((cell, index) => this.shape(cell, this.columns[index]));
    this.measure();
  }

  // Where it stands -----------------------------------------------------------------------------------------------------

  get visible() { return Math.max(1, Math.floor((this.height - headHeight) / rowHeight)); }
  get natural() { return this.source.total * rowHeight + headHeight + 8; }
  get isScaled() { return this.natural > tallest; }
  get greatestTop() { return Math.max(0, this.source.total - (this.height - headHeight - 8) / rowHeight); }

  measure() {
    this.height = this.scroller.clientHeight || 400;
    this.spacer.style.height = `${Math.max(this.height, Math.min(tallest, this.natural))}px`;
    this.spacer.style.width = `${Math.max(this.width ?? 0, this.scroller.clientWidth)}px`;
    this.layer.style.height = `${this.height}px`;
    this.layer.setAttribute("aria-rowcount", this.source.total + 1);
    this.top = Math.min(this.top, this.greatestTop);
    this.align();
    this.draw();
  }

  /** Brings the scroll bar to where the rows are. */
  align() {
    const range = this.scroller.scrollHeight - this.height;
    const wanted = this.isScaled ? (this.greatestTop ? (this.top / this.greatestTop) * range : 0) : this.top * rowHeight;
    if (Math.abs(this.scroller.scrollTop - wanted) > 0.5) this.scroller.scrollTop = wanted;
    this.last = this.scroller.scrollTop;
  }

  scrolled() {
    const now = this.scroller.scrollTop;
    const moved = now - (this.last ?? 0);
    this.last = now;
    if (moved === 0) return this.draw();
    if (!this.isScaled) this.top = now / rowHeight;
    else if (Math.abs(moved) < 3 * this.height) {
      // A wheel or a key goes on by what it says, the bar is brought there afterwards.
      this.top = Math.max(0, Math.min(this.greatestTop, this.top + moved / rowHeight));
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.align(), 160);
    } else this.top = (now / (this.scroller.scrollHeight - this.height)) * this.greatestTop;
    this.draw();
  }

  goTo(row) {
    this.top = Math.max(0, Math.min(this.greatestTop, row));
    this.align();
    this.draw();
  }

  /** The rows stand elsewhere in the whole than was thought; what is seen stays where it is. */
  shift(by) {
    this.top = Math.max(0, Math.min(this.greatestTop, this.top + by));
    this.focus.row += by;
    if (this.selection) this.selection = { from: this.selection.from + by, to: this.selection.to + by };
    this.measure();
  }

  draw() {
    if (!this.columns.length) return;
    const first = Math.floor(this.top);
    const count = Math.min(this.source.total - first, Math.ceil((this.height - headHeight) / rowHeight) + 1);
    this.source.need(first, first + count);
    while (this.rows.length < count) this.rows.push(this.makeRow());
    this.rows.forEach((row, place) => this.drawRow(row, place < count ? first + place : -1, (place - (this.top - first)) * rowHeight));
    if (this.wantsFocus) this.grabFocus();
  }

  makeRow() {
    const cells = this.columns.map((column, index) => {
      const cell = h("div", { class: "grid-cell", role: "gridcell", "aria-colindex": index + 1, tabindex: -1 });
      this.shape(cell, column);
      return cell;
    });
    const element = h("div", { class: "grid-row", role: "row" }, ...cells);
    this.body.append(element);
    return { element, cells, index: -1, painted: null };
  }

  drawRow(row, index, y) {
    row.element.hidden = index < 0;
    if (index < 0) { row.index = -1; row.painted = null; return; }
    row.element.style.transform = `translateY(${y}px)`;
    const data = this.source.get(index);
    const isSelected = this.selection && index >= Math.min(this.selection.from, this.selection.to) && index <= Math.max(this.selection.from, this.selection.to);
    row.element.classList.toggle("selected", !!isSelected);
    row.element.classList.toggle("odd", index % 2 === 1);
    if (row.index !== index) {
      row.index = index;
      row.element.setAttribute("aria-rowindex", index + 2);
    }
    row.element.setAttribute("aria-selected", isSelected ? "true" : "false");
    if (row.painted !== data || data?.version !== row.version || row.paintedAt !== index) {
      row.painted = data;
      row.version = data?.version;
      row.paintedAt = index;
      row.element.classList.toggle("waiting", !data);
      row.cells.forEach((cell, place) => this.paint(cell, data, this.columns[place], index));
    }
    row.cells.forEach((cell, place) => {
      const isFocus = index === this.focus.row && place === this.focus.column;
      cell.classList.toggle("focus", isFocus);
      cell.tabIndex = isFocus ? 0 : -1;
    });
  }

  /** Everything anew, with the rows that are there. */
  repaint() {
    for (const row of this.rows) row.painted = undefined;
    this.draw();
  }

  cellAt(row, column) { return this.rows.find((known) => known.index === row)?.cells[column]; }

  // Focus and keys ------------------------------------------------------------------------------------------------------

  place(target) {
    const cell = target.closest?.("[role=gridcell]");
    const row = cell && this.rows.find((known) => known.cells.includes(cell));
    return row ? { row: row.index, column: row.cells.indexOf(cell) } : null;
  }

  press(event) {
    const place = this.place(event.target);
    if (!place || event.target.closest("button, a, input, textarea, select")) return;
    if (event.shiftKey) { this.selection = { from: this.selection?.from ?? this.focus.row, to: place.row }; event.preventDefault(); }
    else if (this.selection && event.button === 0) this.selection = null;
    this.setFocus(place.row, place.column, true);
    this.act("focus", place);
  }

  setFocus(row, column, grab = false) {
    this.focus = { row: Math.max(0, Math.min(this.source.total - 1, row)), column: Math.max(0, Math.min(this.columns.length - 1, column)) };
    const last = this.top + this.visible - 1;
    if (this.focus.row < this.top) this.goTo(this.focus.row);
    else if (this.focus.row > last) this.goTo(this.focus.row - this.visible + 1);
    this.reveal(this.focus.column);
    this.wantsFocus = grab;
    this.draw();
  }

  reveal(column) {
    const pinned = this.columns.filter((known) => known.pinned).reduce((sum, known) => sum + known.width, 0);
    const target = this.columns[column];
    if (!target || target.pinned) return;
    const left = this.columns.slice(0, column).reduce((sum, known) => sum + known.width, 0);
    if (left - pinned < this.scroller.scrollLeft) this.scroller.scrollLeft = left - pinned;
    else if (left + target.width > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = left + target.width - this.scroller.clientWidth;
  }

  grabFocus() {
    const cell = this.cellAt(this.focus.row, this.focus.column);
    if (!cell) return;
    this.wantsFocus = false;
    cell.focus({ preventScroll: true });
  }

  focusHead(column) {
    const cell = this.header.children[Math.max(0, Math.min(this.columns.length - 1, column))];
    this.reveal([...this.header.children].indexOf(cell));
    (cell?.querySelector("button") ?? cell)?.focus({ preventScroll: true });
  }

  headKey(event, column) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && event.shiftKey) {
      this.columns[column].width = Math.max(56, Math.min(1200, this.columns[column].width + 16 * step));
      this.setColumnsKeepingFocus();
      this.act("resized", { column: this.columns[column] });
    } else if (step) this.focusHead(column + step);
    else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10") || (event.altKey && event.key === "ArrowDown")) this.header.children[column].querySelector(".head-more")?.click();
    else if (event.key === "ArrowDown") this.setFocus(Math.ceil(this.top), column, true);
    else return;
    event.preventDefault();
  }

  key(event) {
    if (event.target.closest("input, textarea, select")) return;
    const head = event.target.closest("[role=columnheader]");
    if (head) return this.headKey(event, [...this.header.children].indexOf(head));
    if (event.key === "ArrowUp" && this.focus.row === 0 && !event.shiftKey) { event.preventDefault(); return this.focusHead(this.focus.column); }
    const { row, column } = this.focus;
    const control = event.ctrlKey || event.metaKey;
    const page = this.visible - 1;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageUp: [row - page, column], PageDown: [row + page, column],
      Home: control ? [0, 0] : [row, 0], End: control ? [this.source.total - 1, this.columns.length - 1] : [row, this.columns.length - 1],
    };
    if (moves[event.key]) {
      if (event.shiftKey && ["ArrowUp", "ArrowDown", "PageUp", "PageDown"].includes(event.key)) {
        this.selection = { from: this.selection?.from ?? row, to: Math.max(0, Math.min(this.source.total - 1, moves[event.key][0])) };
      } else if (!event.shiftKey) this.selection = null;
      this.setFocus(...moves[event.key], true);
      this.act("focus", this.focus);
    } else if (event.key === "Enter" || event.key === "F2") this.act(event.key === "F2" ? "edit" : "open", this.focus);
    else if (event.key === " ") { this.selection = { from: row, to: row }; this.draw(); this.act("focus", this.focus); }
    else if (control && event.key.toLowerCase() === "c") this.act("copy", this.focus);
    else if (event.key === "Delete" && !control) this.act("delete", this.focus);
    else if (event.key === "Escape" && this.selection) { this.selection = null; this.draw(); }
    else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) this.act("menu", { ...this.focus, element: this.cellAt(row, column) });
    else return;
    event.preventDefault();
  }
}
