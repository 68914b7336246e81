// Writing a value: in its cell, in a larger field, or by choosing the row that it refers to.

import { ask } from "./api.js";
import { button, dialog, h, problem, say } from "./dom.js";
import * as values from "./values.js";

export async function editCell(view, place, row, column) {
  const at = view.shownColumns.findIndex((known) => known.name === column.name);
  const edit = row.edit ?? view.edits.of(view.file, view.table.name, row.k);
  let value = edit && column.name in edit.new ? edit.new[column.name] : row.c[at];
  if (values.isBlob(value) && !("h" in value)) { view.openDetail(row, place.row); return say("a blob is looked at here; write it with SQL: x'00ff'"); }
  if (values.isCut(value)) {
    const whole = await wholeText(view, row, column).catch((error) => { say(error.message, "bad"); return null; });
    if (whole === null) return;
    // The old value is compared whole.
    row.c[at] = whole;
    value = whole;
  }
  const reference = view.reference(column);
  if (reference) {
    const chosen = await pickRow(view, reference, column);
    if (chosen !== null) { view.write(row, column, chosen.value); view.grid.repaint(); }
    return;
  }
  const shown = value === null ? "" : values.text(value);
  if (shown.length > 80 || shown.includes("\n") || column.is_json) return editLong(view, row, column, shown);
  const cell = view.grid.cellAt(place.row, place.column);
  if (!cell) return;
  const input = h("input", { class: "cell-input", "aria-label": `Value of ${column.name}`, value: shown, placeholder: value === null ? "NULL" : "" });
  let isDone = false;
  const finish = (isKept, move = 0) => {
    if (isDone) return;
    isDone = true;
    delete cell.dataset.editing;
    if (isKept && (input.value !== shown)) view.write(row, column, values.typed(input.value, column));
    view.grid.repaint();
    view.grid.setFocus(place.row + move, place.column, true);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") finish(true, event.shiftKey ? -1 : 0);
    else if (event.key === "Escape") finish(false);
    else if (event.key === "Tab") { event.preventDefault(); finish(true); view.grid.setFocus(place.row, place.column + (event.shiftKey ? -1 : 1), true); }
    else if ((event.ctrlKey || event.metaKey) && event.key === "0" && column.is_nullable) { isDone = true; delete cell.dataset.editing; view.write(row, column, null); view.grid.repaint(); view.grid.setFocus(place.row, place.column, true); }
  });
  input.addEventListener("blur", () => finish(true));
  cell.dataset.editing = String(place.row);
  cell.replaceChildren(input, column.is_nullable ? h("span", { class: "cell-hint", "aria-hidden": "true" }, "Ctrl 0: NULL") : "");
  input.focus();
  input.select();
}

export async function wholeText(view, row, column) {
  let text = "";
  let from = 0;
  for (;;) {
    const part = await ask("value", { file: view.file, table: view.table.name, column: column.name, key: row.k, from, count: 500_000 });
    if (part.isValid === false) throw new Error("the text is not UTF-8: it is shown, and written with SQL alone");
    text += part.text;
    if (part.until >= part.size || part.until === from) return text;
    if (part.until > 4_000_000) throw new Error("the text is longer than 4 MB: write it with SQL");
    from = part.until;
  }
}

async function editLong(view, row, column, shown) {
  const area = h("textarea", { class: "input code tall", "aria-label": `Value of ${column.name}`, spellcheck: "false", value: shown });
  const warning = h("div", { class: "field-warning", role: "alert" });
  const check = () => {
    if (!column.is_json) return true;
    try { JSON.parse(area.value); warning.textContent = ""; return true; } catch (error) { warning.textContent = `no JSON yet: ${error.message}`; return false; }
  };
  area.addEventListener("input", check);
  const chosen = await dialog(`${view.table.name}.${column.name}`, (close) => [
    h("div", { class: "dialog-body" }, area, warning),
    h("footer", {}, column.is_nullable ? button("NULL", () => close({ value: null }), { kind: "quiet" }) : null, h("div", { class: "grow" }),
      button("Cancel", () => close(), { kind: "quiet" }), button("Change", () => { if (check()) close({ value: values.typed(area.value, column) }); }, { kind: "primary" }))], { wide: true });
  if (chosen) { view.write(row, column, chosen.value); view.grid.repaint(); }
}

/** Chooses the row that a reference leads to, by what the rows are called. */
export function pickRow(view, reference, column) {
  const shape = view.app.schema.keys[reference.table];
  const [target, label] = [reference.table_columns[0], shape.label];
  return dialog(`Choose a row of ${reference.table}`, (close) => {
    const list = h("div", { class: "pick-list", role: "listbox", "aria-label": `Rows of ${reference.table}` });
    const search = h("input", { type: "search", class: "input", placeholder: `Search ${reference.table}`, "aria-label": `Search ${reference.table}` });
    const columns = [...new Set([target, label].filter(Boolean))];
    let timer = 0;
    const load = async () => {
      try {
        const { rows } = await ask("rows", { file: view.file, table: reference.table, columns, filters: [], sort: [], search: search.value, from: { start: true }, limit: 50 });
        list.replaceChildren(...rows.map((row) => h("button", { type: "button", role: "option", "aria-selected": "false", onclick: () => close({ value: row.c[0] }) },
          h("span", { class: "mono" }, values.line(row.c[0])), h("span", {}, columns.length > 1 ? values.line(row.c[1]) : ""))));
        if (!rows.length) list.append(h("p", { class: "muted" }, "No row fits."));
      } catch (error) { list.replaceChildren(problem(error)); }
    };
    search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(load, 200); });
    search.addEventListener("keydown", (event) => { if (event.key === "ArrowDown") { event.preventDefault(); list.querySelector("button")?.focus(); } if (event.key === "Enter") list.querySelector("button")?.click(); });
    list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      if (step) { event.preventDefault(); (document.activeElement[step] ?? search).focus(); }
    });
    load();
    setTimeout(() => search.focus());
    return [h("div", { class: "dialog-body" }, search, list),
      h("footer", {}, column.is_nullable ? button("NULL", () => close({ value: null }), { kind: "quiet" }) : null, h("div", { class: "grow" }), button("Cancel", () => close(), { kind: "quiet" }))];
  });
}
