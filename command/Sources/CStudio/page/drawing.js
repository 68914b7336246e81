// A diagram as an SVG file, as DiagramLayout+Writing.swift writes it. Source: https://www.w3.org/TR/SVG2/

import { characters, headHeight, rowHeight, widthOf } from "./layout.js";
import { visible } from "./values.js";

export function drawing(layout) {
  const [width, height] = [number(layout.width), number(layout.height)];
  const [left, top] = [number(layout.left), number(layout.top)];
  const parts = [`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12">
<rect ${left === "0" && top === "0" ? "" : `x="${left}" y="${top}" `}width="${width}" height="${height}" fill="#ffffff"/>
<g fill="none" stroke="#7b8794" stroke-width="1.2">
`];
  for (const line of layout.lines) parts.push(`<path d="${path(line.points)}"><title>${escaped(line.edge.label)}</title></path>\n`, ends(line));
  parts.push("</g>\n", ...layout.tables.map((table, place) => tableOf(table, layout.boxes[place])), "</svg>\n");
  return parts.join("");
}

/** Tenths. */
function number(value) { return String(Math.sign(value) * Math.round(Math.abs(value * 10)) / 10 + 0); }

function escaped(text) {
  return visible(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]).replace(/[\ufffe\uffff]/g, "\ufffd");
}

/** What fits into a box; beside: columns of a fixed font that another text has before it. */
export function cut(text, width, beside = null) {
  const room = Math.trunc((width - 20) / 6.2);
  const most = beside === null ? room : Math.max(Math.trunc(room * 0.4), room - beside - 2);
  return widthOf(text) <= most ? text : `${characters(text).slice(0, Math.max(1, most - 1)).join("")}…`;
}

/** A line with its corners rounded. */
export function path(points) {
  return points.map(([x, y], place) => {
    const [before, after] = [points[place - 1], points[place + 1]];
    if (!before || !after) return `${before ? "L" : "M"}${number(x)} ${number(y)}`;
    const toward = ([otherX, otherY]) => {
      const length = Math.abs(otherX - x) + Math.abs(otherY - y);
      const by = Math.min(6, length / 2);
      return `${number(x + ((otherX - x) * by) / Math.max(0.01, length))} ${number(y + ((otherY - y) * by) / Math.max(0.01, length))}`;
    };
    return `L${toward(before)}Q${number(x)} ${number(y)} ${toward(after)}`;
  }).join("");
}

/** Crow's feet: at the child one or many, at the parent one or none. As [tag, attributes]. */
export function feet({ edge, points }) {
  const side = ([x], [next]) => (next >= x ? 1 : -1);
  const [parent, child] = [points[0], points.at(-1)];
  const [right, left] = [side(parent, points[1]), side(child, points.at(-2))];
  const bar = ([x, y], by) => ["path", { d: `M${number(x + by)} ${number(y - 5)}v10` }];
  const ring = ([x, y], by) => ["circle", { cx: number(x + by), cy: number(y), r: "3.5" }];
  const [x, y] = child;
  const many = ["path", { d: `M${number(x)} ${number(y - 5)}L${number(x + left * 9)} ${number(y)}L${number(x)} ${number(y + 5)}` }];
  return [bar(parent, right * 6), edge.isOptional ? ring(parent, right * 12) : bar(parent, right * 10), edge.isUnique ? bar(child, left * 6) : many, ring(child, left * 13)];
}

function ends(line) {
  return feet(line).map(([tag, attributes]) => `<${tag} ${Object.entries(attributes).map(([name, value]) => `${name}="${value}"`).join(" ")}${tag === "circle" ? ' fill="#ffffff"' : ""}/>\n`).join("");
}

function tableOf(table, box) {
  const head = table.isMissing ? "#c0392b" : table.kind === "virtual" ? "#6c5ce7" : "#2c5f8a";
  const [x, y, width] = [number(box.x), number(box.y), number(box.width)];
  let text = `<g><rect x="${x}" y="${y}" width="${width}" height="${number(box.height)}" rx="6" fill="#ffffff" stroke="#b6c2cf"/>
<path d="M${x} ${number(box.y + headHeight)}v-${headHeight - 6}q0 -6 6 -6h${number(box.width - 12)}q6 0 6 6v${headHeight - 6}z" fill="${head}"/>
<text x="${number(box.x + 10)}" y="${number(box.y + 18)}" fill="#ffffff" font-weight="600">${escaped(cut(visible(table.name), box.width))}${table.isMissing ? " (missing)" : ""}</text>
`;
  table.columns.forEach((column, row) => {
    const name = cut(visible(column.name), box.width);
    const at = number(box.y + headHeight + (row + 0.5) * rowHeight + 7);
    const style = `${column.key_position > 0 ? ' font-weight="600"' : ""}${column.is_foreign_key ? ' font-style="italic"' : ""}`;
    text += `<text x="${number(box.x + 10)}" y="${at}" fill="#1f2933"${style}>${escaped(name)}</text>\n`;
    if (column.declared_type) text += `<text x="${number(box.x + box.width - 10)}" y="${at}" fill="#616e7c" text-anchor="end" font-size="11">${escaped(cut(visible(column.declared_type), box.width, widthOf(name)))}</text>\n`;
  });
  return `${text}</g>\n`;
}
