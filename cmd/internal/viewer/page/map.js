// The picture in the middle: tiles of a scene in Leaflet.
import { url, ask } from "./api.js";
import { state, set, watch } from "./state.js";
import { el } from "./dom.js";

const empty = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Tiles is a layer of tiles that are fetched: 204 is nothing, 202 is asked for again, and what
// is no longer on the screen is no longer asked for.
const Tiles = L.GridLayer.extend({
  initialize(address, options) {
    this.address = address;
    L.GridLayer.prototype.initialize.call(this, options);
    this.on("tileunload", (e) => e.tile.leave?.());
  },
  createTile(at, done) {
    const img = el("img", { alt: "", src: empty, width: 256, height: 256 });
    const leave = new AbortController();
    let blob;
    img.leave = () => (leave.abort(), blob && URL.revokeObjectURL(blob));
    const load = async () => {
      for (let first = true; ; first = false) {
        const answer = await fetch(this.address(at), { signal: leave.signal });
        if (answer.status >= 400) throw new Error((await answer.json()).error);
        const data = await answer.blob();
        if (data.size) {
          const old = blob;
          blob = URL.createObjectURL(data);
          img.src = blob;
          await img.decode().catch(() => {});
          if (old) URL.revokeObjectURL(old);
        }
        if (first) done(null, img);
        if (answer.status !== 202) return;
      }
    };
    load().catch((err) => { if (err.name !== "AbortError") done(err, img); });
    return img;
  },
});

export const panel = {
  name: "picture", title: "Picture",
  applies: ({ entry }) => Boolean(entry?.scene),
  async open(node, context) {
    let shown;
    const draw = async () => {
      const next = await show(node, context.doc.id, context.doc.generation, context.inspect);
      shown?.close();
      context.show((shown = next));
    };
    await draw();
    return {
      update(changed) {
        if (changed.has("doc") || changed.has("view") || [...changed].some((k) => k.startsWith("o."))) return draw();
        if (changed.has("visible")) shown.map.invalidateSize();
      },
      close: () => shown?.close(),
      focus: () => node.querySelector(".map").focus(),
    };
  },
};

// show puts a scene into a node and returns what the other panels need: {map, scene, view,
// flyTo(rect), unitsAt(latlng), close()}.
export async function show(node, file, generation, inspect = (at) => set({ at })) {
  const options = Object.fromEntries(Object.entries(state()).filter(([k]) => k.startsWith("o.")));
  const path = state().path;
  const scene = await ask(file, "scene", { path, view: state().view, ...options });
  const view = scene.views.find((v) => v.name === state().view) ?? scene.views[0];
  const box = el("div", { className: "map", tabIndex: 0, role: "application", "aria-label": view.title });
  box.style.background = view.background || "";
  node.replaceChildren(box);

  // A place is (-y, x) in pixels of zoom 0.
  const at = (x, y) => L.latLng(-y * view.scale, x * view.scale);
  const units = (p) => [p.lng / view.scale, -p.lat / view.scale];
  const [left, top, right, bottom] = view.bounds;
  const all = L.latLngBounds(at(left, bottom), at(right, top));
  const smallest = Math.min(0, Math.floor(-Math.log2(Math.max(right - left, bottom - top, 1) * view.scale / 256)));
  const largest = view.scale >= 16 ? 3 : 6;
  const map = L.map(box, {
    crs: L.CRS.Simple, minZoom: smallest - 1, maxZoom: largest, zoomSnap: 1, attributionControl: false,
    maxBounds: all.pad(1), zoomAnimation: !still.matches, fadeAnimation: false, inertia: !still.matches,
  });
  const query = () => {
    const shown = shownLayers();
    const usual = view.layers.every((l, i) => l.shown === shown.includes(i));
    return { path, view: view.name, l: usual ? undefined : shown.join(",") || ",", time: state().time, ...options };
  };
  function shownLayers() {
    const names = state().layers?.split("\n");
    return view.layers.flatMap((l, i) => ((names ? names.includes(l.name) : l.shown) ? [i] : []));
  }
  const grid = { tileSize: 256, bounds: all, noWrap: true, minZoom: smallest - 1, maxZoom: largest, minNativeZoom: smallest - 1, maxNativeZoom: 0, keepBuffer: 1, updateWhenIdle: false };
  const side = devicePixelRatio > 1 ? 512 : undefined;
  const address = (kind) => (t) => url(file, `${kind}/${generation}/${t.z}/${t.x}/${t.y}`, { ...query(), side });
  if (scene.covers) new Tiles(address("cover"), { ...grid, className: "cover" }).addTo(map);
  const tiles = new Tiles(address("tile"), grid).addTo(map);

  const { x, y, z } = state();
  if (z !== undefined && [x, y, z].every((n) => Number.isFinite(Number(n)))) map.setView(at(Number(x), Number(y)), Number(z), { animate: false });
  else map.fitBounds(all, { animate: false });
  map.on("moveend", () => {
    const [x, y] = units(map.getCenter());
    set({ x: x.toFixed(2), y: y.toFixed(2), z: map.getZoom() });
  });
  const place = document.getElementById("place");
  const tell = ([x, y]) => {
    const name = (axis, v) => (axis.startsWith("-") ? `${axis.slice(1)} ${-Math.floor(v) - 1}` : `${axis} ${Math.floor(v)}`);
    place.textContent = `${name(view.axes[0], x)}  ${name(view.axes[1], y)}`;
  };
  map.on("mousemove", (e) => tell(units(e.latlng)));
  map.on("click", (e) => inspect(units(e.latlng).map((v) => v.toFixed(3)).join(",")));
  const stop = watch((changed) => {
    if (changed.has("layers") || changed.has("time")) tiles.redraw();
  });
  return {
    map, scene, view, query, units, at,
    // flyTo shows a rectangle of the view, in units.
    flyTo([l, t, r, b]) {
      const bounds = L.latLngBounds(at(l, b), at(r, t));
      const zoom = Math.max(Math.min(map.getBoundsZoom(bounds.pad(2)), 0), map.getZoom());
      if (still.matches) map.setView(bounds.getCenter(), zoom, { animate: false });
      else map.flyTo(bounds.getCenter(), zoom, { duration: 0.4 });
    },
    // goTo shows what is at coordinates, or returns what is wrong with them.
    goTo(text) {
      const [x, y] = text.split(/[,;\s]+/).map(Number);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return "Two numbers are expected, such as 161,37";
      this.flyTo([x, y, x + 1, y + 1]);
    },
    close() { stop(); map.remove(); },
  };
}
