// The file itself: what it is, what is wrong with it, and how far it is from where it is to get.

import { ask, isAbort } from "./api.js";
import { button, dialog, h, icon, problem, say } from "./dom.js";
import * as state from "./state.js";
import * as values from "./values.js";

export class HealthView {
  constructor(app, now) {
    this.app = app;
    this.file = now.file;
    this.facts = h("div", { class: "card", "aria-busy": "true" });
    this.findings = h("div", { class: "card" });
    this.target = h("div", { class: "card", hidden: true });
    this.element = h("section", { class: "health", "aria-label": "Health" }, h("header", { class: "toolbar" }, h("div", { class: "toolbar-title" }, h("h1", {}, "Health"))),
      h("div", { class: "health-body", tabindex: 0, role: "region", "aria-label": "Health of the file" }, this.facts, this.target, this.findings, this.schemaCard()));
  }

  opened() { this.inspect(); this.loadTarget(); this.check(false); }
  destroy() { this.checking?.abort(); }

  async inspect() {
    try {
      const { file, path } = await ask("inspect", { file: this.file });
      const bytes = file.page_count * file.page_size;
      const free = file.free_pages * file.page_size;
      const fact = (name, value, note = "") => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value, note ? h("small", {}, note) : ""));
      this.facts.replaceChildren(h("h2", {}, "The file"), h("p", { class: "mono muted path" }, path), h("dl", { class: "facts" },
        fact("Size", values.size(bytes), `${values.number(file.page_count)} pages of ${values.number(file.page_size)} bytes`), fact("Free", values.size(free), free ? "VACUUM gives it back" : ""),
        fact("Journal", file.journal_mode, file.journal_mode === "wal" ? "readers do not wait" : "readers wait for writers"), fact("Encoding", file.encoding), fact("Encryption", file.encryption ?? "none"),
        fact("user_version", String(file.user_version)), fact("application_id", String(file.application_id)), fact("SQLite", file.sqlite_version)));
      this.facts.removeAttribute("aria-busy");
    } catch (error) { this.facts.replaceChildren(problem(error)); }
  }

  async check(isThorough) {
    this.checking?.abort();
    const abort = this.checking = new AbortController();
    this.findings.replaceChildren(h("h2", {}, "Checks"), h("p", { class: "muted" }, "looking…"), button("Stop", () => abort.abort(), { icon: "stop" }));
    try {
      const { findings } = await ask("check", { file: this.file, isThorough }, abort.signal);
      const again = button(isThorough ? "Check again" : "Compare indexes with their tables, too", () => this.check(true));
      this.findings.replaceChildren(h("h2", {}, "Checks", h("span", { class: "muted" }, ` ${findings.length ? findings.length : ""}`)),
        findings.length ? h("ul", { class: "findings" }, findings.map((finding) => this.finding(finding))) : h("p", { class: "good" }, icon("check"), "Nothing is wrong with the file."), again);
    } catch (error) { this.findings.replaceChildren(h("h2", {}, "Checks"), isAbort(error) ? h("p", { class: "muted" }, "Stopped.") : problem(error), button("Check", () => this.check(false))); }
  }

  finding(finding) {
    return h("li", { class: `finding ${finding.severity}` }, h("span", { class: `tag ${finding.severity}` }, finding.severity), h("div", {}, h("p", {}, finding.message), h("p", { class: "muted cure" }, finding.hint)),
      finding.table && this.app.schema.tables.some((table) => table.name === finding.table) ? h("a", { class: "button quiet tiny", href: state.address(state.fresh(finding.table)) }, "Open") : null);
  }

  schemaCard() {
    const { problems, tables } = this.app.schema;
    const sql = tables.map((table) => table.sql).filter(Boolean);
    return h("div", { class: "card" }, h("h2", {}, "Schema"), problems.length ? h("ul", { class: "findings" }, problems.map((found) => h("li", { class: "finding warning" }, h("span", { class: "tag warning" }, "not understood"), h("p", {}, `${found.type} ${found.name}: ${found.message}`)))) : null,
      sql.length ? h("details", {}, h("summary", {}, `${tables.length} ${tables.length === 1 ? "statement" : "statements"}`), h("pre", { class: "whole sql", tabindex: 0 }, sql.slice(0, 500).map((text) => `${text};`).join("\n\n"))) : h("p", { class: "muted" }, "The file has no tables yet."));
  }

  // Where it is to get --------------------------------------------------------------------------------------------------

  async loadTarget() {
    try {
      const found = await ask("target", { file: this.file });
      this.target.hidden = found.kind === null;
      if (found.kind === "bundle") this.bundle(found);
      else if (found.kind === "schema") this.plan(found);
    } catch (error) { this.target.hidden = false; this.target.replaceChildren(h("h2", {}, "Migration"), problem(error)); }
  }

  bundle(found) {
    const risks = new Map(found.pending.map((step) => [step.id, step]));
    this.target.replaceChildren(h("h2", {}, "Steps of the bundle"), h("p", { class: "mono muted path" }, found.path),
      h("table", { class: "steps" }, h("thead", {}, h("tr", {}, ["step", "state", "applied at", ""].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, found.steps.map((step) => {
        const pending = risks.get(step.id);
        return h("tr", {}, h("td", {}, step.id), h("td", {}, h("span", { class: `tag ${step.state}` }, step.state)), h("td", { class: "mono" }, step.finished ?? ""), h("td", {}, pending ? this.risk(pending) : h("span", { class: "muted" }, step.hint)));
      }))),
      found.drift.length ? h("div", { class: "drift" }, h("h3", {}, "Changed by hand since the last step; undone by"), h("ul", {}, found.drift.map((change) => h("li", {}, change)))) : null,
      found.pending.map((step) => h("details", {}, h("summary", {}, `SQL of ${step.id}`), h("pre", { class: "whole sql", tabindex: 0 }, step.sql))),
      found.pending.length ? this.apply(found, `Apply ${found.pending.length} ${found.pending.length === 1 ? "step" : "steps"}`) : h("p", { class: "good" }, icon("check"), "The file has all steps."));
  }

  risk(step) {
    return h("div", {}, step.losses.length ? h("span", { class: "tag damage" }, `loses ${step.losses.join(" and ")}`) : step.risk ? h("span", { class: `tag ${step.risk}` }, step.risk) : null, step.problems.map((text) => h("p", { class: "bad" }, text)));
  }

  plan(found) {
    const { steps } = found.plan;
    this.target.replaceChildren(h("h2", {}, "What brings the file to the schema"), h("p", { class: "mono muted path" }, found.path),
      steps.length ? h("ol", { class: "plan-steps" }, steps.map((step) => h("li", {}, h("div", { class: "row" }, h("b", {}, step.summary), h("span", { class: `tag ${step.risk}` }, step.risk), step.rows ? h("span", { class: "muted" }, `${values.number(step.rows)} ${step.rows === 1 ? "row is" : "rows are"} written again`) : null),
        step.losses.length ? h("p", { class: "bad" }, `loses ${step.losses.join(" and ")}`) : null, step.notes.map((note) => h("p", { class: "muted" }, note)), step.problems.map((found) => h("p", { class: "bad" }, `${found.message}: ${found.annotation}`)),
        h("details", {}, h("summary", {}, "SQL"), h("pre", { class: "whole sql", tabindex: 0 }, step.sql.join(";\n\n"))))))
        : h("p", { class: "good" }, icon("check"), "The file has this schema."),
      steps.length ? this.apply(found, "Apply the plan") : "");
  }

  apply(found, label) {
    if (!this.app.isWritable) return h("p", { class: "muted" }, "Start corm studio with --write to apply it.");
    return h("div", { class: "row" }, button(label, () => this.confirm(found, label), { kind: found.losses.length || found.drops?.length ? "danger" : "primary" }));
  }

  /** What is lost is named, and typed by whoever lets it go. */
  async confirm(found, label) {
    const drops = found.drops ?? [];
    let lost = found.losses;
    try { if (drops.length) lost = (await ask("target", { file: this.file, drops })).losses; } catch (error) { this.target.append(problem(error)); return; }
    const isSure = await dialog(label, (close) => {
      const input = h("input", { class: "input", "aria-label": "Type: lose it", placeholder: "lose it", autocomplete: "off" });
      const go = button(label, () => close(true), { kind: lost.length ? "danger" : "primary", disabled: lost.length > 0 });
      input.addEventListener("input", () => { go.disabled = input.value.trim() !== "lose it"; });
      return [h("div", { class: "dialog-body" }, lost.length ? [h("p", {}, "This is lost:"), h("ul", { class: "losses" }, lost.map((text) => h("li", {}, text))), h("p", {}, "Type ", h("b", {}, "lose it"), " to let it go."), input] : h("p", {}, "Nothing is lost.")),
        h("footer", {}, h("div", { class: "grow" }), button("Cancel", () => close(), { kind: "quiet" }), go)];
    });
    if (!isSure) return;
    try {
      const { applied } = await ask("migrate", { file: this.file, drops, losses: lost });
      say(`${applied.length} ${applied.length === 1 ? "step" : "steps"} applied`);
      this.loadTarget();
    } catch (error) { this.target.append(problem(error)); }
  }

  committed() { this.inspect(); }
}
