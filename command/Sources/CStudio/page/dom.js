// Elements. What comes out of a file becomes text, never markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const paths = {
  table: "M3 5h18v14H3zM3 10h18M9 10v9",
  view: "M2 12s4-6 10-6 10 6 10 6-4 6-10 6S2 12 2 12zM12 9.5a2.5 2.5 0 1 0 .01 0",
  store: "M4 7a8 3 0 1 0 16 0 8 3 0 1 0-16 0M4 7v10c0 1.700 3.600 3 8 3s8-1.300 8-3V7M4 12c0 1.700 3.600 3 8 3s8-1.300 8-3",
  search: "M11 4a7 7 0 1 0 .01 0M16 16l5 5",
  filter: "M3 5h18l-7 8v6l-4-2v-4z",
  columns: "M3 4h18v16H3zM9 4v16M15 4v16",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  menu: "M4 6h16M4 12h16M4 18h16",
  arrow: "M7 17L17 7M9 7h8v8",
  down: "M6 9l6 6 6-6",
  up: "M6 15l6-6 6 6",
  key: "M8 20a4 4 0 1 0-.01 0M11 13l9-9M16 8l3 3",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  play: "M7 4l13 8-13 8z",
  stop: "M6 6h12v12H6z",
  sun: "M12 8a4 4 0 1 0 .01 0M12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5",
  moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  pin: "M9 4h6l-1 6 4 4H6l4-4zM12 14v7",
  hide: "M3 3l18 18M10 6a10 10 0 0 1 12 6 14 14 0 0 1-3 4M6 8a14 14 0 0 0-4 4s4 6 10 6a9 9 0 0 0 4-1",
  check: "M5 12l5 5L20 7",
  warning: "M12 4L2 20h20zM12 10v4M12 17v.5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
};

export function icon(name, title = null) {
  const element = svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": title ? null : "true" },
    svg("path", { d: paths[name] ?? "" }));
  if (title) element.append(svg("title", {}, title));
  return element;
}

export function button(label, onclick, { icon: name = null, kind = "", title = null, ...rest } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, title: title ?? (label ? null : rest["aria-label"]), onclick, ...rest },
    name ? icon(name) : null, label ? h("span", {}, label) : null);
}

/** A window over the page; resolves with what `close` is given, null where it is dismissed. */
export function dialog(title, build, { wide = false } = {}) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const element = h("dialog", { class: wide ? "dialog wide" : "dialog", "aria-labelledby": "dialog-title" });
    const close = (result = null) => {
      element.close();
      element.remove();
      if (before?.isConnected) before.focus({ preventScroll: true });
      resolve(result);
    };
    element.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
    element.append(
      h("header", {}, h("h2", { id: "dialog-title" }, title), button("", () => close(), { icon: "close", kind: "quiet", "aria-label": "Close" })),
      ...[build(close)].flat());
    document.getElementById("dialogs").append(element);
    element.showModal();
  });
}

let statusTimer = 0;
export function say(text, kind = "") {
  const element = document.getElementById("status");
  element.className = `shown ${kind}`;
  element.textContent = text;
  clearTimeout(statusTimer);
  statusTimer = setTimeout(() => { element.className = ""; }, kind === "bad" ? 8000 : 3500);
}

/** An error as a person reads it: what is wrong, where in the SQL, and what to do. */
export function problem(error, actions = []) {
  const parts = [h("p", { class: "problem-message" }, icon("warning"), error.message ?? String(error))];
  if (error.sql && error.offset !== null && error.offset !== undefined) {
    const bytes = new TextEncoder().encode(error.sql);
    const cut = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
    const start = cut(0, error.offset).lastIndexOf("\n") + 1;
    const before = cut(0, error.offset).slice(start);
    const line = before + cut(error.offset, bytes.length).split("\n")[0];
    parts.push(h("pre", { class: "problem-place" }, `${line}\n${" ".repeat(before.length)}^`));
  }
  if (error.hint) parts.push(h("p", { class: "problem-hint" }, error.hint));
  if (actions.length) parts.push(h("div", { class: "row" }, ...actions));
  return h("div", { class: "problem", role: "alert" }, ...parts);
}

export function empty(title, text, ...actions) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, text), ...actions);
}

/** Lets a choice be made from a list that opens under a button. */
export function menu(anchor, items) {
  document.querySelector(".menu")?.remove();
  const list = h("div", { class: "menu", role: "menu" });
  const place = anchor.getBoundingClientRect();
  const dismiss = () => { list.remove(); document.removeEventListener("pointerdown", outside, true); };
  const outside = (event) => { if (!list.contains(event.target)) dismiss(); };
  for (const item of items) {
    if (!item) { list.append(h("div", { class: "menu-line", role: "separator" })); continue; }
    list.append(h("button", { type: "button", role: "menuitem", class: item.danger ? "danger" : "", onclick: () => { dismiss(); anchor.focus?.(); item.run(); } },
      item.icon ? icon(item.icon) : null, h("span", {}, item.label)));
  }
  list.addEventListener("keydown", (event) => {
    const all = [...list.querySelectorAll("button")];
    const at = all.indexOf(document.activeElement);
    if (event.key === "Escape") { dismiss(); anchor.focus?.(); }
    else if (event.key === "Tab") { dismiss(); anchor.focus?.(); }
    else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(list);
  list.style.left = `${Math.max(8, Math.min(place.left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${Math.min(place.bottom + 4, innerHeight - list.offsetHeight - 8)}px`;
  document.addEventListener("pointerdown", outside, true);
  list.querySelector("button")?.focus();
}
