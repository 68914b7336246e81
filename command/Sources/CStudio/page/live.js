// Commits as they happen, and a line of how many there were in each of the last seconds.

import { h, svg } from "./dom.js";

const seconds = 40;

export class Live {
  constructor(committed, element) {
    this.counts = new Array(seconds).fill(0);
    this.committed = committed;
    this.line = svg("path", { class: "pulse-line", d: "" });
    this.label = h("span", { class: "pulse-label" });
    this.dot = h("span", { class: "pulse-dot", title: "told of commits as they happen" });
    element.append(this.dot, svg("svg", { viewBox: "0 0 80 20", class: "pulse-graph", preserveAspectRatio: "none", "aria-hidden": "true" }, this.line), this.label);
    // A browser holds few connections to one server, for all of its tabs: those that nobody sees need none.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.events.close() : this.listen()));
    this.listen();
    setInterval(() => {
      if (document.hidden && !this.counts.some((count) => count)) return;
      this.counts.shift();
      this.counts.push(0);
      this.draw();
    }, 1000);
    this.draw();
  }

  listen() {
    this.events = new EventSource("api/events");
    this.events.onmessage = (event) => {
      const { file, commits } = JSON.parse(event.data);
      this.counts[seconds - 1] += commits;
      this.draw();
      this.committed(file);
    };
    this.events.onopen = () => {
      this.dot.className = "pulse-dot on";
      // What was committed meanwhile nobody has told.
      if (this.hasListened) this.committed(null);
      this.hasListened = true;
      this.draw();
    };
    this.events.onerror = () => { this.dot.className = "pulse-dot off"; this.label.textContent = "not connected"; };
  }

  draw() {
    const most = Math.max(4, ...this.counts);
    this.line.setAttribute("d", this.counts.map((count, place) => `${place ? "L" : "M"}${(place * 80) / (seconds - 1)} ${19 - (count / most) * 17}`).join(""));
    const latest = this.counts.slice(-2).reduce((sum, count) => Math.max(sum, count), 0);
    if (this.events.readyState === EventSource.OPEN || latest) this.label.textContent = latest ? `${latest} ${latest === 1 ? "commit" : "commits"}/s` : "live";
  }
}
