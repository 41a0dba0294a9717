// The tileset of a layer: 16 x 16 tiles, of which the user chooses one or a block.
import { el } from "./dom.js";
import { label } from "./sheet.js";

// tileset returns a node and a function that draws it.
export function tileset(drawing) {
  const help = el("p", { className: "muted", id: "tileset-help" }, "Drag over several tiles to draw them as a block.");
  const canvas = el("canvas", { className: "tileset", tabIndex: 0, role: "application", "aria-label": "Tileset", "aria-describedby": "tileset-now tileset-help" });
  const now = el("output", { id: "tileset-now" });
  let from = [0, 0], to = [0, 0], dragging = false;

  const name = (id) => (drawing.canvas.tiles ? drawing.canvas.tiles[id] || "no tile of this layer" : "");
  const choose = () => {
    const [l, r] = [from[0], to[0]].sort((a, b) => a - b), [t, b] = [from[1], to[1]].sort((a, b) => a - b), ids = [];
    for (let y = t; y <= b; y++) ids.push(Array.from({ length: r - l + 1 }, (_, i) => y * 16 + l + i));
    drawing.chooseTiles(ids);
    if (drawing.tool === "move" || drawing.tool === "erase" || drawing.tool === "select") drawing.use("brush");
  };
  const cell = (e) => {
    const { left, top, width } = canvas.getBoundingClientRect();
    return [e.clientX - left, e.clientY - top].map((v) => Math.min(15, Math.max(0, Math.floor((v / width) * 16))));
  };
  canvas.onpointerdown = (e) => {
    if (e.button) return;
    canvas.setPointerCapture(e.pointerId);
    dragging = true;
    to = cell(e);
    if (!e.shiftKey) from = to;
    choose();
  };
  canvas.onpointermove = (e) => {
    const at = cell(e), id = at[1] * 16 + at[0];
    canvas.title = [id, name(id)].filter((v) => v !== "").join(" ");
    if (!dragging || String(at) === String(to)) return;
    to = at;
    choose();
  };
  canvas.onpointerup = canvas.onpointercancel = () => (dragging = false);
  canvas.onkeydown = (e) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!by || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    to = to.map((v, i) => Math.min(15, Math.max(0, v + by[i])));
    if (!e.shiftKey) from = to;
    choose();
  };

  let drawn; // what is drawn
  function draw() {
    const { tiles, ids, block } = drawing, is = [drawing.canvas, tiles, tiles?.picture, canvas.clientWidth, String(ids), block.length, block[0].length];
    if (drawn?.every((v, i) => v === is[i])) return;
    drawn = is;
    const side = Math.max(16, Math.round((canvas.clientWidth * devicePixelRatio) / 16));
    Object.assign(canvas, { width: 16 * side, height: 16 * side });
    const g = canvas.getContext("2d");
    for (let id = 0; id < 256; id++) {
      const x = (id % 16) * side, y = Math.floor(id / 16) * side, there = !drawing.canvas.tiles || drawing.canvas.tiles[id];
      if (tiles?.picture) tiles.tile(g, id, x, y, side, side);
      else if (tiles && id > 0) {
        g.fillStyle = tiles.css;
        g.fillRect(x, y, side, side);
        label(g, String(id), x + side / 2, y + side / 2, side * 0.45, side);
      }
      if (there) continue;
      g.clearRect(x, y, side, side);
      g.fillStyle = "#8884";
      g.fillRect(x + side * 0.42, y + side * 0.42, side * 0.16, side * 0.16);
    }
    g.strokeStyle = "#8885";
    g.lineWidth = 1;
    for (let i = 1; i < 16; i++) g.strokeRect(i * side + 0.5, -1, 0, 16 * side + 2), g.strokeRect(-1, i * side + 0.5, 16 * side + 2, 0);
    const first = ids?.[0][0];
    if (first !== undefined) {
      if (!dragging) {
        from = [first % 16, Math.floor(first / 16)];
        if (ids.length === 1 && ids[0].length === 1) to = from;
      }
      const box = [(first % 16) * side, Math.floor(first / 16) * side, ids[0].length * side, ids.length * side];
      g.strokeStyle = "#101018";
      g.lineWidth = side / 5;
      g.strokeRect(...box);
      g.strokeStyle = "#ffd84a";
      g.lineWidth = side / 10;
      g.strokeRect(...box);
    }
    now.textContent = first === undefined ? `A block of ${block[0].length} × ${block.length} tiles of the map` : ids.flat().length > 1 ? `Tiles ${first} to ${ids.at(-1).at(-1)}` : [`Tile ${first}`, name(first)].filter(Boolean).join(": ");
  }
  return { node: el("div", { className: "tiles-of" }, now, canvas, help), draw };
}
