// The rows of a table.

import { ask, download } from "./api.js";
import { editCell } from "./cell.js";
import { button, dialog, empty, h, icon, menu, problem, say } from "./dom.js";
import { Grid } from "./grid.js";
import { filterBar } from "./filters.js";
import { openDetail } from "./detail.js";
import { RowSource } from "./source.js";
import * as state from "./state.js";
import * as values from "./values.js";

const shownAtFirst = 60;
const operators = { "=": "=", "<>": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥" };

export class RowsView {
  constructor(app, now) {
    this.app = app;
    this.file = now.file;
    this.table = app.schema.tables.find((table) => table.name === now.table);
    this.labels = new Map();
    this.counts = new Map();
    this.flashes = new Map();
    this.element = h("section", { class: "rows", "aria-label": "Rows" });
    if (!this.table) {
      this.element.append(empty(now.table ? `There is no table "${now.table}"` : "No table is chosen",
        app.schema.tables.length ? "Choose one on the left." : "The file has no tables yet. SQL with --write, or a migration, makes some."));
      return;
    }
    this.shape = app.schema.keys[this.table.name];
    this.columns = this.table.columns.filter((column) => !column.is_hidden);
    this.build(now);
  }

  get edits() { return this.app.edits; }

  build(now) {
    this.now = now;
    const hidden = new Set(now.hidden ?? this.columns.slice(shownAtFirst).map((column) => column.name));
    this.shownColumns = this.columns.filter((column) => !hidden.has(column.name));
    const pinned = new Set(now.pinned);
    this.shownColumns.sort((first, second) => pinned.has(second.name) - pinned.has(first.name));
    this.query = { file: this.file, table: this.table.name, columns: this.shownColumns.map((column) => column.name),
      filters: now.filters.filter((filter) => !filter.isNew), sort: now.sort, search: now.search };
    // Who has sorted by a title stays there.
    const head = this.grid?.headFocus;
    this.source?.stop();
    this.grid?.destroy();
    this.source = new RowSource(this.query, {
      hasKey: this.shape.hasKey,
      changed: (what) => this.changed(what),
      shifted: (by) => this.grid.shift(by),
      failed: (error) => this.failed(error),
    });
    this.view = {
      get total() { return view.source.total + view.added.length; },
      get: (index) => this.rowAt(index),
      need: (first, last) => this.source.need(first, Math.min(last, this.source.total)),
    };
    const view = this;
    this.grid = new Grid({
      label: `Rows of ${this.table.name}`, source: this.view,
      paint: (cell, row, column, index) => this.paint(cell, row, column, index),
      head: (cell, column) => this.head(cell, column),
      act: (what, place) => this.act(what, place),
    });
    this.body = h("div", { class: "rows-body" }, this.grid.element);
    const footer = this.footer();
    // Who is typing what to search for goes on typing.
    const typing = document.activeElement?.matches(".search") && this.element.contains(document.activeElement) ? document.activeElement : null;
    this.element.replaceChildren(this.toolbar(), filterBar(this), this.body, footer);
    if (typing) {
      const search = this.element.querySelector(".search");
      search.value = typing.value;
      search.focus();
      search.setSelectionRange(typing.selectionStart, typing.selectionEnd);
    }
    this.grid.setColumns(this.gridColumns(null));
    if (head) this.grid.headFocus = head;
    this.source.open().then(() => { if (this.source.pages) this.grid.setColumns(this.gridColumns(this.source.rows)); this.foot(); });
    this.foot();
  }

  destroy() { this.source?.stop(); this.grid?.destroy(); }

  get added() { return this.edits.inserted(this.file, this.table?.name); }

  /** What a person sees at a place: rows to come stand behind all others. */
  rowAt(index) {
    if (index >= this.source.total) {
      const edit = this.added[index - this.source.total];
      return edit ? { k: [], c: this.shownColumns.map((column) => edit.new[column.name] ?? null), edit, version: edit.version } : null;
    }
    const row = this.source.get(index);
    if (row) row.version = this.edits.versionOf(this.file, this.table.name, row.k);
    return row;
  }

  // Columns -------------------------------------------------------------------------------------------------------------

  gridColumns(rows) {
    const pinned = new Set(this.now.pinned);
    const columns = this.shownColumns.map((column, place) => {
      const sort = this.now.sort.find((known) => known.c === column.name);
      const longest = Math.max(column.name.length + (column.key_position || column.is_foreign_key ? 4 : 1) + (sort ? 2 : 0), ((column.declared_type ?? "").length + (column.is_nullable ? 2 : 14)) * 0.85,
        ...(rows ?? []).slice(0, 60).map((row) => this.widthOf(row.c[place], column)));
      const known = this.widths?.get(column.name);
      return { id: column.name, column, place, pinned: pinned.has(column.name), canSort: true, sort: sort ? (sort.d ? "desc" : "asc") : null,
        width: known ?? Math.max(84, Math.min(340, Math.round(longest * 7.6 + 30))) };
    });
    for (const relation of this.relations) {
      columns.push({ id: `→${relation.table}.${relation.table_columns.join(".")}`, relation, width: Math.max(104, relation.table.length * 7.5 + 60) });
    }
    return columns;
  }

  widthOf(value, column) {
    const length = Math.min(46, values.line(value).length);
    return column.is_foreign_key ? length + 14 : length;
  }

  /** What refers to rows here; each is counted. */
  get relations() {
    return this.shape.hasKey ? this.table.relations.filter((relation) => relation.kind === "to_many"
      && this.app.schema.tables.some((table) => table.name === relation.table)) : [];
  }

  reference(column) {
    return this.table.foreign_keys.find((key) => key.columns.length === 1 && key.columns[0] === column.name && key.table_columns.length === 1
      && this.app.schema.tables.some((table) => table.name === key.table));
  }

  head(cell, column) {
    if (column.relation) {
      cell.classList.add("relation");
      cell.append(h("div", { class: "head-name" }, icon("link"), h("span", {}, values.visible(column.relation.table))),
        h("div", { class: "head-type" }, `by ${column.relation.table_columns.map(values.visible).join(", ")}`));
      return;
    }
    const { column: known } = column;
    const marks = [known.key_position ? icon("key", "part of the primary key") : null, known.is_foreign_key ? icon("link", "refers to another table") : null];
    const name = h("button", { type: "button", class: "head-sort", tabindex: -1, title: `Sort by ${known.name}`, onclick: (event) => this.sort(known.name, event.shiftKey) },
      ...marks, h("span", {}, values.visible(known.name)), column.sort ? icon(column.sort === "desc" ? "down" : "up") : null);
    cell.append(h("div", { class: "head-name" }, name, button("", (event) => this.columnMenu(event.currentTarget, known), { icon: "more", kind: "quiet tiny head-more", tabindex: -1, "aria-label": `Column ${known.name}` })),
      h("div", { class: "head-type" }, [known.declared_type || "any", known.is_nullable ? "" : "not null"].filter(Boolean).join(" · ")));
  }

  sort(name, isMore) {
    const known = this.now.sort.find((sort) => sort.c === name);
    const next = !known ? { c: name, d: false } : known.d ? null : { c: name, d: true };
    const others = isMore ? this.now.sort.filter((sort) => sort.c !== name) : [];
    state.go({ sort: next ? [...others, next] : others });
  }

  columnMenu(anchor, column) {
    const pinned = this.now.pinned.includes(column.name);
    const hidden = this.now.hidden ?? this.columns.slice(shownAtFirst).map((known) => known.name);
    menu(anchor, [
      { label: "Sort ascending", icon: "up", run: () => state.go({ sort: [{ c: column.name, d: false }] }) },
      { label: "Sort descending", icon: "down", run: () => state.go({ sort: [{ c: column.name, d: true }] }) },
      { label: "Filter by it", icon: "filter", run: () => this.addFilter(column.name) },
      null,
      { label: pinned ? "Unpin" : "Pin to the left", icon: "pin", run: () => state.go({ pinned: pinned ? this.now.pinned.filter((name) => name !== column.name) : [...this.now.pinned, column.name] }) },
      { label: "Hide", icon: "hide", run: () => state.go({ hidden: [...hidden, column.name] }) },
    ]);
  }

  // Toolbar -------------------------------------------------------------------------------------------------------------

  toolbar() {
    const search = h("input", { type: "search", class: "search", placeholder: "Search all columns", "aria-label": "Search all columns", value: this.now.search, "data-search": "" });
    let timer = 0;
    search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => state.go({ search: search.value }, { replace: true }), 350); });
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { if (search.value) { search.value = ""; state.go({ search: "" }, { replace: true }); } this.grid.grabFocus(); event.stopPropagation(); }
      if (event.key === "Enter") { clearTimeout(timer); state.go({ search: search.value }, { replace: true }); }
    });
    const hiddenCount = this.columns.length - this.shownColumns.length;
    return h("header", { class: "toolbar" },
      h("div", { class: "toolbar-title" }, h("h1", {}, values.visible(this.table.name)), this.table.kind !== "table" ? h("span", { class: "tag" }, this.table.kind) : null),
      h("div", { class: "grow" }),
      h("div", { class: "search-box" }, icon("search"), search, h("kbd", { "aria-hidden": "true" }, "/")),
      button("Filter", () => this.addFilter(), { icon: "filter" }),
      button(hiddenCount ? `Columns · ${hiddenCount} hidden` : "Columns", () => this.chooseColumns(), { icon: "columns" }),
      button("Export", (event) => this.export(event.currentTarget), { icon: "download" }),
      this.app.isWritable && this.table.kind === "table" ? button("New row", () => this.addRow(), { icon: "plus", kind: "primary" }) : null);
  }

  addFilter(name = null) {
    const column = this.columns.find((known) => known.name === name) ?? this.columns[0];
    const isText = column.affinity === "text" && !column.is_uuid;
    state.go({ filters: [...this.now.filters, { c: column.name, op: isText ? "contains" : "=", v: "", isNew: true }] });
  }

  async chooseColumns() {
    const hidden = new Set(this.now.hidden ?? this.columns.slice(shownAtFirst).map((column) => column.name));
    const chosen = await dialog("Columns", (close) => {
      const boxes = this.columns.map((column) => h("label", { class: "check" },
        h("input", { type: "checkbox", value: column.name, checked: !hidden.has(column.name) }), h("span", {}, values.visible(column.name)), h("small", {}, column.declared_type)));
      const list = h("div", { class: "check-list" }, boxes);
      const find = h("input", { type: "search", class: "input", placeholder: "Find a column", "aria-label": "Find a column", oninput: () => {
        boxes.forEach((box) => { box.hidden = !box.textContent.toLowerCase().includes(find.value.toLowerCase()); });
      } });
      const all = (checked) => boxes.forEach((box) => { if (!box.hidden) box.firstChild.checked = checked; });
      return [h("div", { class: "dialog-body" }, this.columns.length > 12 ? find : null, list),
        h("footer", {}, button("All", () => all(true), { kind: "quiet" }), button("None", () => all(false), { kind: "quiet" }), h("div", { class: "grow" }),
          button("Show these", () => close(boxes.filter((box) => !box.firstChild.checked).map((box) => box.firstChild.value)), { kind: "primary" }))];
    });
    if (!chosen) return;
    if (this.columns.length - chosen.length > 300) return say("300 columns at most are shown at once: hide some more", "bad");
    state.go({ hidden: chosen.length ? chosen : this.columns.length > shownAtFirst ? [] : null });
  }

  export(anchor) {
    const formats = { csv: "CSV", spreadsheet: "CSV for a spreadsheet, which runs no formula of it", json: "JSON", sql: "SQL" };
    menu(anchor, Object.entries(formats).map(([format, name]) => ({ label: `All ${this.isFiltered ? "filtered " : ""}rows as ${name}`, icon: "download", run: () => download("export", { ...this.query, format }) })));
  }

  get isFiltered() { return this.now.filters.length > 0 || this.now.search !== ""; }

  // What comes ----------------------------------------------------------------------------------------------------------

  changed(what) {
    this.grid.measure();
    if (what !== "count") this.relate();
    this.foot();
    if (!this.source.total && !this.added.length && this.source.isEnd) {
      this.body.querySelector(".empty")?.remove();
      this.body.append(this.isFiltered
        ? empty("No row fits", "Nothing in this table meets all the conditions.", button("Take the filters away", () => state.go({ filters: [], search: "" }), { kind: "primary" }))
        : empty("No rows yet", this.app.isWritable ? "Add the first one with New row, or by SQL." : "Rows that another program writes appear here by themselves."));
    } else this.body.querySelector(".empty")?.remove();
  }

  failed(error) {
    this.body.querySelector(".problem")?.remove();
    this.body.append(problem(error, [button("Try again", () => this.build(this.now), { kind: "primary" }),
      this.now.sort.length ? button("Without sorting", () => state.go({ sort: [] })) : null]));
    this.foot();
  }

  foot() {
    const { total, isExact, isCounted } = this.source;
    const count = isExact ? `${values.number(total)} ${total === 1 ? "row" : "rows"}` : isCounted ? `about ${values.number(total)} rows` : "counting…";
    const at = this.grid && total > this.grid.visible ? `at ${values.number(Math.min(total, Math.floor(this.grid.top) + 1))}` : "";
    const { count: counted, note, label, at: place } = this.footParts;
    counted.textContent = count;
    counted.dataset.count = isExact ? total : "";
    note.textContent = `${this.isFiltered ? " · filtered" : ""}${this.shape.hasKey ? "" : " · no key: read only"}`;
    label.hidden = total <= 200;
    place.textContent = at;
  }

  /** Its parts stay, so that who types a row goes on typing. */
  footer() {
    const jump = h("input", { type: "text", inputmode: "numeric", class: "jump", placeholder: "row", "aria-label": "Go to row", size: 9 });
    jump.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      const row = Number(jump.value.replace(/\D/g, ""));
      jump.value = "";
      if (row > 0) { this.grid.goTo(row - 1); this.grid.setFocus(Math.min(row - 1, this.view.total - 1), this.grid.focus.column); this.foot(); }
    });
    this.footParts = { count: h("span", { class: "count" }), note: h("span", { class: "muted" }), label: h("label", { class: "jump-label", hidden: true }, "Go to", jump), at: h("span", { class: "muted at" }) };
    const { count, note, label, at } = this.footParts;
    return h("footer", { class: "rows-foot" }, count, note, h("div", { class: "grow" }), label, at);
  }

  /** What rows are related to, of the rows that have come since. */
  async relate() {
    const rows = this.source.rows.filter((row) => !row.isRelated);
    rows.forEach((row) => { row.isRelated = true; });
    if (!rows.length) return;
    const isCurrent = this.source;
    const jobs = this.shownColumns.map((column, place) => [column, place, this.reference(column)]).filter(([, , key]) => key).map(async ([column, place, key]) => {
      const known = this.labels.get(column.name) ?? new Map();
      this.labels.set(column.name, known);
      const wanted = [...new Map(rows.map((row) => row.c[place]).filter((value) => value !== null && !values.isBlob(value) && !values.isCut(value)).map((value) => [JSON.stringify(value), value])).values()].filter((value) => !known.has(JSON.stringify(value)));
      for (let at = 0; at < wanted.length; at += 400) {
        const { labels } = await ask("labels", { file: this.file, table: key.table, column: key.table_columns[0], values: wanted.slice(at, at + 400) });
        for (const [value, label] of labels) known.set(JSON.stringify(value), label);
      }
    });
    if (this.relations.length) jobs.push(...Array.from({ length: Math.ceil(rows.length / 200) }, async (_, part) => {
      const some = rows.slice(part * 200, part * 200 + 200);
      const { counts } = await ask("related", { file: this.file, table: this.table.name, keys: some.map((row) => row.k) });
      for (const relation of counts) some.forEach((row, place) => { (row.related ??= new Map()).set(`→${relation.table}.${relation.columns.join(".")}`, relation.counts[place]); });
    }));
    await Promise.allSettled(jobs);
    if (isCurrent === this.source) this.grid.repaint();
  }

  /** Something was committed: what is seen is read again, and what differs flashes. */
  async committed() {
    if (!this.source?.pages) return;
    if (this.isRefreshing) { this.wantsRefresh = true; return; }
    this.isRefreshing = true;
    const changes = await this.source.again();
    this.source.countAgain();
    if (changes?.length || changes === null) {
      const until = performance.now() + 2400;
      for (const { row, columns } of changes ?? []) this.flashes.set(JSON.stringify(row.k), { columns, until });
      this.source.rows.forEach((row) => { row.isRelated = false; });
    } else this.source.rows.forEach((row) => { row.isRelated = false; });
    const shown = this.detail && changes?.find(({ row }) => JSON.stringify(row.k) === this.detailKey);
    if (shown && !this.detail.contains(document.activeElement)) this.openDetail(shown.row, this.source.start + this.source.rows.indexOf(shown.row));
    this.labels.clear();
    this.relate();
    this.changed("count");
    this.grid.repaint();
    setTimeout(() => this.grid.repaint(), 2500);
    // Twice in a second at most.
    setTimeout(() => { this.isRefreshing = false; if (this.wantsRefresh) { this.wantsRefresh = false; this.committed(); } }, 400);
  }

  // Cells ---------------------------------------------------------------------------------------------------------------

  paint(cell, row, column, index) {
    // What is being typed stays, whatever is committed meanwhile.
    if (cell.dataset.editing === String(index)) return;
    delete cell.dataset.editing;
    cell.replaceChildren();
    cell.classList.remove("edited", "flash", "deleted", "added");
    if (!row) { cell.dataset.kind = ""; cell.append(h("span", { class: "shimmer" })); return; }
    const edit = row.edit ?? this.edits.of(this.file, this.table.name, row.k);
    if (edit?.kind === "delete") cell.classList.add("deleted");
    if (edit?.kind === "insert") cell.classList.add("added");
    if (column.relation) return this.paintRelation(cell, row, column);
    let value = row.c[column.place];
    if (edit && column.column.name in edit.new) { value = edit.new[column.column.name]; cell.classList.add("edited"); }
    const flash = this.flashes.get(JSON.stringify(row.k));
    if (flash && row.k.length && flash.until > performance.now() && (!flash.columns || flash.columns.includes(column.place))) cell.classList.add("flash");
    this.paintValue(cell, value, column.column, edit);
  }

  paintValue(cell, value, column, edit) {
    const kind = values.kind(value, column);
    cell.dataset.kind = kind;
    if (kind === "null") cell.append(h("span", { class: "null" }, edit?.kind === "insert" && !(column.name in edit.new) ? "default" : "NULL"));
    else if (kind === "empty-text") cell.append(h("span", { class: "null" }, "empty"));
    else if (kind === "blob") cell.append(h("span", { class: "chip" }, values.text(value)));
    else if (kind === "bool") cell.append(h("span", { class: `bool ${value ? "yes" : "no"}` }, value ? "true" : "false"));
    else {
      const key = this.reference(column);
      const shown = h("span", { class: "value" }, values.line(value));
      if (key) {
        const label = this.labels.get(column.name)?.get(JSON.stringify(value));
        cell.append(h("a", { class: "reference", href: state.address(state.fresh(key.table, { file: this.file, filters: [{ c: key.table_columns[0], op: "=", v: value }] })), tabindex: -1, title: `Open in ${key.table}` }, shown, icon("arrow")),
          label !== undefined && label !== null ? h("span", { class: "label" }, values.line(label)) : "");
      } else cell.append(shown);
    }
  }

  paintRelation(cell, row, column) {
    cell.dataset.kind = "relation";
    const count = row.related?.get(column.id);
    if (count === undefined || row.edit) return;
    const { relation } = column;
    if (!count) { cell.append(h("span", { class: "none" }, "0")); return; }
    cell.append(h("a", { class: "chip link", tabindex: -1, href: this.relatedAddress(relation, row) }, values.number(count), icon("arrow")));
  }

  relatedAddress(relation, row) {
    const filters = relation.columns.map((name, place) => ({ c: relation.table_columns[place], op: "=", v: this.valueOf(row, name) }));
    return state.address(state.fresh(relation.table, { file: this.file, filters }));
  }

  valueOf(row, name) {
    const place = this.shownColumns.findIndex((column) => column.name === name);
    if (place >= 0) return row.c[place];
    const key = this.table.rowid_column ? [this.table.rowid_column] : this.table.primary_key;
    return row.k[key.indexOf(name)] ?? null;
  }

  // What is done --------------------------------------------------------------------------------------------------------

  act(what, place) {
    const row = place?.row === undefined ? null : this.rowAt(place.row);
    const column = this.grid.columns[place?.column];
    if (what === "resized") { (this.widths ??= new Map()).set(place.column.id, place.column.width); return; }
    if (what === "focus") { this.foot(); if (this.detail) this.openDetail(row, place.row); return; }
    if (!row || !column) return;
    if (what === "open") {
      if (column.relation && row.related?.get(column.id)) location.hash = this.relatedAddress(column.relation, row);
      else if (this.canEdit(column)) editCell(this, place, row, column.column);
      else this.openDetail(row, place.row);
    } else if (what === "edit") { if (this.canEdit(column)) editCell(this, place, row, column.column); else this.openDetail(row, place.row); }
    else if (what === "copy") this.copy(this.grid.selection ? "csv" : "cell", row, column);
    else if (what === "delete") { if (this.app.isWritable) this.deleteRows(); }
    else if (what === "menu") this.rowMenu(place.element, row, column, place);
  }

  selectedRows() {
    const { selection, focus } = this.grid;
    const [from, to] = selection ? [Math.min(selection.from, selection.to), Math.max(selection.from, selection.to)] : [focus.row, focus.row];
    return Array.from({ length: Math.min(2000, to - from + 1) }, (_, place) => this.rowAt(from + place)).filter(Boolean);
  }

  async copy(how, row, column) {
    const rows = this.selectedRows();
    const names = this.shownColumns.map((known) => known.name);
    const made = {
      cell: () => values.text(row.c[column.place] ?? null),
      csv: () => [names, ...rows.map((known) => known.c)].map((cells) => cells.map(values.csv).join(",")).join("\n"),
      json: () => JSON.stringify(rows.map((known) => Object.fromEntries(names.map((name, place) => [name, values.json(known.c[place])]))), null, 2),
      sql: () => rows.map((known) => `INSERT INTO ${values.quoted(this.table.name)} (${names.map(values.quoted).join(", ")}) VALUES (${known.c.map(values.literal).join(", ")});`).join("\n"),
    }[how]();
    const isCut = how !== "cell" ? rows.some((known) => known.c.some((value) => values.isCut(value) || values.isBlob(value))) : values.isCut(row.c[column.place]);
    try { await navigator.clipboard.writeText(made); } catch { return say("the browser does not let the page copy", "bad"); }
    say(isCut ? "copied, but for what is too long to be shown: export has it all" : how === "cell" ? "copied" : `${rows.length} ${rows.length === 1 ? "row" : "rows"} copied`);
  }

  rowMenu(anchor, row, column, place) {
    const isOne = this.selectedRows().length <= 1;
    menu(anchor ?? this.grid.element, [
      { label: "Show the row", icon: "view", run: () => this.openDetail(row, place.row) },
      this.canEdit(column) ? { label: "Edit the value", icon: "table", run: () => editCell(this, place, row, column.column) } : null,
      column.column ? { label: "Only rows with this value", icon: "filter", run: () => this.filterByValue(row, column) } : null,
      { label: "Copy the value", icon: "copy", run: () => this.copy("cell", row, column) },
      ...["csv", "json", "sql"].map((how) => ({ label: `Copy ${isOne ? "the row" : "the rows"} as ${how.toUpperCase()}`, icon: "copy", run: () => this.copy(how, row, column) })),
      this.app.isWritable && this.shape.hasKey ? { label: isOne ? "Delete the row" : "Delete the rows", icon: "trash", danger: true, run: () => this.deleteRows() } : null,
    ].filter((item) => item));
  }

  filterByValue(row, column) {
    const value = row.c[column.place];
    const filter = value === null ? { c: column.id, op: "null" } : { c: column.id, op: "=", v: value };
    state.go({ filters: [...this.now.filters, filter] });
  }

  openDetail(row, index) {
    if (!row) return;
    this.detail?.remove();
    this.detail = openDetail(this, row, index, () => { this.detail?.remove(); this.detail = null; this.grid.measure(); this.grid.setFocus(index, this.grid.focus.column, true); });
    this.detailKey = JSON.stringify(row.k);
    this.body.append(this.detail);
    this.grid.measure();
  }

  canEdit(column) {
    return this.app.isWritable && this.shape.hasKey && this.table.kind === "table" && column?.column && !column.column.generated_sql;
  }

  addRow() {
    this.edits.insert(this.file, this.table.name);
    this.body.querySelector(".empty")?.remove();
    this.grid.measure();
    const first = this.grid.columns.findIndex((column) => column.column && !(column.column.key_position && this.table.rowid_column));
    this.grid.setFocus(this.view.total - 1, Math.max(0, first), true);
  }

  deleteRows() {
    if (!this.shape.hasKey || this.table.kind !== "table") return say("rows of this table have no key to delete them by", "bad");
    for (const row of this.selectedRows()) {
      if (row.edit) this.edits.drop(row.edit);
      else this.edits.remove(this.file, this.table.name, row.k, this.oldValues(row));
    }
    this.grid.selection = null;
    this.grid.measure();
    this.grid.repaint();
  }

  /** What the page knows whole of a row, beside the key that finds it. */
  oldValues(row) {
    const key = this.table.rowid_column ? [this.table.rowid_column] : this.table.is_without_rowid ? this.table.primary_key : [];
    return Object.fromEntries(this.shownColumns.map((column, place) => [column.name, row.c[place]])
      .filter(([name, value]) => !values.isCut(value) && !values.isBlob(value) && !key.includes(name) && !this.table.columns.find((column) => column.name === name).generated_sql));
  }

  write(row, column, value) {
    if (row.edit) return this.edits.write(row.edit, column.name, value);
    const place = this.shownColumns.findIndex((known) => known.name === column.name);
    this.edits.update(this.file, this.table.name, row.k, column.name, row.c[place], value);
  }
}

export const operatorNames = { ...operators, contains: "contains", starts: "starts with", ends: "ends with", null: "is NULL", notnull: "is not NULL" };
