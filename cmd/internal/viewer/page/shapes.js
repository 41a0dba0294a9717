// Shapes of the edited file: they are chosen in the picture, moved and coloured.
import { ask } from "./api.js";
import { el } from "./dom.js";

const most = 5000; // shapes whose outlines are drawn

const inside = (corners, [x, y]) => {
  let is = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [ax, ay] = corners[i], [bx, by] = corners[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) is = !is;
  }
  return is;
};

// Shapes is the tool for a layer of shapes. changed() is called when the choice has changed.
export class Shapes {
  constructor(context, list, changed) {
    Object.assign(this, { context, list, changed, file: context.session.edit, chosen: new Set(), shapes: [], outlines: [] });
  }

  async load() {
    const { outlines, ...commands } = await ask(this.file, "outlines", {}, this.context.signal).catch((err) => {
      if (err.status === 404) return { outlines: [] };
      throw err;
    });
    Object.assign(this, { outlines, commands });
    if (this.outline) await this.choose(this.outline.layer);
  }

  // choose chooses a layer, or none.
  async choose(layer) {
    const outline = this.outlines.find((o) => o.layer === layer);
    if (outline?.layer !== this.outline?.layer) this.chosen.clear();
    this.outline = outline;
    const { shapes } = outline ? await ask(this.file, "shapes", { layer }, this.context.signal) : { shapes: [] };
    if (this.outline !== outline) return;
    this.shapes = shapes;
    for (const i of this.chosen) if (i >= shapes.length) this.chosen.delete(i);
    this.by = undefined;
    this.changed();
  }

  point(ink, { clientX, clientY }) {
    const { left, top } = ink.map.getContainer().getBoundingClientRect();
    return ink.shown.units(ink.map.containerPointToLatLng([clientX - left, clientY - top]));
  }

  begin(ink, e) {
    const at = this.point(ink, e), hit = this.shapes.findLastIndex((s) => inside(s.corners, at));
    if (hit < 0) {
      this.frame = { from: at, to: at };
      if (!e.shiftKey) this.chosen.clear();
    } else {
      if (e.shiftKey) this.chosen.has(hit) ? this.chosen.delete(hit) : this.chosen.add(hit);
      else if (!this.chosen.has(hit)) this.chosen = new Set([hit]);
      this.start = at;
    }
    this.changed();
  }

  move(ink, e) {
    const at = this.point(ink, e);
    if (this.frame) this.frame.to = at;
    if (this.start) this.by = at.map((v, i) => Math.round((v - this.start[i]) * this.outline.unit) / this.outline.unit);
    if (this.start || this.frame) ink.redraw();
  }

  end() {
    const { frame, by } = this;
    this.frame = this.start = undefined;
    if (frame) {
      const [l, r] = [frame.from[0], frame.to[0]].sort((a, b) => a - b), [t, b] = [frame.from[1], frame.to[1]].sort((a, b) => a - b);
      this.shapes.forEach((s, i) => s.corners.every(([x, y]) => x >= l && x <= r && y >= t && y <= b) && this.chosen.add(i));
      this.changed();
    } else if (by && (by[0] || by[1])) this.moveBy(...by.map((v) => Math.round(v * this.outline.unit)));
    else this.by = undefined;
  }

  cancel() {
    const did = this.start || this.frame || this.chosen.size > 0;
    if (!this.start && !this.frame) this.chosen.clear();
    this.start = this.frame = this.by = undefined;
    this.changed();
    return did;
  }

  // step adds a change of the chosen shapes.
  async step(command, value) {
    if (!this.chosen.size) return this.context.say("Choose something in the picture first.");
    const numbers = [...this.chosen].sort((a, b) => a - b).map(String);
    try {
      await this.list.act({ do: "add", words: [command, this.outline.word, value, ...numbers] });
      const wrong = this.list.now.list.at(-1)?.error;
      if (wrong) this.context.say(wrong);
    } catch (err) {
      this.by = undefined;
      this.context.say(err.message);
    }
  }

  // moveBy moves the chosen shapes by lengths of the command.
  moveBy(x, y) { return this.step(this.commands.move, `${x},${y}`); }
  tint(color) { return this.step(this.commands.tint, color); }

  draw(g, ink) {
    const { map, shown } = ink, k = devicePixelRatio;
    const path = (corners, [dx, dy]) => {
      g.beginPath();
      corners.forEach(([x, y], i) => {
        const p = map.latLngToContainerPoint(shown.at(x + dx, y + dy));
        g[i ? "lineTo" : "moveTo"](p.x * k, p.y * k);
      });
      g.closePath();
    };
    const line = (width, color) => {
      g.lineWidth = width * k;
      g.strokeStyle = color;
      g.stroke();
    };
    this.shapes.slice(0, most).forEach(({ corners }, i) => {
      const chosen = this.chosen.has(i);
      path(corners, chosen && this.by ? this.by : [0, 0]);
      line(chosen ? 4 : 2.5, "#101018a0");
      line(chosen ? 2 : 1, chosen ? "#ffd84a" : "#ffffffb0");
    });
    if (this.frame) {
      const { from: [x, y], to: [u, v] } = this.frame;
      path([[x, y], [u, y], [u, v], [x, v]], [0, 0]);
      line(1.5, "#ffffff");
    }
  }

  // fields returns the controls of the tool.
  fields() {
    const colour = el("input", { type: "color", id: "shape-color", value: "#ffffff" }), alpha = el("input", { type: "number", min: 0, max: 255, value: 255, "aria-label": "Opacity, 0 to 255" });
    return el("div", { className: "shapes-of" }, el("p", { id: "shapes-now", role: "status" }), el("p", { className: "muted" }, "Click, or drag a frame, to choose; with Shift, to add. Drag or press the arrows to move: by 1, with Shift by 32."),
      el("div", { className: "row" }, el("label", { htmlFor: "shape-color" }, "Colour"), colour, alpha, el("button", { type: "button", onclick: () => this.tint(colour.value + Number(alpha.value).toString(16).padStart(2, "0")) }, "Colour")));
  }
}
