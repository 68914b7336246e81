// Values as they cross (Wire.swift), and as they are shown.

export const isCut = (value) => value !== null && typeof value === "object" && "t" in value;
export const isBlob = (value) => value !== null && typeof value === "object" && ("b" in value || "h" in value);
export const isLarge = (value) => isBlob(value) && value.b === -1;
export const same = (first, second) => JSON.stringify(first) === JSON.stringify(second);

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let at = -1;
  do { bytes /= 1000; at += 1; } while (bytes >= 999.5 && at < units.length - 1);
  return `${bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[at]}`;
}

export const number = (count) => Number(count).toLocaleString("en");

/** One line of text. */
export function text(value) {
  if (value === null) return "NULL";
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if ("i" in value) return value.i;
  if ("r" in value) return value.r;
  if ("t" in value) return value.t;
  if ("h" in value) return `x'${value.h}'`;
  if (isLarge(value)) return "too long to show here";
  return size(value.b);
}

/** What keeps texts on one line of the grid, and shows what would hide. */
export function line(value) {
  return visible(text(value).slice(0, 400).replace(/\r?\n/g, " ↵ ").replace(/\t/g, " ⇥ "));
}

/** A name of the file's, as one line that hides nothing. */
export const visible = (name) => name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
  (c) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c] ?? `\\u{${c.codePointAt(0).toString(16)}}`);

export const isNumber = (value) => typeof value === "number" || (value !== null && typeof value === "object" && ("i" in value || "r" in value));

/** As SQL has it; what was cut is not whole. */
export function literal(value) {
  if (value === null) return "NULL";
  if (isNumber(value)) return text(value);
  if (isBlob(value)) return value.h === undefined ? "NULL /* a blob */" : `x'${value.h}'`;
  return `'${text(value).replaceAll("'", "''")}'`;
}

export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

export function csv(value) {
  if (value === null) return "";
  const shown = text(value);
  return shown === "" || /[",\n\r]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

export function json(value) {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if ("r" in value) return Number(value.r);
  return text(value);
}

/** What a person typed for a column. */
export function typed(input, column) {
  const type = column?.type ?? null;
  const affinity = column?.affinity ?? "blob";
  if (/^x'([0-9a-f]{2})*'$/i.test(input) && (type === "blob" || affinity === "blob")) return { h: input.slice(2, -1).toLowerCase() };
  if (type === "bool" && /^(true|false)$/i.test(input)) return input.toLowerCase() === "true" ? 1 : 0;
  if (affinity === "text") return input;
  if (/^[+-]?\d+$/.test(input)) {
    const big = BigInt(input);
    if (big >= -(2n ** 63n) && big < 2n ** 63n) return Number.isSafeInteger(Number(input)) ? Number(input) : { i: big.toString() };
    return input;
  }
  if (/^[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?$/i.test(input)) {
    const real = Number(input);
    return Number.isInteger(real) ? { r: Number.isSafeInteger(real) ? `${real}.0` : String(real) } : real;
  }
  return input;
}

const times = ["datetime", "date", "time", "offset_datetime"];

/** What kind of value a cell shows, for its looks. */
export function kind(value, column) {
  if (value === null) return "null";
  if (isBlob(value)) return "blob";
  if (value === "") return "empty-text";
  const type = column?.type;
  if (type === "bool" && (value === 0 || value === 1)) return "bool";
  if (isNumber(value) || type === "decimal") return "number";
  if (times.includes(type)) return "time";
  if (type === "uuid" || (typeof value === "string" && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value))) return "code";
  if (type === "json" || (typeof value === "string" && /^\s*[[{]/.test(value) && isJSON(value))) return "json";
  return "text";
}

export function isJSON(value) {
  try { return typeof JSON.parse(value) === "object"; } catch { return false; }
}

export function ago(milliseconds) { return new Date(milliseconds).toISOString().replace("T", " ").slice(0, 19); }
