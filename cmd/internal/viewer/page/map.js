// The picture in the middle: tiles of a scene in Leaflet, or the picture of a camera.
//
// Keys of the state read here: path, view, stand, x, y, z, layers (a line for each difference from the default, with +
// or - before the name), solo (the only visible layer), time, o.NAME, at (the inspected point), grid.
import { url, ask } from "./api.js";
import { state, set, watch, optionsNow } from "./state.js";
import { el } from "./dom.js";
import { bind } from "./keys.js";
import { icon } from "./icons.js";
import { say, brief, pointOf } from "./place.js";
import { Tiles } from "./tiles.js";
import { Marks } from "./marks.js";
import { player } from "./time.js";
import { working } from "./work.js";
import { paper, watchPaper } from "./paper.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const near = 16; // minimum width of a cell in pixels when the view moves to it

export const panel = {
  async open(node, context) {
    let shown;
    const draw = async () => {
      const next = await show(node, context.doc.id, context.doc.generation, context.inspect), moves = shown || ["stand", "turn", "view"].some((k) => state()[k]);
      shown?.close();
      shown = next;
      if (unlike()) return draw(); // the user did not wait for the model
      context.show(shown);
      (shown.offer = () => tools(context, shown))();
      // Its keys work at once, unless the user is at something else.
      if (moves && context.visible && document.activeElement.matches("body, button, .map, #middle")) node.querySelector(".map").focus({ preventScroll: true });
      if (shown.map) context.signal.aborted || import("./guide.js").then((m) => m.guide(shown, node));
    };
    const unlike = () => turned(shown.view) !== Boolean(shown.turning ?? shown.unturned);
    const when = () => context.visible && Boolean(shown);
    const key = (keys, help, run, more = when) => context.signal.addEventListener("abort", bind(keys, help, run, { group: "Picture", when: more }));
    key("e", "keep what is seen as PNG", () => save(context, shown));
    key("c", "as in game from here, and back", () => void shown.toCamera(), () => when() && Boolean(shown.toCamera));
    key("o", "turn the model, and back", () => shown.toTurn(), () => when() && Boolean(shown.toTurn));
    key("0", "the whole picture", () => shown.home(), () => when() && Boolean(shown.home));
    key("v", "next view", () => { const views = shown.scene.views; shown.choose(views[(views.indexOf(shown.view) + 1) % views.length].name); }, () => when() && shown.scene.views.length > 1);
    key("#", "grid of the cells", () => set({ grid: state().grid ? undefined : 1 }), () => when() && Boolean(shown.map));
    key("t", "play, pause", () => shown.player.toggle(), () => when() && Boolean(shown.player));
    key(", .", "a moment back, a moment on", (e) => shown.player.step(e.key === "," ? -1 : 1), () => when() && Boolean(shown.player));
    await draw();
    return {
      async update(changed) {
        const options = [...changed].some((k) => k.startsWith("o."));
        if ((changed.has("view") && state().view !== shown.view.name) || !state().stand === Boolean(shown.standing) || unlike()) await draw().catch((err) => {
          if (!shown.stay) throw err;
          shown.stay(err.message);
        });
        else if (changed.has("doc") || options) {
          const renewed = await context.busy("the picture", shown.renew(context.doc.generation, context.doc.id)).catch((err) => {
            context.say(err.message);
            shown.tell(err.message); // the previous picture stays
            return true;
          });
          if (!renewed) await draw();
          else context.show(shown);
        }
      },
      close() {
        shown?.close();
        place("");
        scaleText("");
      },
      focus: () => node.querySelector(".map").focus(),
    };
  },
};

function tools(context, shown) {
  const button = (name, title, onclick, pressed) => el("button", { type: "button", className: "quiet", title, "aria-label": title, "aria-pressed": pressed === undefined ? undefined : String(pressed), onclick }, icon(name));
  context.tools?.replaceChildren(...[
    shown.toCamera && button("camera", shown.view.camera ? "Back to the map (c)" : "As in game from here (c)", () => shown.toCamera(), shown.view.camera),
    shown.toTurn && button("turn", "Turn the model, and back (o)", () => shown.toTurn(), Boolean(shown.turning)),
    button("download", "Keep what is seen as PNG (e)", () => save(context, shown)),
    (shown.film || shown.view.film) && button("film", shown.film?.title ?? "Keep a short film", () => import("./save.js").then((m) => m.film(context, shown))),
  ].filter(Boolean));
}

const save = (...of) => import("./save.js").then((m) => m.save(...of));

// turned reports whether the model of a view is turned (turn.js).
const turned = (view) => Boolean(view.turning && state().turn?.split(",").length === 5);

// sceneNow returns the parameters of the scene: with a camera in it, its first view is that of the camera.
const sceneNow = () => ({ path: state().path, ...optionsNow(), "o.at": state().stand });

// Scene is the base of all ways to show a scene.
export class Scene {
  constructor(file, generation, scene, view) {
    Object.assign(this, { file, generation, scene, view, path: state().path, options: optionsNow(), sets: new Map(), onDrawn: new Set() });
    if (view.moves) this.moment = timeNow();
  }

  // shownLayers returns the numbers of the visible layers.
  shownLayers() {
    const { solo, layers } = state(), { layers: all } = this.view;
    if (all.some((l) => l.name === solo)) return all.flatMap((l, i) => (l.name === solo ? [i] : []));
    const other = new Set(layers?.split("\n"));
    return all.flatMap((l, i) => ((l.shown ? !other.has("-" + l.name) : other.has("+" + l.name)) ? [i] : []));
  }

  drew() {
    for (const f of this.onDrawn) f();
  }

  // paper is the background of a picture that has none of its own.
  paper() { return this.view.paper ? { paper: paper() } : {}; }

  // query returns the parameters of a picture of the view: of the whole view, or without the labels, which the
  // page draws itself.
  query(labels = true) {
    const { view, path, options } = this, shown = this.shownLayers().filter((i) => labels || !view.layers[i].labels);
    const usual = view.layers.every((l, i) => l.shown === shown.includes(i));
    return { path, view: view.name, l: usual ? undefined : shown.join(",") || ",", time: this.moment || undefined, ...options };
  }

  // toMoment shows another time. The promise resolves when the picture is complete.
  toMoment(ms) {
    this.moment = ms;
    this.onMoment?.(ms);
    return this.refresh();
  }

  // renew shows the scene of another edition, or of another state of the file, or with other options, at the same place. It
  // returns false if the scene must be reopened.
  async renew(generation, file = this.file) {
    const options = optionsNow(), turn = (this.turn = {});
    const scene = await ask(file, "scene", { ...sceneNow(), path: this.path });
    if (turn !== this.turn) return true; // a later call has replaced this one
    const old = this.scene.views.map((v) => v.name);
    const added = scene.views.find((v) => !old.includes(v.name)); // if an option adds a view, show that view
    const view = (added ?? scene.views.find((v) => v.name === this.view.name)) || scene.views[0];
    const same = view.name === this.view.name && view.scale === this.view.scale && view.moves === this.view.moves && String(view.axes) === String(this.view.axes);
    if (!same) {
      set({ view: view === scene.views[0] ? undefined : view.name });
      return false;
    }
    const since = file === this.file && JSON.stringify(options) === JSON.stringify(this.options) ? this.generation : undefined;
    Object.assign(this, { file, generation, scene, view, options });
    await this.renewed(since);
    return true;
  }

  // choose changes to another view, at the same place if possible.
  choose(name) {
    if (name === this.view.name) return;
    const next = this.scene.views.find((v) => v.name === name);
    const same = String(next.axes) === String(this.view.axes) && next.scale === this.view.scale;
    set({ view: next === this.scene.views.find((v) => !state().stand || !v.camera) ? undefined : name, stand: undefined, ...(same ? {} : { x: undefined, y: undefined, z: undefined, at: undefined }) }, { push: true });
  }

  // goTo shows the given coordinates, or returns an error message.
  goTo(text) {
    const p = pointOf(this.view, text);
    if (typeof p === "string") return p;
    const [l, t, r, b] = this.view.bounds;
    if (!(p[0] >= l && p[0] <= r && p[1] >= t && p[1] <= b)) return `There is nothing: the picture is from ${brief(this.view, [l, t])} to ${brief(this.view, [r - 1e-9, b - 1e-9])}.`;
    set({ at: p.join(",") }, { push: true });
    this.flyTo([Math.floor(p[0]), Math.floor(p[1]), Math.floor(p[0]) + 1, Math.floor(p[1]) + 1]);
  }

  // mark sets the marks of one source over the picture (see marks.js), or removes them if the list is omitted.
  // choose(i) is called when a mark is clicked.
  mark(id, list, chosen, choose, fades) {
    this.sets.set(id, { list, chosen, choose, fades });
    this.marks?.set(id, list, chosen, fades);
  }

  markInspected() {
    const at = state().at?.split(",").map(Number).map(Math.floor);
    this.mark("at", at?.every(Number.isFinite) ? [{ where: [at[0], at[1], at[0] + 1, at[1] + 1], kind: "at" }] : undefined, 0);
  }
}

// show puts a scene into a node, calls inspect("x,y") when the user points at it, and returns a Scene with the additions
// below. It shows the picture, and not the model, if unturned is why the model cannot be turned.
//   map                 of Leaflet; undefined for a camera
//   units(latlng), at(x, y)   convert between Leaflet and the units of the view
//   flyTo(rect)         in units
//   refresh()           fetches the visible part again
//   still()             the address of the visible picture as a file
//   parts(options)      new layers of tiles of the view, for another map
//   onPoint(point)      called with the point under the pointer, or nothing; set by others
//   player, toCamera(), home()   where they apply
//   close()
export async function show(node, file, generation, inspect = (at) => set({ at }), unturned = "") {
  const scene = await ask(file, "scene", sceneNow()), { stand } = state();
  const view = (!stand && scene.views.find((v) => v.name === state().view)) || scene.views[0];
  const shown = new Scene(file, generation, scene, view);
  shown.inspect = (point) => inspect(point.map((v) => Number(v.toFixed(3))).join(","));
  const box = el("div", { className: "map", tabIndex: 0, role: "application", "aria-label": `${view.title}. Arrow keys move it, Enter describes what is in the middle.` });
  const turns = !unturned && turned(view);
  const put = view.camera ? (await import(stand ? "./stand.js" : "./camera.js")).look : turns ? (await import("./turn.js")).look : spread;
  const was = [...node.childNodes];
  node.replaceChildren(box);
  try {
    await put(shown, box);
  } catch (err) {
    node.replaceChildren(...was);
    if (turns) return show(node, file, generation, inspect, err.message || err.name);
    throw err;
  }
  if ((shown.unturned = unturned)) shown.tell(`The model cannot be turned: ${unturned}.`);
  const camera = scene.views.find((v) => v.camera), flat = scene.views.find((v) => !v.camera);
  if (camera && flat && !stand) shown.toCamera = () => set({ view: (view.camera ? flat : camera) === scene.views[0] ? undefined : (view.camera ? flat : camera).name }, { push: true });
  else if (scene.sights) shown.toCamera = (point) => import("./stand.js").then((m) => m.stand(shown, point));
  if (view.turning) shown.toTurn = async () => set({ turn: state().turn ? undefined : (await import("./turn.js")).begin(view, scene) }, { push: true });
  if (view.moves) node.append((shown.player = player(shown)).node);
  const stop = watch((changed) => {
    if (changed.has("at")) shown.markInspected();
    if (changed.has("time") && shown.player && !shown.player.playing) shown.toMoment(timeNow());
    else if (changed.has("layers") || changed.has("solo")) shown.refresh();
  });
  const { close } = shown;
  shown.close = () => (stop(), shown.player?.close(), close());
  shown.markInspected();
  return shown;
}

// exact returns the zoom closest to another one in which a tile is a whole number of pixels wide, so that there
// are no gaps. If the picture is magnified (from natural on), each pixel of the picture is a whole number of
// screen pixels.
function exact(zoom, natural, round = Math.round) {
  const large = Math.min(Math.ceil(zoom), natural), parts = 2 ** (zoom - natural) > 6 ? 1 : 256;
  return large + Math.log2(round(parts * 2 ** (zoom - large)) / parts);
}

// put shows a place at a zoom, which may be between two steps.
export function put(map, center, zoom, how = { animate: false }) {
  map.options.zoomSnap = 0;
  map.setView(center, zoom, how);
  map.options.zoomSnap = 1;
}

const timeNow = () => Math.min(Math.max(Math.round(state().time) || 0, 0), 1e9);
// placed reports whether the values from the address are a place: three numbers.
const placed = (list) => list.every((n) => n && Number.isFinite(Number(n)));
const place = (text) => (document.getElementById("place").textContent = text);
const scaleText = (text) => (document.getElementById("scale").textContent = text);

// spread shows a view as a map.
function spread(shown, box) {
  const { view, scene } = shown, { scale } = view;
  const middle = () => units(map.getCenter());
  const where = () => ({ x: middle()[0].toFixed(2), y: middle()[1].toFixed(2), z: String(Number(map.getZoom().toFixed(4))) });
  // A place is (-y, x) in pixels of zoom 0.
  const at = (x, y) => L.latLng(-y * scale, x * scale);
  const units = (p) => [p.lng / scale, -p.lat / scale];
  const boundsOf = ([l, t, r, b]) => L.latLngBounds(at(l, b), at(r, t));
  let all = boundsOf(view.bounds);
  const smallest = ([l, t, r, b]) => Math.min(0, Math.floor(-Math.log2((Math.max(r - l, b - t, 1) * scale) / 256))) - 1;
  const natural = view.detail ? Math.log2(view.detail / scale) : scale >= 16 ? 1 : 0; // zoom from which on the pixels are magnified
  const largest = scale >= 16 ? 3 : 6;
  const map = L.map(box, {
    crs: L.CRS.Simple, minZoom: smallest(view.bounds), maxZoom: largest, zoomSnap: 1, attributionControl: false, trackResize: false,
    maxBounds: all.pad(1), zoomAnimation: !still.matches, fadeAnimation: false, inertia: !still.matches,
  });
  const limit = map._limitZoom; // where Leaflet pans back into the bounds, the zoom stays as it is, also between two steps
  map._limitZoom = (zoom) => (zoom === map._zoom ? zoom : limit.call(map, zoom));
  // The background of the picture, within its bounds.
  map.createPane("ground").style.zIndex = 150;
  map.createPane("marks").style.zIndex = 450;
  const ground = L.rectangle(all, { pane: "ground", renderer: L.svg({ pane: "ground" }), interactive: false, weight: 1, fill: true, fillOpacity: 1, className: view.paper ? "ground paper" : view.background ? "ground" : "ground bare" });
  if (view.background && !view.paper) ground.setStyle({ fillColor: view.background });

  const grid = { tileSize: 256, bounds: all, noWrap: true, minZoom: -24, maxZoom: largest, maxNativeZoom: natural, keepBuffer: 1, updateWhenIdle: false };
  const side = devicePixelRatio > 1 ? 512 : undefined;
  const address = (kind) => (t) => url(shown.file, `${kind}/${shown.generation}/${t.z}/${t.x}/${t.y}`, { ...shown.query(false), ...shown.paper(), side });
  const parts = (options) => [scene.covers && new Tiles(address("cover"), { ...grid, ...options, className: "cover" }), new Tiles(address("tile"), { ...grid, ...options })];
  const [cover, tiles] = parts();
  const marks = new Marks(scale, "marks");
  const cells = el("div", { className: "cells" });
  const cross = el("div", { className: "cross" });
  const note = el("div", { className: "note", role: "status", hidden: true });
  box.append(cells, cross, note);

  const tell = (text, ...more) => {
    note.hidden = !text;
    note.replaceChildren(text, ...more);
  };
  let failures = 0;
  tiles.on("failed", ({ message }) => tell(`${++failures === 1 ? "A part" : `${failures} parts`} of the picture could not be drawn: ${message} `, el("button", { type: "button", onclick: () => (clear(), tiles.retry()) }, "Try again")));
  const clear = () => {
    failures = 0;
    const [l, t, r, b] = shown.view.bounds;
    tell(r > l && b > t ? "" : "There is nothing to be seen in this view.");
  };
  clear();
  tiles.on("load", () => shown.drew());
  // While tiles are being fetched, the page shows their number after a moment, or immediately if nothing is
  // visible yet.
  let most = 0, late;
  const report = () => {
    const left = tiles.pending.size;
    clearTimeout(late);
    if (!left) return (most = 0), working(tiles);
    most = Math.max(most, left);
    late = setTimeout(() => working(tiles, "Drawing the picture", most - left, most), drawn ? 300 : 0);
  };
  let drawn = false;
  tiles.on("work", report);
  tiles.on("tileload", () => (drawn = true));

  // inSight returns the visible rectangle of the picture, in the form used in requests.
  const inSight = () => {
    const zoom = map.getZoom(), size = map.getSize(), z = Math.min(Math.ceil(zoom) + (side ? 1 : 0), 8, Math.floor(zoom + Math.log2(8000 / Math.max(size.x, size.y)))), k = 2 ** z, more = 2 ** (z - zoom);
    const a = map.project(map.getCenter(), zoom).subtract(size.divideBy(2)).round().multiplyBy(more), b = a.add(size.multiplyBy(more));
    const [l, t, r, o] = shown.view.bounds.map((v) => v * scale * k);
    const min = [Math.floor(Math.max(a.x, l)), Math.floor(Math.max(a.y, t))], max = [Math.ceil(Math.min(b.x, r)), Math.ceil(Math.min(b.y, o))];
    return { x: min[0] / scale / k, y: min[1] / scale / k, z, w: max[0] - min[0], h: max[1] - min[1] };
  };
  // label draws the visible labels.
  let reading, soon, crowded = false;
  const label = async () => {
    reading?.abort();
    if (!shown.shownLayers().some((i) => shown.view.layers[i].labels)) return shown.mark("labels");
    const { signal } = (reading = new AbortController());
    try {
      const { labels, more } = await ask(shown.file, "labels", { ...shown.query(), ...inSight(), time: undefined }, signal);
      const closer = (i) => labels[i].count > 1 && put(map, at(...labels[i].at), Math.min(largest, map.getZoom() + 2));
      shown.mark("labels", labels.map(({ at: [x, y], text, ...more }) => ({ ...more, where: [x, y, x, y], kind: "label", label: text })), undefined, closer);
      if (more) tell(`Only ${labels.length.toLocaleString("en")} labels are shown: come closer to see all of them.`);
      else if (crowded) clear();
      crowded = more;
      shown.drew(); // data may be missing
    } catch (err) {
      if (!signal.aborted) tell(`The labels cannot be read: ${err.message}`);
    }
  };
  const labelSoon = () => {
    clearTimeout(soon);
    soon = setTimeout(label, 100);
  };

  // drawCells draws the borders of the cells, unless they are too close.
  const drawCells = () => {
    const cell = scale * 2 ** map.getZoom();
    cells.hidden = !state().grid || cell < 8;
    scaleText(`${Number((2 ** map.getZoom() * 100).toPrecision(3))} %`);
    if (cells.hidden) return;
    const zero = map.latLngToContainerPoint(at(0, 0)), a = map.latLngToContainerPoint(all.getNorthWest()), b = map.latLngToContainerPoint(all.getSouthEast()), { x, y } = map.getSize();
    Object.assign(cells.style, { backgroundSize: `${cell}px ${cell}px`, backgroundPosition: `${zero.x}px ${zero.y}px`, clipPath: `inset(${a.y}px ${x - b.x - 1}px ${y - b.y - 1}px ${a.x}px)` });
  };
  map.on("zoomstart", () => (cells.hidden = true));
  map.on("move zoomend resize", drawCells);

  // home fits the whole scene into the stage, above the player. The address contains a place only after the user
  // has chosen one.
  let begun, homing = false; // begun: the stage that it fits, and how
  const home = (how) => {
    map.options.zoomSnap = 0;
    const { center, zoom } = map._getBoundsCenterZoom(shown.extent ?? all, { paddingTopLeft: [8, 8], paddingBottomRight: [8, view.moves ? 60 : 8] });
    homing = !how;
    put(map, center, exact(zoom, natural, Math.floor), how);
    homing = false;
    labelSoon();
    begun = how ? undefined : { size: map.getSize(), where: String(Object.values(where())) };
  };
  const follow = ({ x, y, z }) => put(map, at(Number(x), Number(y)), exact(Number(z), natural));
  if (placed(["x", "y", "z"].map((k) => state()[k]))) follow(state());
  else {
    home();
    if (view.begin.some(Number) && 2 ** map.getZoom() < 0.04) { // too small to see: as the game begins
      put(map, at(...view.begin), exact(-1, natural));
      begun = undefined;
    }
  }
  ground.addTo(map);
  if (cover) cover.addTo(map);
  tiles.addTo(map);
  marks.addTo(map);
  drawCells();

  const zoomed = () => {
    const cell = scale * 2 ** map.getZoom();
    box.classList.toggle("over", map.getZoom() >= natural + 1);
    map.keyboard._setPanDelta(cell >= near ? Math.round(cell) : 80); // cell by cell, if cells are large enough
  };
  zoomed();
  map.on("moveend", () => {
    if (homing || (begun && (!begun.size.equals(map.getSize()) || begun.where === String(Object.values(where()))))) return;
    begun = undefined;
    set(where());
    labelSoon();
  });
  map.on("resize", () => begun && home());
  const resized = new ResizeObserver(() => {
    map._enforcingBounds = Boolean(begun); // else Leaflet would move back into the bounds, also after home
    if (box.clientWidth) map.invalidateSize({ animate: false });
    map._enforcingBounds = false;
  });
  resized.observe(box);
  map.on("zoomend", zoomed);
  const pointed = (point) => {
    const mark = marks.find(map.latLngToContainerPoint(at(...point)))?.mark;
    place(say(shown.view, point) + (mark?.label ? `  ${mark.label}` : ""));
    shown.onPoint?.(point);
  };
  map.on("mousemove", (e) => pointed(units(e.latlng)));
  map.on("mouseout", () => (place(""), shown.onPoint?.()));
  map.on("move", () => box.matches(":focus-visible") && pointed(middle()));
  map.on("click", (e) => {
    const hit = marks.find(e.containerPoint);
    if (hit) shown.sets.get(hit.id)?.choose?.(hit.index);
    shown.inspect(units(e.latlng));
  });
  box.addEventListener("keydown", (e) => {
    const closer = { "+": 1, "=": 1, "-": -1, _: -1 }[e.key];
    if (e.target !== box || e.ctrlKey || e.metaKey || e.altKey || !(closer || e.key === "Enter")) return;
    e.preventDefault();
    e.stopPropagation(); // Leaflet would take the Shift of some keyboards' + as a larger step
    if (closer) map.setZoom(map.getZoom() + closer);
    else shown.inspect(middle());
  });
  const stop = watch((changed) => {
    if (changed.has("grid")) drawCells();
    const { x, y, z } = state(), now = where();
    if (["x", "y", "z"].some((k) => changed.has(k)) && placed([x, y, z]) && (x !== now.x || y !== now.y || z !== now.z)) follow(state()); // back in the browser's history
  });

  const unwatch = watchPaper(() => shown.view.paper && tiles.refresh());
  labelSoon();

  Object.assign(shown, {
    map, marks, units, at, tell, parts, tiles, natural,
    home: () => home({ animate: !still.matches }),
    // widen extends the bounds for another file's picture.
    widen(bounds) {
      shown.extent = L.latLngBounds(all.getSouthWest(), all.getNorthEast()).extend(bounds);
      map.setMaxBounds(shown.extent.pad(1)).setMinZoom(Math.min(smallest(view.bounds), map.getBoundsZoom(shown.extent) - 1));
      if (begun) home();
    },
    flyTo([l, t, r, b]) {
      const bounds = L.latLngBounds(at(l, b), at(r, t)), now = map.getZoom();
      const wanted = Math.min(natural, Math.ceil(Math.log2(near / scale)));
      const zoom = Math.max(map.getMinZoom(), Math.min(map.getBoundsZoom(bounds), Math.max(now, wanted)));
      if (still.matches) put(map, bounds.getCenter(), zoom);
      else map.flyTo(bounds.getCenter(), zoom, { duration: 0.4 });
    },
    refresh() {
      clear();
      labelSoon();
      return tiles.refresh().then(() => shown.drew());
    },
    // renewed refetches the tiles that have changed since an earlier edition.
    async renewed(since) {
      all = boundsOf(shown.view.bounds);
      ground.setBounds(all);
      map.setMaxBounds(all.pad(1)).setMinZoom(Math.min(smallest(shown.view.bounds), map.getZoom()));
      if (cover) cover.setBounds(all);
      tiles.setBounds(all);
      clear();
      labelSoon();
      if (since === shown.generation) return;
      if (cover) cover.refresh();
      const there = since && tiles.there();
      const stale = there ? await ask(shown.file, "stale", { ...shown.query(false), ...shown.paper(), ...there, since, side }).catch(() => undefined) : undefined;
      await tiles.refresh(stale && ((at) => stale.tiles.some(([x, y]) => x === at.x && y === at.y)));
      shown.drew();
    },
    still: () => url(shown.file, `still/${shown.generation}`, { ...shown.query(), ...inSight(), save: 1 }),
    inspectQuery: () => ({ z: Math.round(map.getZoom()) }),
    close() {
      stop();
      unwatch();
      resized.disconnect();
      reading?.abort();
      clearTimeout(soon);
      clearTimeout(late);
      working(tiles);
      map.off("moveend"); // an event may be pending
      map.remove();
      box.remove();
    },
  });
  for (const [id, { list, chosen, fades }] of shown.sets) marks.set(id, list, chosen, fades);
}
