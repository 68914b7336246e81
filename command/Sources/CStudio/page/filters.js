// The row of conditions above the grid.

import { button, h, icon } from "./dom.js";
import { operatorNames } from "./rows.js";
import * as state from "./state.js";
import * as values from "./values.js";

export function filterBar(view) {
  const { filters } = view.now;
  const bar = h("div", { class: "filters", role: "group", "aria-label": "Conditions", hidden: !filters.length });
  const change = (place, changes) => state.go({ filters: filters.map((filter, at) => (at === place ? { ...filter, ...changes, isNew: undefined } : filter)) });
  filters.forEach((filter, place) => {
    const column = h("select", { class: "input", "aria-label": "Column", onchange: () => change(place, { c: column.value }) },
      ...view.columns.map((known) => h("option", { value: known.name, selected: known.name === filter.c }, values.visible(known.name))));
    const operator = h("select", { class: "input", "aria-label": "Operator", onchange: () => change(place, { op: operator.value, v: operator.value.endsWith("null") ? undefined : filter.v ?? "" }) },
      ...Object.entries(operatorNames).map(([name, label]) => h("option", { value: name, selected: name === filter.op }, label)));
    const needsValue = !filter.op.endsWith("null");
    const input = needsValue ? h("input", { class: "input filter-value", "aria-label": "Value", placeholder: "value", value: filter.v === undefined || filter.v === null ? "" : values.text(filter.v) }) : null;
    if (input) {
      input.addEventListener("change", () => change(place, { v: input.value }));
      input.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); view.grid.grabFocus(); } });
      if (filter.isNew) setTimeout(() => input.focus());
    }
    bar.append(h("div", { class: "filter" }, column, operator, input,
      button("", () => state.go({ filters: filters.filter((_, at) => at !== place) }), { icon: "close", kind: "quiet tiny", "aria-label": `Take the condition on ${filter.c} away` })));
  });
  if (filters.length) bar.append(button("Clear", () => state.go({ filters: [] }), { kind: "quiet" }));
  bar.prepend(icon("filter"));
  return bar;
}
