// The state of drawing: the layer, the block of tiles that is drawn, the tool, the selection; and what the tools do.
import { ask, get, url } from "./api.js";
import { state, set } from "./state.js";
import { plural } from "./dom.js";
import { namesShown, plain } from "./layers.js";
import { kept, empty, parse, format, cellsOf, textOf, Sparse, line, pattern, flood } from "./cells.js";
import { Sheet, label } from "./sheet.js";
import { Ink, outline } from "./ink.js";
import { Shapes } from "./shapes.js";

const mostFilled = 512; // cells to each side

const sorted = ([x, y], [u, v]) => [Math.min(x, u), Math.min(y, v), Math.max(x, u) + 1, Math.max(y, v) + 1];
// blockRow returns the cells of a row. Flags and numbers of air have no meaning.
const blockRow = (text) => cellsOf(text).map((cell) => (cell !== kept && parse(cell).id === 0 ? empty : cell));
const size = ([l, t, r, b]) => `${r - l} × ${b - t}`;
const did = { brush: "Brush", rectangle: "Rectangle", fill: "Fill", erase: "Eraser" };

export class Drawing {
  // changed() is called when something of the state has changed.
  constructor(context, list, changed) {
    Object.assign(this, { context, list, changed, file: context.session.edit, tool: "move", offers: [], sheets: new Map(), flags: new Set(), keepsUnderAir: false, overlay: { numbers: false, frames: false } });
    this.shapes = new Shapes(context, list, () => (this.above(), changed()));
    this.stop = list.watch((now) => {
      const last = now.list.at(-1);
      if (now.applied && last?.error && last.name === this.command) context.say(last.error);
      this.settle();
    });
  }

  close() {
    this.stop();
    this.ink?.close();
  }

  // settle removes the strokes that the picture shows.
  settle() {
    const { now } = this.list;
    if (!now.applied || !this.ink) return;
    for (const s of this.ink.strokes) if (s.revision <= now.revision) s.generation ??= now.generation;
    this.ink.settle();
  }

  // sign is a text that changes with the layers, as far as it is known.
  sign() {
    const { now } = this.list;
    return [now.hash, ...now.list.filter((e) => e.name !== this.command && !e.off).map((e) => `${e.id} ${e.count}`)].join();
  }

  // load fetches the layers, if they may have changed.
  async load() {
    const sign = this.sign();
    if (sign === this.signed) return;
    const { command, canvases } = await ask(this.file, "canvases", {}, this.context.signal);
    const renamed = canvases.length === this.canvases?.length ? canvases[this.canvases.indexOf(this.canvas)] : undefined;
    Object.assign(this, { command, canvases, signed: sign });
    this.sheets.clear();
    await this.shapes.load();
    const known = (layer) => canvases.some((c) => c.layer === layer) || this.shapes.outlines.some((o) => o.layer === layer);
    await this.choose(known(state().canvas) ? state().canvas : renamed?.layer);
  }

  // choose chooses a layer, or the first usual one.
  async choose(layer) {
    await this.shapes.choose(layer);
    const { canvases } = this, was = this.canvas;
    this.canvas = canvases.find((c) => c.layer === layer) ?? canvases.find((c) => c.layer === was?.layer) ?? (!this.shaping && (await this.front())) ?? canvases.find((c) => c.kind === "tiles") ?? canvases[0];
    this.offers = [];
    if (!this.canvas || this.shaping) return this.changed();
    if (this.canvas.kind !== was?.kind) {
      this.flags.clear();
      this.numbers = this.canvas.numbers.map((n) => n.usual);
      this.chooseTiles([[Math.max(1, (this.canvas.tiles ?? []).findIndex((name, id) => id > 0 && name))]]);
    }
    if (this.canvas.layer !== was?.layer) this.selection = undefined;
    this.changed();
    await this.sheet(); // the tiles are drawn from it
    this.changed();
    this.showNumbers();
  }

  // front returns the layer of tiles that is in front in the middle of the picture: the one whose tile is visible there, or else one
  // with room there.
  async front() {
    const { shown } = this.context;
    if (!shown?.map) return;
    const point = shown.units(shown.map.getCenter()), tiles = (c) => c.kind === "tiles";
    const within = ({ origin, cell, width, height }) => [width, height].every((n, i) => point[i] >= origin[i] && point[i] < origin[i] + n * cell[i]);
    return (await this.layersAt(point)).find(tiles) ?? this.canvases.findLast((c) => tiles(c) && within(c) && namesShown(shown).includes(c.layer));
  }

  // layersAt returns the visible layers that have a tile at a point of the picture, those in front first.
  async layersAt([x, y]) {
    const { shown } = this.context;
    if (!shown.scene.inspects) return [];
    const { things } = await ask(this.file, "inspect", { ...shown.query(), ...shown.inspectQuery(), x, y }, this.context.signal).catch(() => ({ things: [] }));
    const visible = namesShown(shown);
    return [...new Set(things.map((t) => t.layer))].filter((l) => visible.includes(l)).map((l) => this.canvases.find((c) => c.layer === l)).filter(Boolean);
  }

  // offer offers the other layers with a tile at a point, unless the chosen one has a tile there.
  async offer(point) {
    const { canvas } = this, found = await this.layersAt(point);
    if (canvas !== this.canvas) return;
    this.offers = found.includes(canvas) ? [] : found.slice(0, 3);
    this.changed();
  }

  // outside is the sentence for a cell that the layer does not have.
  get outside() {
    const { layer, width, height } = this.canvas;
    return `outside of ${plain(layer).split("/").pop()} (${width} × ${height})`;
  }
  has([x, y]) { return x >= 0 && y >= 0 && x < this.canvas.width && y < this.canvas.height; }

  // sheet returns the pictures of the tiles of the layer.
  async sheet(canvas = this.canvas) {
    if (!this.sheets.has(canvas.layer)) {
      const sheet = new Sheet(canvas);
      this.sheets.set(canvas.layer, sheet);
      sheet.loaded = sheet.load(this.file, this.context.shown?.options, this.context.signal);
    }
    const sheet = this.sheets.get(canvas.layer);
    await sheet.loaded.catch((err) => err.name === "AbortError" || this.context.say(err.message));
    return sheet;
  }
  get tiles() { return this.sheets.get(this.canvas?.layer); }

  // show draws over another picture.
  show(shown) {
    if (this.ink?.shown === shown) return;
    this.ink?.close();
    this.ink = new Ink(shown, (g, ink) => this.drawAbove(g, ink));
    this.listen(this.ink.surface, shown.map.getContainer());
    this.use(this.tool);
    this.showFrames();
    this.showNumbers();
  }

  // use chooses a tool.
  use(tool) {
    this.drag = undefined;
    this.tool = tool;
    if (this.ink) this.ink.surface.hidden = tool === "move" || !this.context.visible;
    if (tool !== "move" && this.context.visible && state().over) set({ over: undefined }); // the result is drawn on
    this.above();
    this.changed();
  }

  above() { this.ink?.redraw(); }

  // chooseTiles makes a block of tiles the brush.
  chooseTiles(ids) {
    if (!this.ids) this.flags.clear(); // those of the block of the map
    this.ids = ids;
    this.block = ids.map((row) => row.map((id) => format({ id, flags: this.letters(), numbers: this.numbers })));
    this.changed();
    this.above();
  }

  // chooseBlock makes a block of cells the brush.
  chooseBlock(block) {
    this.block = block;
    this.ids = undefined;
    const first = block.flat().find((c) => c !== kept && c !== empty);
    if (first) {
      const { flags, numbers } = parse(first);
      this.flags = new Set(flags);
      if (numbers.length >= this.canvas.numbers.length) this.numbers = numbers.slice(0, this.canvas.numbers.length);
    }
    this.changed();
    this.above();
  }

  letters(flags = this.flags) { return this.canvas.flags.map((f) => f.letter).filter((l) => flags.has(l)).join(""); }

  // change changes the cells of the brush.
  change(to) {
    this.block = this.block.map((row) => row.map((cell) => (cell === kept || cell === empty ? cell : format(to(parse(cell))))));
    this.above();
    this.changed();
  }
  setFlag(letter, is) {
    const put = (set) => (is ? set.add(letter) : set.delete(letter), set);
    put(this.flags);
    this.change((c) => ({ ...c, flags: this.letters(put(new Set(c.flags))) }));
  }
  setNumber(i, value) {
    this.numbers[i] = value;
    this.change((c) => ({ ...c, numbers: c.numbers.map((n, j) => (i === j ? value : n)) }));
  }

  // listen takes the pointer on the surface, and Enter on the picture.
  listen(surface, box) {
    const stop = (e) => e.button || e.stopPropagation(); // other buttons move the picture
    for (const name of ["mousedown", "touchstart", "click", "dblclick"]) surface.addEventListener(name, stop);
    surface.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      surface.setPointerCapture(e.pointerId);
      if (this.shaping) return this.shapes.begin(this.ink, e);
      this.begin(this.cellAt(e));
    });
    surface.addEventListener("pointermove", (e) => {
      if (this.shaping) return this.shapes.move(this.ink, e);
      for (const one of e.getCoalescedEvents?.() ?? []) this.move(this.cellAt(one));
      this.move(this.cellAt(e));
    });
    surface.addEventListener("pointerup", (e) => e.button || (this.shaping ? this.shapes.end() : this.end(this.cellAt(e))));
    surface.addEventListener("pointercancel", () => this.cancel());
    surface.addEventListener("pointerleave", () => this.hover(undefined));
    box.addEventListener("keydown", (e) => {
      if (e.target !== box || surface.hidden) return;
      const by = this.shaping && this.shapes.chosen.size && { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (by) {
        e.preventDefault();
        e.stopPropagation();
        return void this.shapes.moveBy(...by.map((v) => v * (e.shiftKey ? 32 : 1)));
      }
      if (e.key !== "Enter" || this.shaping) return;
      e.preventDefault();
      e.stopPropagation();
      const cell = this.middle();
      if (this.drag) this.end(cell);
      else {
        this.begin(cell);
        if (this.stroke) this.end(cell);
      }
    }, true);
    this.ink.map.on("move", () => box.matches(":focus-visible") && !surface.hidden && !this.shaping && this.move(this.middle()));
  }

  cellAt({ clientX, clientY }) {
    const { left, top } = this.ink.map.getContainer().getBoundingClientRect(), { x, y, w, h } = this.ink.place(this.canvas), k = devicePixelRatio;
    return [Math.floor(((clientX - left) * k - x) / w), Math.floor(((clientY - top) * k - y) / h)];
  }
  middle() {
    const { left, top, width, height } = this.ink.map.getContainer().getBoundingClientRect();
    return this.cellAt({ clientX: left + width / 2, clientY: top + height / 2 });
  }

  hover(cell) {
    if (String(cell) === String(this.at)) return;
    this.at = cell;
    this.ink.surface.classList.toggle("outside", Boolean(cell && !this.has(cell)));
    this.ink.drawAbove();
  }

  begin(cell) {
    const { tool, canvas } = this;
    this.offer(cell.map((v, i) => canvas.origin[i] + (v + 0.5) * canvas.cell[i]));
    if (tool === "fill") return void this.fill(cell).catch((err) => this.context.say(err.message));
    if (tool === "brush" || tool === "erase") {
      this.stroke = this.newStroke();
      this.stroke.at = this.stroke.from = cell;
      this.stamp(cell);
    } else this.drag = { from: cell, to: cell };
    this.hover(cell);
    this.above();
  }

  move(cell) {
    if (this.stroke) {
      line(this.stroke.at, cell, (x, y) => this.stamp([x, y]));
      this.stroke.at = cell;
    }
    if (this.drag && String(this.drag.to) !== String(cell)) {
      this.drag.to = cell;
      this.context.say(size(sorted(this.drag.from, cell)));
    }
    this.hover(cell);
  }

  end(cell) {
    this.move(cell);
    const { stroke, drag } = this;
    this.stroke = this.drag = undefined;
    if (stroke) this.commit(stroke);
    if (drag) this.finish(sorted(drag.from, drag.to)).catch((err) => this.context.say(err.message));
    this.above();
  }

  // shaping reports whether a layer of shapes is chosen.
  get shaping() { return Boolean(this.shapes.outline); }

  cancel() {
    if (this.shaping) return this.shapes.cancel();
    if (this.stroke) this.ink.strokes.delete(this.stroke);
    const did = this.stroke || this.drag || this.selection;
    if (!this.stroke && !this.drag) this.selection = undefined;
    this.stroke = this.drag = undefined;
    this.above();
    return Boolean(did);
  }

  // finish does what a tool does with a box.
  async finish(box) {
    if (this.tool === "rectangle") return this.put(box, box.slice(0, 2));
    const inside = this.clip(box);
    if (!inside) return this.context.say(this.outside);
    if (this.tool === "select") {
      this.selection = inside;
      this.context.say(`Selected ${size(inside)}`);
      this.changed();
    } else {
      this.chooseBlock(await this.cells(inside));
      this.use("brush");
    }
  }

  // clip returns the part of a box that is inside of the layer.
  clip([l, t, r, b]) {
    const box = [Math.max(0, l), Math.max(0, t), Math.min(this.canvas.width, r), Math.min(this.canvas.height, b)];
    return box[0] < box[2] && box[1] < box[3] ? box : undefined;
  }

  newStroke() {
    const { canvas } = this, stroke = { canvas, sheet: this.tiles ?? new Sheet(canvas), cells: new Sparse(canvas.width, canvas.height) };
    stroke.add = this.ink.begin(stroke);
    return stroke;
  }

  stamp([x, y]) {
    const { stroke, block } = this;
    if (this.tool === "erase") return stroke.add(x, y, empty);
    for (let j = 0; j < block.length; j++) for (let i = 0; i < block[0].length; i++) this.dab(stroke, stroke.from, x + i, y + j);
  }
  dab(stroke, from, x, y) {
    const cell = pattern(this.block, from, x, y);
    if (cell !== empty || !this.keepsUnderAir) stroke.add(x, y, cell);
  }

  // put draws the block, repeated, in a box.
  put(box, from) {
    const inside = this.clip(box);
    if (!inside) return this.context.say(this.outside);
    const stroke = this.newStroke(), [l, t, r, b] = inside;
    for (let y = t; y < b; y++) for (let x = l; x < r; x++) this.dab(stroke, from, x, y);
    this.commit(stroke);
  }

  // fill draws the block, repeated, over the connected cells that are like one: within the selection, or what is visible.
  async fill([x, y]) {
    const half = mostFilled / 2, s = this.selection, within = s && x >= s[0] && y >= s[1] && x < s[2] && y < s[3] ? s : this.ink.sight(this.canvas);
    const box = this.clip([Math.max(within[0], x - half), Math.max(within[1], y - half), Math.min(within[2], x + half), Math.min(within[3], y + half)]);
    if (!box || x < box[0] || y < box[1] || x >= box[2] || y >= box[3]) return;
    const cells = await this.cells(box), stroke = this.newStroke();
    let edge = false;
    flood(cells, x - box[0], y - box[1], (i, j) => {
      this.dab(stroke, [x, y], box[0] + i, box[1] + j);
      edge ||= (i === 0 && box[0] > 0) || (j === 0 && box[1] > 0) || (box[0] + i + 1 === box[2] && box[2] < this.canvas.width) || (box[1] + j + 1 === box[3] && box[3] < this.canvas.height);
    });
    if (edge && within !== s) this.context.say("Filled what is visible, at most 512 × 512 cells.");
    await this.commit(stroke);
  }

  // commit adds a stroke to the list of changes. what is what the user did, by default what the tool does.
  async commit(stroke, what = did[this.tool]) {
    const { cells, canvas } = stroke;
    const drop = () => (this.ink.strokes.delete(stroke), this.above());
    if (!cells.size) {
      this.context.say(this.outside);
      return drop();
    }
    let any = false;
    if (canvas.tiles) cells.each((x, y, cell) => (any ||= !canvas.tiles[stroke.sheet.parsed(cell).id]));
    const { x, y, rows } = cells.drawing();
    const title = `${what}: ${plural(cells.size, "tile")} in ${plain(canvas.layer)} at ${cells.box().join(" to ")}`;
    try {
      const revision = await this.list.add([this.command, ...canvas.options, ...(any && canvas.any ? [canvas.any] : []), String(x), String(y), ...rows], title);
      stroke.revision = revision;
      this.settle();
    } catch (err) {
      drop();
      this.context.say(err.message);
    }
  }

  // cells returns the cells in a box, after all changes.
  async cells([l, t, r, b]) {
    await this.list.idle();
    const { rows } = await ask(this.file, "cells", { layer: this.canvas.layer, x: l, y: t, w: r - l, h: b - t }, this.context.signal);
    return rows.map(blockRow);
  }

  async copy() {
    const { selection, canvas } = this;
    if (!selection) return this.context.say("Select something first.");
    this.copying = this.cells(selection);
    this.clipKind = canvas.kind;
    this.changed(); // what is copied can be pasted at once
    try {
      this.clipboard = await this.copying;
    } finally {
      this.copying = undefined;
    }
    navigator.clipboard?.writeText(this.clipboard.map(textOf).join("\n")).catch(() => {});
    this.context.say(`Copied ${size(selection)}`);
    this.changed();
  }

  async cut() {
    await this.copy();
    this.erase();
  }

  erase() {
    if (!this.selection) return this.context.say("Select something first.");
    const stroke = this.newStroke(), [l, t, r, b] = this.selection;
    for (let y = t; y < b; y++) for (let x = l; x < r; x++) stroke.add(x, y, empty);
    this.commit(stroke, did.erase);
  }

  async paste() {
    await this.copying;
    if (!this.clipboard) return this.context.say("Copy something first.");
    if (this.clipKind !== this.canvas.kind) return this.context.say(`These are tiles of a ${this.clipKind} layer.`);
    this.chooseBlock(this.clipboard);
    this.use("brush");
  }

  // turn mirrors and rotates the brush, or the selection in its place.
  async turn(mirrored, quarters) {
    const s = this.tool === "select" && this.selection;
    if (s && quarters % 2 && s[2] - s[0] !== s[3] - s[1]) return this.context.say("Only a square can be rotated in its place: copy it, paste it, and rotate the copy.");
    const block = s ? await this.cells(s) : this.block;
    const answer = await get(url(this.file, "edit/turn"), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ layer: this.canvas.layer, rows: block.map(textOf), mirrored, quarters }) });
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.error);
    const turned = data.rows.map(blockRow);
    if (!s) return this.chooseBlock(turned);
    const stroke = this.newStroke();
    turned.forEach((row, j) => row.forEach((cell, i) => stroke.add(s[0] + i, s[1] + j, cell)));
    await this.commit(stroke, mirrored ? "Mirror" : "Rotate");
  }

  // showNumbers fetches the numbers of the visible tiles, if they are shown.
  async showNumbers() {
    const { ink, canvas } = this;
    if (!ink) return;
    if (!this.overlay.numbers || !canvas || !this.context.visible || ink.place(canvas).w < 18 * devicePixelRatio) ink.numbers = undefined;
    else {
      const [x, y, r, b] = ink.sight(canvas);
      if (x >= r || y >= b) return;
      const { rows } = await ask(this.file, "cells", { layer: canvas.layer, x, y, w: r - x, h: b - y }, this.context.signal).catch(() => ({ rows: [] }));
      if (canvas !== this.canvas || ink !== this.ink) return;
      ink.numbers = { canvas, sheet: await this.sheet(canvas), x, y, block: rows.map(cellsOf) };
    }
    ink.redraw();
  }

  showFrames() {
    if (!this.ink) return;
    const { scene } = this.context.shown;
    this.ink.frames = this.overlay.frames && this.context.visible ? scene.views.find((v) => v.frames)?.frames : undefined;
    this.above();
  }

  // drawAbove draws the selection, and what the tool would do.
  drawAbove(g, ink) {
    const { canvas, at, tool, drag, selection, block } = this;
    if (!this.context.visible) return;
    if (this.shaping) return this.shapes.draw(g, ink);
    if (!canvas) return;
    const place = ink.place(canvas), box = (b) => Ink.box(place, ...b);
    const [left, top, width, height] = box([0, 0, canvas.width, canvas.height]);
    g.beginPath(); // what is outside of the layer is dimmed
    g.rect(0, 0, g.canvas.width, g.canvas.height);
    g.rect(left, top, width, height);
    g.fillStyle = tool === "move" ? "#0004" : "#0008";
    g.fill("evenodd");
    outline(g, [left, top, width, height], "#ffffff60");
    if (selection) outline(g, box(selection), "#ffd84a", [5, 4]);
    if (drag) return outline(g, box(sorted(drag.from, drag.to)), "#ffffff");
    if (!at || tool === "move") return;
    if (!this.has(at) && !this.stroke) {
      const [x, y, w] = box([at[0], at[1], at[0] + 1, at[1] + 1]), k = devicePixelRatio, half = 90 * k;
      label(g, this.outside, Math.min(g.canvas.width - half, Math.max(half, x + w / 2)), y > 30 * k ? y - 12 * k : y + w + 12 * k, 13 * k);
    }
    if (tool === "brush" && this.tiles && !this.stroke) {
      g.save();
      block.forEach((row, j) => row.forEach((cell, i) => cell !== kept && cell !== empty && this.tiles.draw(g, cell, ...box([at[0] + i, at[1] + j, at[0] + i + 1, at[1] + j + 1]), ink.background)));
      g.restore();
    }
    const [w, h] = tool === "brush" ? [block[0].length, block.length] : [1, 1];
    outline(g, box([at[0], at[1], at[0] + w, at[1] + h]), "#ffffff");
  }
}
