// What is shown is the address: it can be kept and shared. It stands behind the #, which is not sent to the server.

const views = ["rows", "sql", "diagram", "health", "store"];

export function read() {
  const query = new URLSearchParams(location.hash.slice(1));
  const list = (name) => (query.has(name) ? JSON.parse(query.get(name)) : []);
  const safely = (name) => { try { const found = list(name); return Array.isArray(found) ? found : []; } catch { return []; } };
  return {
    file: Number(query.get("file") ?? 0) || 0,
    view: views.includes(query.get("view")) ? query.get("view") : "rows",
    table: query.get("table"),
    store: query.get("store"),
    search: query.get("search") ?? "",
    filters: safely("filters").filter((f) => f && typeof f.c === "string" && typeof f.op === "string"),
    sort: safely("sort").filter((s) => s && typeof s.c === "string"),
    hidden: query.has("hidden") ? safely("hidden") : null,
    pinned: safely("pinned"),
    sql: query.get("sql") ?? "",
    tables: safely("tables").filter((name) => typeof name === "string"),
    columns: ["all", "keys", "none"].includes(query.get("columns")) ? query.get("columns") : null,
    moved: moved(query.get("moved")),
  };
}

/** Where tables of the diagram were put by hand: [x, y] by their names. */
function moved(text) {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(text ?? "{}")).filter(([, place]) => Array.isArray(place) && place.length === 2 && place.every((part) => Number.isFinite(part) && Math.abs(part) < 1e6)));
  } catch { return {}; }
}

function write(state) {
  const query = new URLSearchParams();
  if (state.file) query.set("file", state.file);
  query.set("view", state.view);
  if (state.table && state.view === "rows") query.set("table", state.table);
  if (state.store && state.view === "store") query.set("store", state.store);
  if (state.view === "rows") {
    if (state.search) query.set("search", state.search);
    for (const name of ["filters", "sort", "pinned"]) if (state[name].length) query.set(name, JSON.stringify(state[name]));
    if (state.hidden) query.set("hidden", JSON.stringify(state.hidden));
  }
  if (state.view === "diagram") {
    if (state.columns) query.set("columns", state.columns);
    if (state.tables.length) query.set("tables", JSON.stringify(state.tables));
    if (Object.keys(state.moved).length) query.set("moved", JSON.stringify(state.moved));
  }
  if (state.view === "sql" && state.sql) query.set("sql", state.sql);
  return `#${query}`;
}

export function address(changes) { return write({ ...read(), ...changes }); }

/** A table with nothing chosen yet. */
export const fresh = (table, changes = {}) => ({ view: "rows", table, filters: [], sort: [], search: "", hidden: null, pinned: [], ...changes });

/** The address alone: what it says is shown already. */
export function keep(changes) { history.replaceState(null, "", address(changes)); }

let listener = () => {};
export function onChange(handler) {
  listener = handler;
  addEventListener("hashchange", () => listener());
}

export function go(changes, { replace = false } = {}) {
  const next = address(changes);
  if (next === location.hash) return listener();
  if (replace) { history.replaceState(null, "", next); listener(); } else location.hash = next;
}
