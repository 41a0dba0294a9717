// The tiles of a layer as the page draws them: from the tileset, or in plain colour.
import { get, url } from "./api.js";
import { parse } from "./cells.js";

// channels returns a colour #rrggbbaa as four numbers from 0 to 255.
const channels = (color) => [1, 3, 5, 7].map((i) => parseInt(color.slice(i, i + 2), 16));

export class Sheet {
  constructor(canvas) {
    const [r, g, b, a] = channels(canvas.color);
    Object.assign(this, { canvas, css: `rgb(${r} ${g} ${b})`, alpha: a / 255, picture: undefined, means: undefined });
    this.known = new Map();
  }

  // load fetches the tileset.
  async load(file, options, signal) {
    const answer = await get(url(file, "palette", { layer: this.canvas.layer, ...options }), { signal });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? answer.statusText);
    if (answer.status === 204) return this;
    const bitmap = await createImageBitmap(await answer.blob()), { width, height } = bitmap;
    const picture = Object.assign(document.createElement("canvas"), { width, height }), g = picture.getContext("2d");
    g.drawImage(bitmap, 0, 0);
    if (this.css !== "rgb(255 255 255)") { // the colour of the layer, with the alpha of the picture
      g.globalCompositeOperation = "multiply";
      g.fillStyle = this.css;
      g.fillRect(0, 0, width, height);
      g.globalCompositeOperation = "destination-in";
      g.drawImage(bitmap, 0, 0);
    }
    const small = Object.assign(document.createElement("canvas"), { width: 16, height: 16 }), s = small.getContext("2d", { willReadFrequently: true });
    s.imageSmoothingQuality = "high";
    s.drawImage(picture, 0, 0, 16, 16);
    const { data } = s.getImageData(0, 0, 16, 16);
    this.means = Array.from({ length: 256 }, (_, i) => `rgb(${data[4 * i]} ${data[4 * i + 1]} ${data[4 * i + 2]} / ${data[4 * i + 3] / 255})`);
    this.picture = picture;
    this.side = [width / 16, height / 16];
    return this;
  }

  parsed(cell) {
    if (this.known.size > 1e5) this.known.clear();
    return this.known.get(cell) ?? this.known.set(cell, parse(cell)).get(cell);
  }

  // tile draws a tile of the tileset.
  tile(g, id, x, y, w, h) {
    if (!this.picture) {
      g.fillStyle = this.css;
      g.fillRect(x, y, w, h);
      return;
    }
    const [sw, sh] = this.side;
    g.drawImage(this.picture, (id % 16) * sw, Math.floor(id / 16) * sh, sw, sh, x, y, w, h);
  }

  // draw draws a cell, with its numbers if there is room. What the cell covers stays visible behind it, dimmed by the
  // background if the cell is empty.
  draw(g, cell, x, y, w, h, background) {
    const { id, flags, numbers } = this.parsed(cell);
    if (id === 0) {
      g.globalAlpha = 0.75;
      g.fillStyle = background;
      g.fillRect(x, y, w, h);
      g.globalAlpha = 1;
      return;
    }
    g.globalAlpha = this.alpha;
    if (w < 4 && this.means) {
      g.fillStyle = this.means[id];
      g.fillRect(x, y, w, h);
    } else {
      g.imageSmoothingEnabled = !this.picture || w < this.side[0];
      const turned = this.canvas.numbers.findIndex((n) => n.angle), angle = turned < 0 ? 0 : (numbers[turned] ?? 0);
      if (/[xyr]/.test(flags) || angle) {
        g.save();
        g.translate(x + w / 2, y + h / 2);
        g.rotate(((flags.includes("r") ? 90 : 0) + angle) * (Math.PI / 180));
        g.scale(flags.includes("x") ? -1 : 1, flags.includes("y") ? -1 : 1);
        this.tile(g, id, -w / 2, -h / 2, w, h);
        g.restore();
      } else this.tile(g, id, x, y, w, h);
    }
    g.globalAlpha = 1;
    const shown = w >= 20 ? numbers.filter((_, i) => !this.canvas.numbers[i]?.angle) : [];
    if (shown.length) label(g, shown.join("/"), x + w / 2, y + h * 0.72, Math.min(h * 0.42, 16), w);
  }
}

// label draws a text with a rim.
export function label(g, text, x, y, size, width) {
  g.font = `600 ${size}px system-ui, sans-serif`;
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.lineWidth = size / 5;
  g.lineJoin = "round";
  g.strokeStyle = "#101018";
  g.fillStyle = "#fff";
  g.strokeText(text, x, y, width);
  g.fillText(text, x, y, width);
}
