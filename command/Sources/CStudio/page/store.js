// A key-value store: its keys, and the value of one.

import { ask } from "./api.js";
import { button, empty, h, problem, say } from "./dom.js";
import { tree } from "./detail.js";
import * as values from "./values.js";

export class StoreView {
  constructor(app, now) {
    this.app = app;
    this.file = now.file;
    this.store = now.store;
    this.entries = [];
    this.list = h("div", { class: "store-keys", role: "listbox", "aria-label": "Keys", tabindex: -1 });
    this.value = h("div", { class: "store-value" });
    const prefix = h("input", { type: "search", class: "input", placeholder: "Keys that begin with", "aria-label": "Keys that begin with", "data-search": "" });
    let timer = 0;
    prefix.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => { this.prefix = prefix.value; this.load(); }, 200); });
    this.element = h("section", { class: "store", "aria-label": "Key-value store" }, h("header", { class: "toolbar" }, h("div", { class: "toolbar-title" }, h("h1", {}, values.visible(now.store ?? "")), h("span", { class: "tag" }, "key-value store")), h("div", { class: "grow" }), prefix),
      h("div", { class: "store-body" }, this.list, this.value));
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      if (step) { event.preventDefault(); const next = document.activeElement[step]; next?.focus(); next?.click(); }
    });
  }

  opened() { this.load(); }

  async load(after = null) {
    try {
      const { entries } = await ask("entries", { file: this.file, store: this.store, prefix: this.prefix ?? "", after });
      this.entries = after ? this.entries.concat(entries) : entries;
      this.isEnd = entries.length < 100;
      this.draw();
    } catch (error) { this.value.replaceChildren(problem(error)); }
  }

  draw() {
    this.list.replaceChildren(...this.entries.map((entry) => h("button", { type: "button", role: "option", class: "store-key", "aria-selected": entry.key === this.chosen ? "true" : "false", onclick: () => this.show(entry) },
      h("span", {}, values.line(entry.key)), h("small", {}, entry.isJSON ? "JSON" : values.kind(entry.value, null).replace("empty-", "")))));
    if (!this.isEnd) this.list.append(button("More keys", () => this.load(this.entries.at(-1).key), { kind: "quiet" }));
    if (!this.entries.length) this.value.replaceChildren(empty("No entries", this.prefix ? "No key begins with that." : "What is put into the store appears here."));
    else this.show(this.entries.find((entry) => entry.key === this.chosen) ?? this.entries[0]);
  }

  show(entry) {
    this.chosen = entry.key;
    this.list.querySelectorAll("[role=option]").forEach((option, place) => option.setAttribute("aria-selected", this.entries[place]?.key === entry.key ? "true" : "false"));
    const whole = values.text(entry.value);
    const shown = entry.isJSON ? tree(whole) : h("pre", { class: "whole", tabindex: 0 }, values.isBlob(entry.value) ? whole.slice(0, 4000) : whole);
    const area = h("textarea", { class: "input code tall", "aria-label": "Value", spellcheck: "false", value: whole });
    const canEdit = this.app.isWritable && !values.isBlob(entry.value);
    const put = async (changes) => {
      try {
        await ask("put", { file: this.file, store: this.store, key: entry.key, version: entry.version, ...changes });
        say(changes.isDeleted ? "deleted" : "saved");
        this.load();
      } catch (error) { say(`${error.message}${error.hint ? `: ${error.hint}` : ""}`, "bad"); this.load(); }
    };
    const edit = () => {
      shown.replaceWith(area);
      actions.replaceChildren(button("Cancel", () => this.show(entry), { kind: "quiet" }), button("Save", () => put({ isJSON: entry.isJSON, value: entry.isJSON ? area.value : values.isNumber(entry.value) ? values.typed(area.value, null) : area.value }), { kind: "primary" }));
      area.focus();
    };
    const actions = h("div", { class: "row" }, canEdit ? [button("Edit", edit), button("Delete", () => put({ isDeleted: true }), { icon: "trash", kind: "quiet" })] : null);
    const time = (name, at) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", { class: "mono" }, at ? values.ago(at) : "never"));
    this.value.replaceChildren(h("h2", { class: "mono" }, values.line(entry.key)), shown, actions, h("dl", { class: "facts" }, time("written (UTC)", entry.updated), time("first written", entry.created), time("expires", entry.expires)));
  }

  committed() { clearTimeout(this.timer); this.timer = setTimeout(() => { if (!this.value.querySelector("textarea")) this.load(); }, 300); }
}
