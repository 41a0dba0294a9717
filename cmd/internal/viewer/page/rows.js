// Lists of any length: only the visible rows, and some around them, are in the page.

const most = 8e6; // maximum height of a list in pixels, limited by browsers
const chunk = 250; // rows fetched at a time
const kept = 40; // number of chunks kept

// Rows shows rows in a scrolling node. get(from, n) promises n rows; draw(from, rows, before, after) shows
// them, with the given pixels above and below; a row not yet loaded is undefined.
export class Rows {
  constructor(scroller, { get, draw, fail, signal }) {
    Object.assign(this, { scroller, get, draw, fail, parts: new Map(), turn: 0 });
    const again = () => this.refresh();
    scroller.addEventListener("scroll", again, { passive: true });
    const watch = new ResizeObserver(again);
    watch.observe(scroller);
    signal.addEventListener("abort", () => watch.disconnect());
    this.usual = Math.round(1.4 * parseFloat(getComputedStyle(document.documentElement).fontSize));
    this.shape();
    scroller.style.setProperty("--row", this.height + "px");
  }

  // shape sets the number of rows beside each other, and the height of such a line.
  shape(across = 1, height = this.usual) {
    Object.assign(this, { across, height });
  }

  // reset starts again with a number of rows, some of which may be given.
  reset(total, from, rows) {
    this.total = total;
    this.turn++;
    this.parts.clear();
    if (rows && from % chunk === 0) this.parts.set(from / chunk, rows.slice(0, chunk));
    this.refresh();
  }

  // Lines: all of them, those in sight, and the first one in sight.
  get lines() { return Math.ceil(this.total / this.across); }
  get seen() { return Math.max(1, Math.floor(this.scroller.clientHeight / this.height)); }
  get exact() { return this.lines * this.height <= most; }
  get first() {
    const top = this.scroller.scrollTop;
    if (this.exact) return Math.floor(top / this.height);
    return Math.floor((top / (most - this.scroller.clientHeight)) * (this.lines - this.seen));
  }

  // show scrolls a row into view: to a third of the height, or by the minimum.
  show(row, little) {
    const { first, seen } = this, line = Math.floor(row / this.across);
    if (little && line >= first && line < first + seen - 1) return this.refresh();
    const to = Math.max(0, little ? (line < first ? line : line - seen + 2) : line - Math.floor(seen / 3));
    this.scroller.scrollTop = this.exact ? to * this.height : (to / (this.lines - seen)) * (most - this.scroller.clientHeight);
    this.refresh();
  }

  refresh() {
    if (this.total === undefined || !this.scroller.clientHeight) return; // not visible
    const { lines, across, height } = this, first = Math.max(0, Math.min(this.first, lines - 1)), rows = [];
    const from = Math.max(0, first - 8), to = Math.min(lines, first + this.seen + 10);
    for (let i = from * across; i < Math.min(this.total, to * across); i++) rows.push(this.row(i));
    const before = this.exact ? from * height : Math.max(0, this.scroller.scrollTop - (first - from) * height);
    this.draw(from * across, rows, before, Math.max(0, Math.min(lines * height, most) - before - (to - from) * height));
  }

  row(i) {
    const n = Math.floor(i / chunk), part = this.parts.get(n);
    if (!part) this.load(n);
    return Array.isArray(part) ? part[i - n * chunk] : undefined;
  }

  async load(n) {
    const turn = this.turn;
    this.parts.set(n, "asked");
    if (this.parts.size > kept) this.parts.delete(this.parts.keys().next().value);
    try {
      const rows = await this.get(n * chunk, chunk);
      if (turn !== this.turn) return;
      this.parts.set(n, rows);
      this.refresh();
    } catch (err) {
      if (turn === this.turn) this.fail(err);
    }
  }
}

export const count = new Intl.NumberFormat("en");
