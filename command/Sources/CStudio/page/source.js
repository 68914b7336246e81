// Rows of a table at any place. Few are fetched by their number; of many, a window is known, which grows where it is scrolled
// on, and is made anew where it is jumped to: at a share of the range of keys.

import { ask, isAbort } from "./api.js";
import { same } from "./values.js";

const pageSize = 100;
/** Up to which rows are found by their number. */
const few = 20_000;
const greatestWindow = 1200;

export class RowSource {
  /** query: what /api/rows is asked; changed(how): called when there is something else to draw. */
  constructor(query, { hasKey, changed, shifted, failed }) {
    Object.assign(this, { query, hasKey, changed, shifted, failed });
    this.total = 0;
    this.isExact = false;
    this.rows = [];
    this.start = 0;
    this.version = 0;
    this.loading = null;
  }

  get isByNumber() { return !this.hasKey || (this.isExact && this.total <= few); }

  async open() {
    this.count();
    const page = await this.fetch({ start: true, scale: this.hasKey });
    if (!page) return;
    this.take(page, 0);
    if (!this.total || this.total < this.rows.length) this.total = this.rows.length + (this.isEnd ? 0 : pageSize);
    if (this.isEnd && !this.isExact) { this.total = this.rows.length; this.isExact = true; }
    this.changed();
  }

  async fetch(from) {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    try {
      return await ask("rows", { ...this.query, from, limit: pageSize }, abort.signal);
    } catch (error) {
      if (!isAbort(error)) this.failed(error);
      return null;
    }
  }

  stop() { clearTimeout(this.countTimer); this.abort?.abort(); this.counting?.abort(); }

  /** Counts again, as often as it does not take much of the server's time. */
  countAgain() {
    clearTimeout(this.countTimer);
    this.countTimer = setTimeout(() => this.count(), Math.max(0, (this.countedAt ?? 0) + 10 * (this.countCost ?? 0) - performance.now()));
  }

  async count() {
    this.counting?.abort();
    const begin = performance.now();
    const abort = this.counting = new AbortController();
    try {
      const { count, about } = await ask("count", this.query, abort.signal);
      const before = this.total;
      if (count !== null) { this.total = count; this.isExact = true; } else {
        this.isExact = false;
        if (about) this.total = Math.max(about, this.rows.length);
        else if (!this.isEnd) this.total = Math.max(this.total, this.rows.length + pageSize);
      }
      this.isCounted = true;
      this.countedAt = performance.now();
      this.countCost = this.countedAt - begin;
      if (before !== this.total) this.changed();
      else this.changed("count");
    } catch (error) { if (!isAbort(error)) this.isCounted = true; }
  }

  take(page, start) {
    this.rows = page.rows;
    this.pages = [{ count: page.rows.length, first: page.first, last: page.last }];
    this.start = start;
    this.isStart = page.isStart;
    this.isEnd = page.isEnd;
    this.version += 1;
  }

  get(index) { return this.rows[index - this.start] ?? null; }

  /** Called with what is to be seen; fetches what is not there. */
  need(first, last) {
    this.seen = { first, last };
    if (this.loading || this.isFailed) return;
    const next = this.next(first, Math.min(last, this.total));
    if (!next) return;
    this.loading = this.load(next).finally(() => { this.loading = null; if (this.seen) this.need(this.seen.first, this.seen.last); });
  }

  next(first, last) {
    if (!this.pages || this.total === 0) return null;
    const end = this.start + this.rows.length;
    if (last < this.start || first > end || (first < this.start && last > end) ) return { jump: first };
    if (first < this.start + 30 && (this.isByNumber ? this.start > 0 : !this.isStart)) return { before: true };
    if (last > end - 30 && !this.isEnd) return { after: true };
    return null;
  }

  async load(next) {
    if (this.isByNumber) return this.loadByNumber(next);
    if (next.jump !== undefined) return this.jump(next.jump);
    return next.before ? this.loadBefore() : this.loadAfter();
  }

  async loadByNumber(next) {
    const from = next.jump !== undefined ? Math.max(0, next.jump - 40) : next.before ? Math.max(0, this.start - pageSize) : this.start + this.rows.length;
    const page = await this.fetch({ offset: from });
    if (!page) { this.isFailed = true; return; }
    if (next.jump !== undefined) this.take(page, from);
    else if (next.before) {
      this.rows = page.rows.slice(0, this.start - from).concat(this.rows);
      this.start = from;
      this.pages = [{ count: this.rows.length, first: page.first, last: null }];
    } else {
      this.rows = this.rows.concat(page.rows);
      this.isEnd = page.isEnd;
    }
    const end = this.start + this.rows.length;
    if (this.isEnd && !this.isExact) { this.total = end; this.isExact = true; }
    else if (!this.isExact) this.total = Math.max(this.total, end + pageSize);
    this.version += 1;
    this.changed();
  }

  async jump(index) {
    const isEnd = index + 100 >= this.total;
    const from = index <= 0 ? { start: true, scale: true } : isEnd ? { end: true, scale: true } : { at: index / Math.max(1, this.total - 1), scale: true };
    const page = await this.fetch(from);
    if (!page) { this.isFailed = true; return; }
    if (!page.rows.length) return this.toEnd();
    this.take(page, index <= 0 ? 0 : isEnd ? Math.max(0, this.total - page.rows.length) : index);
    if (page.isEnd) this.settleEnd();
    this.changed();
  }

  async toEnd() {
    const page = await this.fetch({ end: true, scale: true });
    if (!page) { this.isFailed = true; return; }
    this.take(page, Math.max(0, this.total - page.rows.length));
    this.changed();
  }

  async loadAfter() {
    const page = await this.fetch({ after: this.pages.at(-1).last });
    if (!page) { this.isFailed = true; return; }
    this.rows = this.rows.concat(page.rows);
    if (page.rows.length) this.pages.push({ count: page.rows.length, first: page.first, last: page.last });
    this.isEnd = page.isEnd;
    while (this.rows.length > greatestWindow && this.pages.length > 2) {
      const gone = this.pages.shift();
      this.rows = this.rows.slice(gone.count);
      this.start += gone.count;
      this.isStart = false;
    }
    if (this.isEnd) this.settleEnd();
    else if (this.start + this.rows.length >= this.total) this.total = this.start + this.rows.length + pageSize;
    this.version += 1;
    this.changed();
  }

  async loadBefore() {
    const page = await this.fetch({ before: this.pages[0].first });
    if (!page) { this.isFailed = true; return; }
    this.rows = page.rows.concat(this.rows);
    if (page.rows.length) this.pages.unshift({ count: page.rows.length, first: page.first, last: page.last });
    this.start -= page.rows.length;
    this.isStart = page.isStart;
    while (this.rows.length > greatestWindow && this.pages.length > 2) {
      const gone = this.pages.pop();
      this.rows = this.rows.slice(0, -gone.count);
      this.isEnd = false;
    }
    // It was estimated where the rows stand in the whole; at the start that shows.
    const by = this.isStart ? -this.start : this.start < 0 ? pageSize - this.start : 0;
    if (by) { this.start += by; this.shifted(by); }
    this.version += 1;
    this.changed();
  }

  settleEnd() {
    const end = this.start + this.rows.length;
    if (!this.isExact) { this.total = end; return; }
    const by = this.total - end;
    if (by) { this.start += by; this.shifted(by); }
  }

  /** Reads what is seen once more; returns the rows that differ: those that came and those that changed, with their columns. */
  async again() {
    if (!this.pages || this.loading || !this.seen) return null;
    const first = Math.max(this.start, this.seen.first - 20);
    const from = this.isByNumber ? { offset: first } : this.cursorAt(first);
    let page;
    try { page = await ask("rows", { ...this.query, from: from.cursor ?? from, limit: 300 }); } catch { return null; }
    const begin = this.isByNumber ? first : from.index;
    if (this.loading || begin < this.start) return null;
    const before = new Map(this.rows.map((row) => [JSON.stringify(row.k), row]));
    const changes = [];
    const hasKey = page.rows[0]?.k.length;
    page.rows.forEach((row, place) => {
      const old = hasKey ? before.get(JSON.stringify(row.k)) : this.rows[begin - this.start + place];
      if (!old) { if (hasKey) changes.push({ row, columns: null }); return; }
      const columns = row.c.map((value, at) => (same(value, old.c[at]) ? -1 : at)).filter((at) => at >= 0);
      if (columns.length) changes.push({ row, columns });
    });
    const isSame = page.rows.length === this.rows.slice(begin - this.start, begin - this.start + page.rows.length).length && !changes.length
      && page.rows.every((row, place) => same(row.k, this.rows[begin - this.start + place]?.k));
    if (isSame) return [];
    this.rows = this.rows.slice(0, begin - this.start).concat(page.rows);
    this.pages = this.isByNumber || begin === this.start ? [{ count: this.rows.length, first: page.first, last: page.last }]
      : this.pages.slice(0, from.page).concat([{ count: page.rows.length, first: page.first, last: page.last }]);
    this.isEnd = page.isEnd;
    if (this.isEnd) { this.total = Math.max(this.start + this.rows.length, this.isExact ? 0 : this.total); }
    this.version += 1;
    return changes;
  }

  /** The page with a row, from whose first row on is read. */
  cursorAt(index) {
    let at = this.start;
    for (const [place, page] of this.pages.entries()) {
      if (index < at + page.count || place === this.pages.length - 1) return { cursor: page.first ? { from: page.first } : { start: true }, index: at, page: place };
      at += page.count;
    }
    return { cursor: { start: true }, index: 0, page: 0 };
  }
}
