// The frame: files, tables, views, and what is told of commits.

import { ask, files as askFiles } from "./api.js";
import { button, dialog, empty, h, icon, problem, say } from "./dom.js";
import { Edits } from "./edits.js";
import { RowsView } from "./rows.js";
import { Live } from "./live.js";
import * as state from "./state.js";
import { visible } from "./values.js";

const views = [["rows", "Rows"], ["sql", "SQL"], ["diagram", "Diagram"], ["health", "Health"]];

class App {
  constructor() {
    this.root = document.getElementById("app");
    this.edits = new Edits(() => this.edited());
    this.theme(localStorage.getItem("corm-studio-theme"));
  }

  async start() {
    // For return.js.
    localStorage.setItem("corm-studio-place", location.pathname);
    try { this.session = await askFiles(); } catch (error) {
      this.root.append(h("main", { class: "centre" }, problem(error)));
      return;
    }
    this.isWritable = this.session.isWritable;
    this.build();
    state.onChange(() => this.show());
    this.live = new Live((file) => this.committed(file), this.pulse);
    document.addEventListener("keydown", (event) => this.key(event));
    this.main.addEventListener("pointerdown", () => this.openSide(false));
    addEventListener("beforeunload", (event) => { if (this.edits.list.length) event.preventDefault(); });
    await this.show();
  }

  build() {
    this.pulse = h("div", { class: "pulse", "aria-label": "Commits per second" });
    this.tabs = h("nav", { class: "tabs", "aria-label": "Files" });
    this.sidebar = h("nav", { class: "sidebar", "aria-label": "Tables" });
    this.switch = h("nav", { class: "switch", "aria-label": "Views" });
    this.main = h("main", { class: "main", id: "main" });
    this.bar = h("div", { class: "edit-bar", hidden: true, role: "region", "aria-label": "Changes to be saved" });
    this.root.replaceChildren(
      h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); (this.main.querySelector(".grid-body [tabindex='0']") ?? this.main.querySelector("[tabindex='0'], input, button"))?.focus(); } }, "To what is shown"),
      h("header", { class: "top" }, this.menuButton = button("", () => this.openSide(!this.root.classList.contains("side-open")), { icon: "menu", kind: "quiet menu-button", "aria-label": "Views and tables", "aria-controls": "side", "aria-expanded": "false" }), h("div", { class: "brand" }, h("img", { src: "icon.svg", alt: "", width: 24, height: 24 }), h("span", {}, "corm studio")), this.tabs, h("div", { class: "grow" }),
        this.pulse, this.isWritable ? h("span", { class: "tag writes" }, "can write") : h("span", { class: "tag" }, "read only"),
        this.themeButton = button("", () => this.toggleTheme(), { icon: this.isDark ? "sun" : "moon", kind: "quiet", "aria-label": "Light or dark" })),
      h("div", { class: "columns" }, h("div", { class: "side", id: "side" }, this.switch, this.sidebar), h("div", { class: "centre-column" }, this.main, this.bar)));
    this.drawTabs();
  }

  /** Where there is little room, views and tables lie over the rest for as long as one is chosen. */
  openSide(isOpen) {
    this.root.classList.toggle("side-open", isOpen);
    this.menuButton?.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.switch.querySelector("a")?.focus();
  }

  drawTabs() {
    const now = state.read();
    this.tabs.replaceChildren(...this.session.files.map((file, place) => h("a", { class: "tab", href: state.address({ ...state.fresh(null), file: place, view: "rows" }), title: file.path, "aria-current": place === now.file ? "page" : null },
      file.isLocked ? icon("lock") : null, h("span", {}, visible(file.name)))));
  }

  // Light and dark ------------------------------------------------------------------------------------------------------

  get isDark() { return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"; }

  theme(name) { if (name === "dark" || name === "light") document.documentElement.dataset.theme = name; }

  toggleTheme() {
    const next = this.isDark ? "light" : "dark";
    this.theme(next);
    localStorage.setItem("corm-studio-theme", next);
    this.themeButton.replaceChildren(icon(next === "dark" ? "sun" : "moon"));
  }

  // What is shown -------------------------------------------------------------------------------------------------------

  /** Reads the schema; false where it is what is known. */
  async load(file) {
    const schema = await ask("schema", { file, known: this.file === file ? this.schema?.version : undefined });
    if (schema.isKnown) return false;
    this.file = file;
    this.schema = { version: schema.version, tables: schema.metadata.tables, keys: schema.keys, problems: schema.metadata.problems };
    this.edits.undoCount = schema.undo;
    this.stores = (await ask("stores", { file })).stores;
    return true;
  }

  async show() {
    const now = state.read();
    if (now.file >= this.session.files.length) return state.go({ file: 0 });
    const number = this.showing = (this.showing ?? 0) + 1;
    this.openSide(false);
    this.drawTabs();
    if (this.session.files[now.file].isLocked) return this.unlock(now.file);
    this.root.classList.remove("locked");
    try {
      if (this.file !== now.file || !this.schema) await this.load(now.file);
    } catch (error) {
      this.view?.destroy?.();
      this.view = null;
      this.schema = null;
      this.main.replaceChildren(h("div", { class: "centre" }, problem(error, [button("Try again", () => this.show(), { kind: "primary" })])));
      return;
    }
    if (number !== this.showing) return;
    if (now.view === "rows" && !now.table && this.schema.tables.length) {
      const first = this.schema.tables.find((table) => table.kind === "table" && !/^(sqlite_|corm_)/.test(table.name)) ?? this.schema.tables[0];
      return state.go(state.fresh(first.name), { replace: true });
    }
    this.drawSide(now);
    document.title = `${now.view === "rows" ? now.table ?? "rows" : now.view} · ${this.session.files[now.file].name} · corm studio`;
    const isSame = this.view && this.shown?.view === now.view && this.shown.file === now.file && this.shown.table === now.table && this.shown.store === now.store;
    if (isSame && this.view.update) this.view.update(now);
    else if (isSame && now.view === "rows" && this.view.table) this.view.build(now);
    else await this.open(now, number);
    this.shown = now;
    this.edited();
  }

  async open(now, number) {
    const made = now.view === "rows" ? RowsView
      : now.view === "sql" ? (await import("./sql.js")).SQLView
        : now.view === "diagram" ? (await import("./diagram.js")).DiagramView
          : now.view === "store" ? (await import("./store.js")).StoreView
            : (await import("./health.js")).HealthView;
    if (number !== this.showing) return;
    this.view?.destroy?.();
    this.view = new made(this, now);
    this.main.replaceChildren(this.view.element);
    this.view.opened?.();
  }

  unlock(file) {
    this.view?.destroy?.();
    this.view = null;
    this.file = null;
    this.root.classList.add("locked");
    const key = h("input", { type: "password", class: "input", id: "key", autocomplete: "off", required: true });
    const told = h("div", {});
    const form = h("form", { class: "card unlock" }, icon("lock"), h("h1", {}, visible(this.session.files[file].name)), h("p", { class: "muted" }, "The file is encrypted. Its key stays in this program, and is neither kept nor logged."),
      h("label", { for: "key" }, "Key: a passphrase, or x'…' with 64 hex digits"), key, told, h("button", { type: "submit", class: "button primary" }, "Open"));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      told.replaceChildren(h("p", { class: "muted" }, "deriving the key…"));
      try {
        await ask("unlock", { file, key: key.value });
        this.session.files[file].isLocked = false;
        this.show();
      } catch (error) { told.replaceChildren(problem(error)); key.select(); } finally { key.value = ""; }
    });
    this.main.replaceChildren(h("div", { class: "centre" }, form));
    key.focus();
  }

  drawSide(now) {
    this.switch.replaceChildren(...views.map(([name, label]) => h("a", { href: state.address({ view: name, ...(name === "diagram" && this.lastDiagram?.file === now.file ? this.lastDiagram : {}), ...(name === "rows" && this.shown?.table && this.shown.file === now.file ? { table: now.table ?? this.lastTable } : {}) }), "aria-current": now.view === name ? "page" : null }, label)));
    if (now.table) this.lastTable = now.table;
    const find = this.find ??= h("input", { type: "search", class: "input find", placeholder: "Find a table", "aria-label": "Find a table", oninput: () => this.drawTables() });
    if (this.schema.tables.length <= 12) find.value = "";
    this.list ??= h("div", { class: "table-list" });
    this.sidebar.replaceChildren(this.schema.tables.length > 12 ? find : "", this.list);
    this.drawTables();
  }

  drawTables() {
    const now = state.read();
    const wanted = this.find.value.toLowerCase();
    const fits = (name) => name.toLowerCase().includes(wanted);
    const isOwn = (table) => /^(sqlite_|corm_)/.test(table.name);
    const groups = [
      ["Tables", this.schema.tables.filter((table) => table.kind !== "view" && !isOwn(table))],
      ["Views", this.schema.tables.filter((table) => table.kind === "view")],
      ["Key-value stores", this.stores.map((name) => ({ name, kind: "store" }))],
      ["Of Cormorant and SQLite", this.schema.tables.filter((table) => table.kind !== "view" && isOwn(table))],
    ];
    this.list.replaceChildren(...groups.filter(([, tables]) => tables.some((table) => fits(table.name))).map(([title, tables]) => {
      const shown = tables.filter((table) => fits(table.name));
      return h("section", {}, h("h2", {}, title, h("span", { class: "muted" }, String(tables.length))),
        shown.map((table) => {
          const isStore = table.kind === "store";
          const address = isStore ? state.address({ view: "store", store: table.name }) : state.address(state.fresh(table.name));
          const isCurrent = isStore ? now.view === "store" && now.store === table.name : now.view === "rows" && now.table === table.name;
          return h("a", { class: "table-link", href: address, title: visible(table.name), "aria-current": isCurrent ? "page" : null }, icon(isStore ? "store" : table.kind === "view" ? "view" : "table"), h("span", {}, visible(table.name)));
        }));
    }));
    if (!this.schema.tables.length && !this.stores.length) this.list.replaceChildren(h("p", { class: "muted pad" }, "The file has no tables yet."));
  }

  // Commits -------------------------------------------------------------------------------------------------------------

  /** file: null for any. */
  committed(file) {
    if ((file !== null && file !== this.file) || !this.schema) return;
    const shown = this.file;
    this.schemaTimer ??= setTimeout(() => { this.schemaTimer = null; this.reloadSchema(shown); }, 250);
    this.view?.committed?.();
  }

  async reloadSchema(file) {
    const stores = this.stores.join();
    const hasChanged = await this.load(file).catch(() => false);
    if (file !== this.file) return;
    if (!hasChanged) {
      // Stores come without a change of the schema.
      this.stores = (await ask("stores", { file }).catch(() => ({ stores: this.stores }))).stores;
      if (this.stores.join() !== stores) this.drawTables();
      return;
    }
    say("the schema has changed");
    const now = state.read();
    this.drawSide(now);
    if (now.view === "rows" || now.view === "diagram") await this.open(now, this.showing);
  }

  // Edits ---------------------------------------------------------------------------------------------------------------

  edited() {
    if (!this.bar) return;
    const edits = this.edits.ofFile(this.file);
    this.bar.hidden = !edits.length && !this.edits.undoCount;
    if (this.bar.hidden) return this.view?.grid?.measure();
    const tables = [...new Set(edits.map((edit) => edit.table))];
    this.bar.replaceChildren(
      h("span", { class: "edit-count" }, edits.length ? `${edits.length} ${edits.length === 1 ? "change" : "changes"} to save` : "All is saved"), edits.length ? h("span", { class: "muted" }, ` in ${tables.slice(0, 3).map(visible).join(", ")}${tables.length > 3 ? " and others" : ""}`) : "", h("div", { class: "grow" }),
      this.edits.undoCount ? button("Undo the last save", () => this.edits.undo(this.file), { icon: "undo", kind: "quiet" }) : "",
      edits.length ? button("Discard", () => this.discard(), { kind: "quiet" }) : "",
      edits.length ? button("Review and save", () => this.edits.review(this.file), { kind: "primary", "data-save": "" }) : "");
    this.view?.grid?.measure();
    this.view?.grid?.repaint();
  }

  async discard() {
    const isSure = await dialog("Discard all changes?", (close) => [h("div", { class: "dialog-body" }, h("p", {}, "What was typed and not saved is gone.")),
      h("footer", {}, h("div", { class: "grow" }), button("Keep them", () => close(), { kind: "quiet" }), button("Discard", () => close(true), { kind: "danger" }))]);
    if (isSure) this.edits.discard(this.file);
  }

  key(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      const search = document.querySelector("[data-search]") ?? this.find;
      if (search?.isConnected) { search.focus(); search.select(); event.preventDefault(); }
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s" && this.edits.ofFile(this.file).length && !event.target.closest?.("dialog")) {
      event.preventDefault();
      this.edits.review(this.file);
    } else if (event.key === "Escape" && this.root.classList.contains("side-open")) {
      this.openSide(false);
      this.menuButton.focus();
    } else if (event.key === "Escape" && !isTyping && this.view?.detail) this.view.detail.querySelector("button")?.click();
  }
}

const app = new App();
app.start().catch((error) => app.root.replaceChildren(empty("Something went wrong", error.message)));
