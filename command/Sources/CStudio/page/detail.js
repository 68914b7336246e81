// One row beside the grid: every value whole, JSON as a tree, pictures, blobs in hex digits, and what the row is related to.

import { ask, picture } from "./api.js";
import { button, h, icon } from "./dom.js";
import * as values from "./values.js";

const firstPart = 20_000;

export function openDetail(view, row, index, close) {
  const edit = row.edit ?? view.edits.of(view.file, view.table.name, row.k);
  const label = view.shape.label ? view.valueOf(row, view.shape.label) : null;
  const title = label === null || label === "" ? null : values.line(label);
  const fields = view.shownColumns.map((column, place) => {
    const value = edit && column.name in edit.new ? edit.new[column.name] : row.c[place];
    const body = h("div", { class: "field-value" });
    fill(view, row, column, value, body);
    const isEditable = view.canEdit({ column });
    return h("div", { class: "field" },
      h("div", { class: "field-name" }, column.key_position ? icon("key") : null, h("span", {}, values.visible(column.name)), h("small", {}, column.declared_type),
        isEditable ? button("Edit", () => {
          const at = view.grid.columns.findIndex((known) => known.column === column);
          view.grid.setFocus(index, at);
          view.edit({ row: index, column: at }, row, view.grid.columns[at]);
        }, { kind: "quiet tiny" }) : null), body);
  });
  const relations = view.relations.map((relation) => {
    const count = row.related?.get(`→${relation.table}.${relation.table_columns.join(".")}`);
    return h("a", { class: "related", href: view.relatedAddress(relation, row) }, h("span", {}, values.visible(relation.table)), h("span", { class: "muted" }, `by ${relation.table_columns.map(values.visible).join(", ")}`),
      h("span", { class: "grow" }), h("span", { class: "chip" }, count === undefined ? "…" : values.number(count)));
  });
  return h("aside", { class: "detail", "aria-label": "The row" },
    h("header", {}, h("div", {}, h("h2", {}, title ?? values.visible(view.table.name)), h("p", { class: "muted mono" }, row.k.map(values.line).join(", "))),
      button("", close, { icon: "close", kind: "quiet", "aria-label": "Close the row" })),
    h("div", { class: "detail-body", tabindex: 0, role: "region", "aria-label": "Values" }, fields, relations.length && row.k.length ? h("h3", {}, "Referred to by") : null, row.k.length ? relations : null));
}

function fill(view, row, column, value, body) {
  const kind = values.kind(value, column);
  if (kind === "null") body.append(h("span", { class: "null" }, "NULL"));
  else if (kind === "empty-text") body.append(h("span", { class: "null" }, "an empty text"));
  else if (kind === "blob") blob(view, row, column, value, body);
  else if (values.isCut(value)) text(view, row, column, value, body);
  else if (kind === "json") body.append(tree(value));
  else {
    const key = view.reference(column);
    const label = key && view.labels.get(column.name)?.get(JSON.stringify(value));
    body.append(h("span", { class: kind === "text" ? "" : "mono" }, kind === "bool" ? String(value === 1) : values.text(value)), label ? h("span", { class: "label" }, ` ${values.line(label)}`) : "");
  }
}

function ofRow(view, row, column) { return { file: view.file, table: view.table.name, column: column.name, key: row.k }; }

async function text(view, row, column, value, body) {
  if (!row.k.length) { body.append(h("span", {}, `${value.t}…`), h("small", { class: "muted" }, ` ${values.size(value.n)} in all`)); return; }
  const shown = h("pre", { class: "whole", tabindex: 0 });
  const more = h("div", { class: "row" });
  body.append(shown, more);
  let until = 0;
  const load = async (count) => {
    const part = await ask("value", { ...ofRow(view, row, column), from: until, count });
    shown.append(document.createTextNode(part.text));
    until = part.until;
    more.replaceChildren(h("small", { class: "muted" }, `${values.size(until)} of ${values.size(part.size)}${part.isValid ? "" : ", not UTF-8"}`),
      until < part.size ? button("Show more", () => load(200_000), { kind: "quiet tiny" }) : "");
    if (column.is_json && until >= part.size && values.isJSON(shown.textContent)) { const whole = tree(shown.textContent); shown.replaceWith(whole); }
  };
  await load(firstPart).catch((error) => body.append(h("small", { class: "bad" }, error.message)));
}

async function blob(view, row, column, value, body) {
  const note = h("span", { class: "chip" }, values.text(value));
  body.append(note);
  if (!row.k.length || "h" in value) return;
  const found = await picture(ofRow(view, row, column)).catch(() => null);
  if (found) {
    const image = h("img", { class: "picture", alt: `picture in ${column.name}`, src: URL.createObjectURL(found) });
    // What begins like a picture need not be one.
    image.addEventListener("error", () => image.remove());
    image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
    body.append(image);
  }
  const dump = h("pre", { class: "hex", tabindex: 0, "aria-label": "Bytes" });
  const more = h("div", { class: "row" });
  let until = 0;
  const load = async (count) => {
    const part = await ask("value", { ...ofRow(view, row, column), from: until, count });
    // A text that was too long for the grid to tell.
    if (part.hex === undefined) { body.replaceChildren(); return text(view, row, column, { t: "", n: part.size }, body); }
    dump.append(hexLines(part.hex, until));
    until = part.until;
    note.textContent = values.size(part.size);
    more.replaceChildren(h("small", { class: "muted" }, `${values.number(until)} of ${values.number(part.size)} bytes`), until < part.size ? button("Show more", () => load(4096), { kind: "quiet tiny" }) : "");
  };
  body.append(dump, more);
  await load(256).catch((error) => body.append(h("small", { class: "bad" }, error.message)));
}

function hexLines(hex, offset) {
  let text = "";
  for (let at = 0; at < hex.length; at += 32) {
    const bytes = hex.slice(at, at + 32).match(/../g);
    const shown = bytes.map((byte) => { const code = parseInt(byte, 16); return code >= 32 && code < 127 ? String.fromCharCode(code) : "·"; }).join("");
    text += `${(offset + at / 2).toString(16).padStart(8, "0")}  ${bytes.join(" ").padEnd(48)} ${shown}\n`;
  }
  return text;
}

/** JSON to be folded; what is deep or long opens when it is asked for. */
export function tree(source) {
  let json;
  try { json = JSON.parse(source); } catch { return h("pre", { class: "whole" }, source); }
  return h("div", { class: "tree" }, node(null, json, 0));
}

function node(name, json, depth) {
  const label = name === null ? null : h("span", { class: "tree-key" }, `${name}: `);
  if (json === null || typeof json !== "object") {
    const kind = json === null ? "null" : typeof json;
    return h("div", { class: "tree-leaf" }, label, h("span", { class: `tree-${kind}` }, typeof json === "string" ? JSON.stringify(json) : String(json)));
  }
  const entries = Array.isArray(json) ? json.map((value, place) => [place, value]) : Object.entries(json);
  const summary = h("summary", {}, label, h("span", { class: "muted" }, Array.isArray(json) ? `[ ${entries.length} ]` : `{ ${entries.length} }`));
  const details = h("details", { open: depth < 2 && entries.length <= 50 }, summary);
  let isFilled = false;
  const filling = () => {
    if (isFilled || !details.open) return;
    isFilled = true;
    details.append(...entries.slice(0, 1000).map(([key, value]) => node(String(key), value, depth + 1)), entries.length > 1000 ? h("div", { class: "muted" }, `and ${entries.length - 1000} more`) : "");
  };
  details.addEventListener("toggle", filling);
  filling();
  return details;
}
