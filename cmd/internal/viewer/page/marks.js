// Marks over a picture: the places of findings, hits and changes, and the inspected place.
import { el } from "./dom.js";

// The look of marks by kind: a color of the page, and a symbol within 8 around 0,0, so that marks differ not
// only by color.
const kinds = {
  error: ["--error", "M-3.2-3.2 3.2 3.2M3.2-3.2-3.2 3.2"],
  warning: ["--warning", "M0-4 4 3.4-4 3.4Z"],
  info: ["--info", "M4 0A4 4 0 1 1-4 0 4 4 0 1 1 4 0Z"],
  hit: ["--mark", "M0-4.4 4.4 0 0 4.4-4.4 0Z"],
  added: ["--added", "M-4 0H4M0-4V4"],
  removed: ["--removed", "M-4 0H4"],
  changed: ["--mark", "M-4-1.6H4M-4 1.6H4"],
  at: ["--mark", ""],
};
const font = "600 12px system-ui, sans-serif", most = 40; // letters of a label

const rest = 1000, fading = 400; // milliseconds that marks are visible, and that they fade

// Marks draws any number of marks on one canvas. set(id, list, chosen, fades) sets those of one source: {where: [left,
// top, right, bottom] in units, label, kind, border: lines of x1,y1,x2,y2 in units, instead of the rectangle}; chosen is the index
// of the highlighted mark; the others of a source that fades are visible for a second.
export const Marks = L.Renderer.extend({
  initialize(scale, pane = "overlayPane") {
    L.Renderer.prototype.initialize.call(this, { padding: 0.3, pane });
    this._scale = scale;
    this._sets = new Map();
  },

  set(id, list, chosen, fades) {
    if (list?.length) this._sets.set(id, { list, chosen, until: fades ? performance.now() + rest : Infinity });
    else this._sets.delete(id);
    if (fades) setTimeout(() => this._later(), rest);
    this._later();
  },

  _later() {
    cancelAnimationFrame(this._frame);
    this._frame = requestAnimationFrame(() => this._map && this._draw());
  },

  // find returns the topmost mark at a point of the container: {id, index, mark}.
  find({ x, y }) {
    const p = this._map.containerPointToLayerPoint([x, y]);
    let found;
    this._each((mark, box, id, index) => {
      const [l, t, r, b] = grown(box, 12);
      if (id !== "at" && p.x >= l && p.x <= r && p.y >= t && p.y <= b) found = { id, index, mark };
    });
    return found;
  },

  _each(call) {
    const k = this._scale * 2 ** this._map.getZoom(), { x, y } = this._map.getPixelOrigin();
    for (const [id, { list, chosen, until }] of this._sets) {
      const left = 1 - (performance.now() - until) / fading;
      const one = (mark, i) => mark?.where && (left > 0 || i === chosen) && call(mark, [mark.where[0] * k - x, mark.where[1] * k - y, mark.where[2] * k - x, mark.where[3] * k - y], id, i, i === chosen, i === chosen ? 1 : Math.min(1, left));
      for (let i = list.length - 1; i >= 0; i--) if (i !== chosen) one(list[i], i); // the first mark is the most severe: on top
      if (chosen >= 0) one(list[chosen], chosen);
    }
  },

  _initContainer() {
    this._container = el("canvas", { className: "marks" });
    this._container.setAttribute("aria-hidden", "true");
  },
  _destroyContainer() {
    cancelAnimationFrame(this._frame);
    this._container.remove();
    this._container = undefined;
  },
  _update() {
    if (this._map._animatingZoom && this._bounds) return;
    L.Renderer.prototype._update.call(this);
    const size = this._bounds.getSize(), ratio = devicePixelRatio;
    L.DomUtil.setPosition(this._container, this._bounds.min);
    Object.assign(this._container, { width: size.x * ratio, height: size.y * ratio });
    Object.assign(this._container.style, { width: size.x + "px", height: size.y + "px" });
    this._draw();
  },

  _draw() {
    const { min, max } = this._bounds, g = this._container.getContext("2d"), ratio = devicePixelRatio;
    g.setTransform(ratio, 0, 0, ratio, -min.x * ratio, -min.y * ratio);
    g.clearRect(min.x, min.y, max.x - min.x, max.y - min.y);
    g.lineCap = g.lineJoin = "round";
    const k = this._scale * 2 ** this._map.getZoom(), zero = this._map.getPixelOrigin();
    const color = colors(this._container), drawn = new Set(), texts = [];
    g.font = font;
    g.textBaseline = "middle";
    let fades = false;
    this._each((mark, box, id, index, chosen, alpha) => {
      g.globalAlpha = alpha;
      fades ||= alpha < 1;
      if (mark.outline) {
        const path = new Path2D(mark.outline.map(([x, y], i) => `${i ? "L" : "M"}${x * k - zero.x} ${y * k - zero.y}`).join("") + "Z");
        for (const [style, width] of [[color("--mark-rim"), 4], [mark.color, 2]]) {
          Object.assign(g, { strokeStyle: style, lineWidth: width });
          g.stroke(path);
        }
      }
      const [l, t, r, b] = grown(box, chosen ? 10 : 0);
      if (r < min.x || l > max.x || b < min.y || t > max.y) return;
      const [name, sign] = kinds[mark.kind] ?? kinds.hit, ink = color(name), small = r - l < 24 || b - t < 24;
      const spot = small ? [(l + r) / 2, (t + b) / 2] : [l, t];
      const key = `${mark.kind} ${Math.round(spot[0] / 6)} ${Math.round(spot[1] / 6)}`;
      if (!chosen && small && drawn.has(key)) return; // it would be hidden
      drawn.add(key);
      if (mark.kind === "label") return this._label(g, spot, mark, texts, color("--mark-rim"));
      const stroke = (path, width) => {
        for (const [style, more] of [[color("--mark-rim"), 2.5], [ink, 0]]) {
          Object.assign(g, { strokeStyle: style, lineWidth: width + more });
          g.stroke(path);
        }
      };
      if (r - l >= 6 || b - t >= 6 || chosen) {
        const frame = new Path2D();
        if (mark.border) for (const [x, y, u, v] of mark.border) frame.moveTo(x * k - zero.x, y * k - zero.y), frame.lineTo(u * k - zero.x, v * k - zero.y);
        else frame.rect(l, t, Math.max(r - l, 1), Math.max(b - t, 1));
        if (chosen && !mark.border) {
          g.globalAlpha = 0.25;
          g.fillStyle = ink;
          g.fill(frame);
          g.globalAlpha = 1;
        }
        stroke(frame, chosen ? 2.5 : 1.5);
      }
      if (chosen && id !== "at") { // a cross-hair around the mark, to find it quickly
        const c = new Path2D(), [x, y, d] = [(l + r) / 2, (t + b) / 2, 12];
        for (const [dx, dy, from] of [[-1, 0, x - l], [1, 0, r - x], [0, -1, y - t], [0, 1, b - y]]) {
          c.moveTo(x + dx * (from + 4), y + dy * (from + 4));
          c.lineTo(x + dx * (from + d), y + dy * (from + d));
        }
        stroke(c, 2.5);
      }
      if (sign && (small || !mark.border)) {
        const path = new Path2D();
        path.addPath(new Path2D(sign), new DOMMatrix([1, 0, 0, 1, ...spot]));
        stroke(path, 2);
      }
    });
    g.globalAlpha = 1;
    if (fades) this._later();
  },

  // _label draws a dot and next to it the label, unless that would cover another label.
  _label(g, [x, y], { label, color, count }, texts, rim) {
    if (count > 1) { // a cluster: a disc with its number
      g.beginPath();
      g.arc(x, y, Math.max(11, 5 + g.measureText(label).width / 2), 0, 7);
      Object.assign(g, { fillStyle: rim, strokeStyle: color, lineWidth: 2.5, textAlign: "center" });
      g.fill();
      g.stroke();
      g.fillStyle = "#fff";
      g.fillText(label, x, y);
      g.textAlign = "start";
      return;
    }
    g.fillStyle = rim;
    g.fillRect(x - 5, y - 5, 10, 10);
    g.fillStyle = color;
    g.fillRect(x - 3.5, y - 3.5, 7, 7);
    const text = label.length > most ? label.slice(0, most - 1) + "…" : label;
    if (!text) return;
    const box = [x + 8, y - 9, x + 16 + g.measureText(text).width, y + 9];
    if (texts.some((t) => t[0] < box[2] && t[2] > box[0] && t[1] < box[3] && t[3] > box[1])) return;
    texts.push(box);
    g.fillStyle = rim;
    g.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
    g.fillStyle = "#fff";
    g.fillText(text, x + 12, y);
  },
});

// grown returns a box enlarged to a minimum size.
function grown([l, t, r, b], least) {
  const x = Math.max(0, least - (r - l)) / 2, y = Math.max(0, least - (b - t)) / 2;
  return [l - x, t - y, r + x, b + y];
}

// colors returns the current value of a color of the page.
function colors(node) {
  const known = {};
  return (name) => {
    if (!known[name]) {
      node.style.color = `var(${name})`;
      known[name] = getComputedStyle(node).color;
    }
    return known[name];
  };
}
