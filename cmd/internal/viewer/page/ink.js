// What the user draws, over the picture: at once, until the program has drawn it.
import { el } from "./dom.js";
import { label } from "./sheet.js";

export class Ink {
  // shown is the Scene of map.js. paint(g, ink) draws what is above the strokes: the brush under the pointer, the selection.
  constructor(shown, above) {
    const { map } = shown, box = map.getContainer();
    Object.assign(this, { shown, map, above, strokes: new Set(), numbers: undefined, frames: undefined });
    this.low = el("canvas", { className: "ink", "aria-hidden": "true" });
    this.high = el("canvas", { className: "ink above" });
    this.surface = el("div", { className: "surface", hidden: true });
    box.append(this.low, this.high, this.surface);
    const redraw = () => this.redraw();
    const hide = () => this.low.parentNode.classList.add("zooming"), unhide = () => (this.low.parentNode.classList.remove("zooming"), this.redraw());
    map.on("move resize viewreset", redraw);
    map.on("zoomstart", hide);
    map.on("zoomend", unhide);
    const { renewed } = shown;
    shown.renewed = async (since) => {
      await renewed.call(shown, since);
      this.settle();
    };
    this.close = () => {
      map.off("move resize viewreset", redraw);
      map.off("zoomstart", hide);
      map.off("zoomend", unhide);
      shown.renewed = renewed;
      cancelAnimationFrame(this.frame);
      box.classList.remove("zooming");
      for (const node of [this.low, this.high, this.surface]) node.remove();
    };
    this.fit();
  }

  fit() {
    const { x, y } = this.map.getSize(), k = devicePixelRatio;
    for (const c of [this.low, this.high]) if (c.width !== Math.round(x * k) || c.height !== Math.round(y * k)) Object.assign(c, { width: Math.round(x * k), height: Math.round(y * k) });
  }

  // place returns how the cells of a canvas are placed: the corner of cell 0,0 and the size of a cell, in pixels of the screen.
  place({ origin, cell }) {
    const { map, shown } = this, k = devicePixelRatio, a = map.latLngToContainerPoint(shown.at(...origin)), unit = shown.view.scale * 2 ** map.getZoom();
    return { x: a.x * k, y: a.y * k, w: cell[0] * unit * k, h: cell[1] * unit * k };
  }

  // box returns the pixels of a rectangle of cells. Neighbours have common edges.
  static box({ x, y, w, h }, l, t, r, b) {
    const left = Math.round(x + l * w), top = Math.round(y + t * h);
    return [left, top, Math.max(1, Math.round(x + r * w) - left), Math.max(1, Math.round(y + b * h) - top)];
  }

  // sight returns the cells of a canvas that are visible: left, top, right, bottom.
  sight(canvas) {
    const { x, y, w, h } = this.place(canvas), { width, height } = this.low;
    const [l, t, r, b] = [Math.floor(-x / w), Math.floor(-y / h), Math.ceil((width - x) / w), Math.ceil((height - y) / h)];
    return [Math.max(0, l), Math.max(0, t), Math.min(canvas.width, r), Math.min(canvas.height, b)];
  }

  get background() { return this.shown.view.background || "#808080"; }

  // dab draws a cell of a stroke.
  dab(stroke, at, g, x, y, cell) {
    stroke.sheet.draw(g, cell, ...Ink.box(at, x, y, x + 1, y + 1), this.background);
  }

  // begin adds a stroke: {canvas, sheet, cells}. add(x, y, cell) of the result draws a cell of it.
  begin(stroke) {
    this.strokes.add(stroke);
    this.low.dataset.strokes = this.strokes.size;
    const g = this.low.getContext("2d"), at = this.place(stroke.canvas);
    return (x, y, cell) => stroke.cells.set(x, y, cell) && this.dab(stroke, at, g, x, y, cell);
  }

  // settle removes the strokes that the picture shows: stroke.generation is the first edition of the file with a stroke.
  settle() {
    const before = this.strokes.size;
    for (const s of this.strokes) if (s.generation <= this.shown.generation) this.strokes.delete(s), s.shown?.();
    if (this.strokes.size !== before) this.redraw();
  }

  redraw() {
    this.low.dataset.strokes = this.strokes.size; // for tests
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (!this.low.isConnected) return; // the picture is closed
    this.fit();
    const g = this.low.getContext("2d");
    g.clearRect(0, 0, this.low.width, this.low.height);
    for (const s of this.strokes) {
      const at = this.place(s.canvas);
      s.cells.each((x, y, cell) => this.dab(s, at, g, x, y, cell), this.sight(s.canvas));
    }
    this.drawAbove();
  }

  drawAbove() {
    const g = this.high.getContext("2d");
    g.clearRect(0, 0, this.high.width, this.high.height);
    this.drawNumbers(g);
    this.drawFrames(g);
    this.above(g, this);
  }

  // drawNumbers draws the numbers of tiles: {canvas, sheet, x, y, block}.
  drawNumbers(g) {
    const { numbers } = this;
    if (!numbers) return;
    const at = this.place(numbers.canvas);
    if (at.w < 18 * devicePixelRatio) return;
    numbers.block.forEach((row, j) => row.forEach((cell, i) => {
      if (cell === "." || cell === "_") return;
      const { id, flags } = numbers.sheet.parsed(cell), [x, y, w, h] = Ink.box(at, numbers.x + i, numbers.y + j, numbers.x + i + 1, numbers.y + j + 1);
      label(g, id + flags, x + w / 2, y + h / 4, Math.min(h / 3, 14 * devicePixelRatio), w);
    }));
  }

  // drawFrames draws what the camera of the game shows around the middle: on narrow and on wide screens.
  drawFrames(g) {
    const { frames, shown, map } = this;
    if (!frames) return;
    const unit = shown.view.scale * 2 ** map.getZoom() * devicePixelRatio, [x, y] = [this.high.width / 2, this.high.height / 2];
    frames.forEach(([w, h], i) => {
      const box = [x - (w * unit) / 2, y - (h * unit) / 2, w * unit, h * unit].map(Math.round), edge = i === 0 || i === frames.length - 1;
      outline(g, box, edge ? ["#ff5050", "#4d9fff"][Math.min(i, 1)] : "#ffffff80", edge ? [] : [6, 6]);
    });
  }
}

// outline draws a rectangle that is visible on all colours.
export function outline(g, [x, y, w, h], color, dash = []) {
  const k = devicePixelRatio;
  g.lineWidth = 3 * k;
  g.setLineDash([]);
  g.strokeStyle = "#101018a0";
  g.strokeRect(x, y, w, h);
  g.lineWidth = 1.5 * k;
  g.setLineDash(dash.map((d) => d * k));
  g.strokeStyle = color;
  g.strokeRect(x, y, w, h);
  g.setLineDash([]);
}
