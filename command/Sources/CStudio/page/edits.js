// Changes that wait to be saved, together or not at all.

import { ask } from "./api.js";
import { button, dialog, h, problem, say } from "./dom.js";
import * as values from "./values.js";

export class Edits {
  constructor(changed) { this.list = []; this.changed = changed; this.undoCount = 0; }

  same(edit, file, table, key) { return edit.file === file && edit.table === table && edit.key.length > 0 && values.same(edit.key, key); }

  of(file, table, key) { return key.length ? this.list.find((edit) => this.same(edit, file, table, key)) : undefined; }

  versionOf(file, table, key) { return this.list.length ? this.of(file, table, key)?.version : undefined; }

  inserted(file, table) { return this.list.filter((edit) => edit.kind === "insert" && edit.file === file && edit.table === table); }

  ofFile(file) { return this.list.filter((edit) => edit.file === file); }

  touch(edit) { edit.version = (edit.version ?? 0) + 1; this.changed(); }

  insert(file, table) {
    const edit = { kind: "insert", file, table, key: [], old: {}, new: {} };
    this.list.push(edit);
    this.touch(edit);
    return edit;
  }

  write(edit, column, value) { edit.new[column] = value; this.touch(edit); }

  update(file, table, key, column, old, value) {
    let edit = this.of(file, table, key);
    if (edit?.kind === "delete") return;
    if (!edit) { edit = { kind: "update", file, table, key, old: {}, new: {} }; this.list.push(edit); }
    if (!(column in edit.old)) edit.old[column] = old;
    edit.new[column] = value;
    if (values.same(edit.old[column], value)) { delete edit.old[column]; delete edit.new[column]; }
    if (!Object.keys(edit.new).length) this.list.splice(this.list.indexOf(edit), 1);
    this.touch(edit);
  }

  remove(file, table, key, old) {
    const known = this.of(file, table, key);
    if (known) this.list.splice(this.list.indexOf(known), 1);
    if (known?.kind === "delete") return this.changed();
    const edit = { kind: "delete", file, table, key, old, new: {} };
    this.list.push(edit);
    this.touch(edit);
  }

  drop(edit) { this.list.splice(this.list.indexOf(edit), 1); this.changed(); }

  discard(file) { this.list = this.list.filter((edit) => edit.file !== file); this.changed(); }

  async review(file) {
    const edits = this.ofFile(file);
    const sent = edits.map(({ kind, table, key, old, new: wanted }) => ({ kind, table, key, old, new: wanted }));
    let statements, canBeUndone;
    try { ({ statements, canBeUndone } = await ask("preview", { file, edits: sent })); } catch (error) { return say(error.message, "bad"); }
    return dialog("Save these changes?", (close) => {
      const list = h("ol", { class: "statements" }, statements.map(({ sql, values: bound, along, isAll }, place) => h("li", { "data-place": place },
        h("code", { class: "sql" }, sql), h("div", { class: "bindings" }, bound.map((value, at) => h("span", { class: "binding" }, h("b", {}, `${at + 1}`), h("span", {}, values.isBlob(value) ? values.line(value).slice(0, 40) : value === null ? "NULL" : values.line(value).slice(0, 80))))),
        along.length ? h("p", { class: "along" }, `Along with it: ${isAll ? "" : "at least "}${along.map(({ table, deleted, changed }) => [deleted ? `${deleted} ${deleted === 1 ? "row" : "rows"} of ${table} deleted` : "", changed ? `${changed} ${changed === 1 ? "row" : "rows"} of ${table} changed` : ""].filter(Boolean).join(", ")).join(", ")}`) : null)));
      const told = h("div", {});
      const save = button(`Save ${edits.length} ${edits.length === 1 ? "change" : "changes"}`, async () => {
        save.disabled = true;
        told.replaceChildren();
        try {
          const { undo } = await ask("apply", { file, edits: sent });
          this.undoCount = undo;
          this.list = this.list.filter((edit) => !edits.includes(edit));
          this.changed();
          close(true);
          say(`${edits.length} ${edits.length === 1 ? "change" : "changes"} saved`);
        } catch (error) {
          save.disabled = false;
          told.replaceChildren(error.status === 409 ? this.conflict(error, edits, () => { close("again"); }) : problem(error));
          told.scrollIntoView?.({ block: "nearest" });
        }
      }, { kind: "primary" });
      return [h("div", { class: "dialog-body" }, h("p", { class: "muted" }, "One transaction. Each row must still hold what was shown when it was changed."), list, canBeUndone ? null : h("p", { class: "along" }, "More goes along than is kept: this cannot be taken back, nor what was saved before."), told),
        h("footer", {}, h("div", { class: "grow" }), button("Not yet", () => close(), { kind: "quiet" }), save)];
    }, { wide: true }).then((result) => (result === "again" ? this.review(file) : result));
  }

  /** What another program wrote meanwhile, and what is to become of ours. */
  conflict(error, edits, again) {
    const edit = edits[error.details.edit];
    const now = error.details.row;
    const names = Object.keys({ ...edit.old, ...edit.new }).filter((name) => now && name in now && (!values.same(now[name], edit.old[name]) || name in edit.new));
    const rows = names.map((name) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, values.line(edit.old[name] ?? null)), h("td", { class: "theirs" }, values.line(now[name])), h("td", {}, name in edit.new ? values.line(edit.new[name]) : "")));
    const actions = [button(now ? "Keep theirs, drop mine" : "Drop my change", () => { this.drop(edit); if (this.list.length) again(); else again(); }, {})];
    if (now && edit.kind !== "insert") actions.push(button("Write mine over theirs", () => {
      for (const name of Object.keys(edit.old)) edit.old[name] = now[name];
      this.touch(edit);
      again();
    }, { kind: "danger" }));
    return h("div", { class: "conflict" }, problem(error), now && names.length ? h("table", { class: "compare" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "column"), h("th", { scope: "col" }, "when you changed it"), h("th", { scope: "col" }, "now"), h("th", { scope: "col" }, "yours"))), h("tbody", {}, rows)) : null, h("div", { class: "row" }, actions));
  }

  async undo(file) {
    try {
      const { applied, undo } = await ask("undo", { file });
      this.undoCount = undo;
      this.changed();
      say(`${applied} ${applied === 1 ? "change" : "changes"} taken back`);
    } catch (error) { say(error.message, "bad"); }
  }
}
