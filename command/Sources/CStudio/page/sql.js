// SQL of a person's: parameters, completion, rows, the plan, and what was run before.

import { ask, isAbort } from "./api.js";
import { button, dialog, empty, h, icon, problem } from "./dom.js";
import { Grid } from "./grid.js";
import * as state from "./state.js";
import * as values from "./values.js";

const words = "SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET JOIN LEFT INNER CROSS ON USING AS AND OR NOT IN IS NULL LIKE BETWEEN EXISTS CASE WHEN THEN ELSE END DISTINCT UNION ALL EXCEPT INTERSECT WITH RECURSIVE VALUES INSERT INTO UPDATE SET DELETE RETURNING CREATE TABLE INDEX VIEW TRIGGER DROP ALTER ADD COLUMN PRIMARY KEY REFERENCES DEFAULT UNIQUE CHECK COLLATE EXPLAIN PRAGMA count sum avg min max total group_concat coalesce ifnull length substr lower upper trim replace round abs date time datetime strftime julianday typeof json_extract json_each row_number rank over PARTITION".split(" ");

export class SQLView {
  constructor(app, now) {
    this.app = app;
    this.file = now.file;
    this.history = JSON.parse(sessionStorage.getItem("corm-studio-sql") ?? "[]");
    const first = app.schema.tables[0]?.name;
    this.editor = h("textarea", { class: "editor", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "SQL", "data-search": "", role: "combobox", "aria-expanded": "false", "aria-controls": "completions", "aria-autocomplete": "list",
      placeholder: first ? `SELECT * FROM ${values.quoted(first)} LIMIT 100` : "SELECT 1", value: now.sql });
    this.completions = h("div", { class: "completions", id: "completions", role: "listbox", "aria-label": "Completions", hidden: true });
    this.parameters = h("div", { class: "parameters" });
    this.result = h("div", { class: "result" });
    this.seconds = h("select", { class: "input", "aria-label": "Time limit" }, [5, 10, 60, 600].map((limit) => h("option", { value: limit, selected: limit === 10 }, `${limit} s at most`)));
    this.runButton = button("Run", () => (this.running ? this.stop() : this.run()), { icon: "play", kind: "primary run" });
    this.editor.addEventListener("input", () => { this.ask(); this.complete(); this.keep(); });
    this.editor.addEventListener("keydown", (event) => this.key(event));
    this.editor.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== this.editor) this.hideCompletions(); }, 150));
    this.element = h("section", { class: "sql-view", "aria-label": "SQL" },
      h("header", { class: "toolbar" }, h("div", { class: "toolbar-title" }, h("h1", {}, "SQL")), h("div", { class: "grow" }), this.seconds,
        button("History", (event) => this.showHistory(event.currentTarget), { kind: "" }), this.runButton),
      h("div", { class: "editor-box" }, this.editor, this.completions), this.parameters, this.result);
    this.result.append(empty("Ask the file anything", `Ctrl Enter runs the statement. ${app.isWritable ? "It may change the file." : "It is open for reading only: start corm studio with --write to change it."}`));
    this.ask();
  }

  opened() { this.editor.focus(); this.editor.setSelectionRange(this.editor.value.length, this.editor.value.length); }
  destroy() { this.stop(); this.grid?.destroy(); }
  update(now) { if (now.sql !== this.editor.value) { this.editor.value = now.sql; this.ask(); } }

  keep() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => state.keep({ view: "sql", sql: this.editor.value }), 300);
  }

  // Parameters ----------------------------------------------------------------------------------------------------------

  /** The names of the parameters, without what stands in texts and comments. */
  names() {
    const plain = this.editor.value.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, " ");
    const names = [];
    for (const [found] of plain.matchAll(/\?\d*|[:@$][A-Za-z_]\w*/g)) {
      const name = found === "?" ? String(names.length + 1) : found.slice(1);
      if (!names.includes(name)) names.push(name);
    }
    return names;
  }

  ask() {
    const names = this.names();
    const known = Object.fromEntries([...this.parameters.querySelectorAll("input")].map((input) => [input.name, input.value]));
    if (names.join() === Object.keys(known).join()) return;
    this.parameters.replaceChildren(...names.map((name) => h("label", { class: "parameter" }, h("span", { class: "mono" }, name), h("input", { class: "input", name, placeholder: "NULL", value: known[name] ?? "", onkeydown: (event) => { if (event.key === "Enter") this.run(); } }))));
  }

  bound() {
    return Object.fromEntries([...this.parameters.querySelectorAll("input")].map((input) => [input.name,
      input.value === "" ? null : /^'.*'$/.test(input.value) ? input.value.slice(1, -1).replaceAll("''", "'") : values.typed(input.value, null)]));
  }

  // Completion ----------------------------------------------------------------------------------------------------------

  complete() {
    const before = this.editor.value.slice(0, this.editor.selectionStart);
    const [, owner, part] = before.match(/(?:([A-Za-z_]\w*)\.)?([A-Za-z_]\w*)?$/);
    if (!owner && (part ?? "").length < 2) return this.hideCompletions();
    const tables = this.app.schema.tables;
    const used = tables.filter((table) => new RegExp(`\\b${table.name.replace(/[^\w]/g, "\\$&")}\\b`, "i").test(this.editor.value));
    const alias = owner && this.editor.value.match(new RegExp(`\\b(\\w+)"?\\s+(?:as\\s+)?${owner}\\b`, "i"))?.[1];
    const of = tables.find((table) => [owner, alias].some((name) => name && table.name.toLowerCase() === name.toLowerCase()));
    const columns = (list) => list.flatMap((table) => table.columns.map((column) => ({ name: column.name, note: `${table.name} · ${column.declared_type}` })));
    const all = owner ? columns(of ? [of] : []) : [...columns(used), ...tables.map((table) => ({ name: table.name, note: table.kind })), ...words.map((word) => ({ name: word, note: "" }))];
    const wanted = (part ?? "").toLowerCase();
    const seen = new Set();
    this.choices = all.filter(({ name }) => name.toLowerCase().startsWith(wanted) && name.toLowerCase() !== wanted && !seen.has(name) && seen.add(name)).slice(0, 8);
    if (!this.choices.length) return this.hideCompletions();
    this.part = part ?? "";
    this.chosen = 0;
    this.hasChosen = false;
    this.completions.hidden = false;
    this.editor.setAttribute("aria-expanded", "true");
    this.drawChoices();
    const place = this.caret(before.slice(0, before.length - this.part.length));
    this.completions.style.left = `${Math.min(place.x, this.editor.clientWidth - 260)}px`;
    this.completions.style.top = `${place.y + 24}px`;
  }

  drawChoices() {
    this.completions.replaceChildren(...this.choices.map(({ name, note }, place) => h("div", { role: "option", id: `choice-${place}`, class: "completion", "aria-selected": place === this.chosen ? "true" : "false", onmousedown: (event) => { event.preventDefault(); this.chosen = place; this.accept(); } }, h("span", {}, name), h("small", {}, note))));
    this.editor.setAttribute("aria-activedescendant", `choice-${this.chosen}`);
  }

  caret(text) {
    const mirror = h("div", { class: "editor mirror", "aria-hidden": "true" }, text);
    const mark = h("span", {}, "​");
    mirror.append(mark);
    this.editor.parentElement.append(mirror);
    const place = { x: mark.offsetLeft, y: mark.offsetTop - this.editor.scrollTop };
    mirror.remove();
    return place;
  }

  hideCompletions() { this.completions.hidden = true; this.editor.setAttribute("aria-expanded", "false"); this.editor.removeAttribute("aria-activedescendant"); }

  accept() {
    const { name } = this.choices[this.chosen];
    const text = /^[A-Za-z_]\w*$/.test(name) ? name : values.quoted(name);
    const end = this.editor.selectionStart;
    this.editor.setRangeText(text, end - this.part.length, end, "end");
    this.hideCompletions();
    this.ask();
    this.keep();
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); this.hideCompletions(); return this.run(); }
    if (this.completions.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { this.hasChosen = true; this.chosen = (this.chosen + (event.key === "ArrowDown" ? 1 : -1) + this.choices.length) % this.choices.length; this.drawChoices(); }
    else if (event.key === "Tab" || (event.key === "Enter" && this.hasChosen)) this.accept();
    else if (event.key === "Escape") this.hideCompletions();
    // Who has chosen nothing ends the line.
    else { if (event.key === "Enter") this.hideCompletions(); return; }
    event.preventDefault();
    event.stopPropagation();
  }

  // Running -------------------------------------------------------------------------------------------------------------

  async run() {
    const sql = this.editor.value.trim() || this.editor.placeholder;
    if (!this.editor.value.trim()) { this.editor.value = sql; this.ask(); }
    if (this.running) return;
    const abort = this.running = new AbortController();
    const started = performance.now();
    this.runButton.replaceChildren(icon("stop"), h("span", {}, "Stop"));
    const clock = h("span", { class: "muted clock" }, "running…");
    this.result.replaceChildren(h("div", { class: "result-head" }, clock));
    const timer = setInterval(() => { clock.textContent = `running… ${((performance.now() - started) / 1000).toFixed(1)} s`; }, 100);
    try {
      const answer = await ask("sql", { file: this.file, sql: this.editor.value, parameters: this.bound(), seconds: Number(this.seconds.value) }, abort.signal);
      this.remember(this.editor.value);
      this.show(answer, performance.now() - started);
    } catch (error) {
      this.grid?.destroy();
      this.result.replaceChildren(isAbort(error) ? h("div", { class: "problem calm" }, h("p", {}, `Stopped after ${((performance.now() - started) / 1000).toFixed(1)} s.`)) : problem(error));
    } finally {
      clearInterval(timer);
      this.running = null;
      this.runButton.replaceChildren(icon("play"), h("span", {}, "Run"));
    }
  }

  stop() { this.running?.abort(); }

  show(answer, all) {
    this.grid?.destroy();
    const { columns, rows, changes } = answer;
    const time = `${answer.milliseconds < 10 ? answer.milliseconds.toFixed(2) : Math.round(answer.milliseconds)} ms`;
    const count = columns.length ? `${values.number(rows.length)}${answer.isCut ? "+" : ""} ${rows.length === 1 ? "row" : "rows"}` : "";
    const changed = changes === null ? "" : `${values.number(changes)} ${changes === 1 ? "row" : "rows"} changed`;
    const head = h("div", { class: "result-head" }, h("span", { class: "count" }, [count, changed].filter(Boolean).join(", ") || "done"), h("span", { class: "muted", title: `${Math.round(all)} ms with the way here` }, time),
      answer.isCut ? h("span", { class: "tag" }, "the first 1,000 rows are shown") : "");
    const plan = this.plan(answer.plan);
    this.result.replaceChildren(head, h("div", { class: "result-body" }, columns.length ? this.table(columns, rows) : empty(changed || "Done", "The statement gives no rows."), plan));
    this.grid?.measure();
  }

  table(columns, rows) {
    const source = { total: rows.length, get: (index) => rows[index], need() {} };
    this.grid = new Grid({ label: "Result", source,
      paint: (cell, row, column) => {
        const value = row[column.place];
        const kind = values.kind(value, null);
        cell.dataset.kind = kind;
        cell.replaceChildren(kind === "null" ? h("span", { class: "null" }, "NULL") : kind === "empty-text" ? h("span", { class: "null" }, "empty") : kind === "blob" ? h("span", { class: "chip" }, values.text(value)) : h("span", { class: "value" }, values.line(value)));
      },
      head: (cell, column) => cell.append(h("div", { class: "head-name" }, h("span", {}, column.name))),
      act: (what, place) => { if (what === "copy") navigator.clipboard?.writeText(values.text(rows[place.row][place.column])); } });
    this.grid.setColumns(columns.map((name, place) => ({ id: `${place}`, name, place,
      width: Math.max(84, Math.min(380, Math.round(Math.max(name.length + 2, ...rows.slice(0, 60).map((row) => Math.min(50, values.line(row[place]).length))) * 7.6 + 26))) })));
    return this.grid.element;
  }

  /** The steps of the plan under those that they belong to. */
  plan(steps) {
    const under = (parent) => steps.filter((step) => step.parent === parent);
    const list = (parent) => { const own = under(parent); return own.length ? h("ul", {}, own.map((step) => h("li", {}, h("span", { class: /^SCAN/.test(step.detail) ? "scan" : /TEMP B-TREE/.test(step.detail) ? "sort" : "" }, step.detail), list(step.id)))) : ""; };
    return h("aside", { class: "plan", "aria-label": "Plan" }, h("h2", {}, "Plan"), steps.length ? list(0) : h("p", { class: "muted" }, "SQLite has none for it."));
  }

  // History -------------------------------------------------------------------------------------------------------------

  remember(sql) {
    this.history = [sql, ...this.history.filter((known) => known !== sql)].slice(0, 50);
    sessionStorage.setItem("corm-studio-sql", JSON.stringify(this.history));
  }

  async showHistory() {
    const chosen = await dialog("Run before", (close) => [h("div", { class: "dialog-body" }, this.history.length
      ? h("div", { class: "pick-list" }, this.history.map((sql) => h("button", { type: "button", class: "history", onclick: () => close(sql) }, h("code", {}, sql))))
      : h("p", { class: "muted" }, "Nothing was run yet. What is run stays here until the tab is closed."))], { wide: true });
    if (!chosen) return;
    this.editor.value = chosen;
    this.ask();
    this.keep();
    this.editor.focus();
  }
}
