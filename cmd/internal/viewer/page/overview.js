// The overview: a small picture of everything, with a frame around the visible part of the map. Its tiles are fetched
// while the map fetches none. A click or a drag in it moves the map.
import { el } from "./dom.js";

const wide = 176, high = 132; // largest size
const patience = 1500; // milliseconds after a change of the file: the next one may follow

export function overview(shown, box) {
  const { map, tiles, at } = shown;
  const pic = el("div", { className: "overview-map" }), frame = el("div", { className: "frame" });
  const node = el("div", { className: "overview", role: "img", "aria-label": "The whole picture; a click moves to that place", hidden: true }, pic, frame);
  box.append(node);
  let small, layers, idle, go, what, size, timer;
  const turn = () => idle;
  const busy = () => {
    if (!tiles.pending.size) {
      go = go?.();
      if (pic.querySelector(".failed") && !map.getPane("tilePane").querySelector(".failed")) for (const layer of layers) layer.retry();
      return;
    }
    if (go) return;
    idle = new Promise((r) => (go = r));
    for (const layer of layers ?? []) for (const img of [...layer.pending]) img.load();
  };
  tiles.on("work", busy);
  const bounds = () => {
    const [l, t, r, b] = shown.view.bounds;
    return L.latLngBounds(at(l, b), at(r, t));
  };
  const begin = () => {
    small = L.map(pic, {
      crs: L.CRS.Simple, zoomControl: false, attributionControl: false, dragging: false, keyboard: false, scrollWheelZoom: false, doubleClickZoom: false,
      boxZoom: false, touchZoom: false, zoomSnap: 0, zoomAnimation: false, fadeAnimation: false, minZoom: -24,
    });
    layers = shown.parts({ turn, keepBuffer: 0 }).filter(Boolean);
  };
  // where returns the visible part of the map in pixels of the overview.
  const where = (bounds) => [bounds.getNorthWest(), bounds.getSouthEast()].map((p) => small.latLngToContainerPoint(p));
  return {
    draw(hidden) {
      node.hidden = hidden;
      if (hidden) return;
      if (!small) begin();
      const all = bounds(), [l, t, r, b] = shown.view.bounds;
      const k = Math.min(wide / (r - l), high / (b - t)), sides = [r - l, b - t].map((v) => `${Math.max(24, Math.round(v * k))}px`);
      if (size !== String([sides, all.toBBoxString()])) {
        size = String([sides, all.toBBoxString()]);
        [pic.style.width, pic.style.height] = sides;
        small.invalidateSize({ animate: false });
        small.setView(all.getCenter(), small.getBoundsZoom(all), { animate: false });
        for (const layer of layers) small.hasLayer(layer) ? layer.setBounds(all) : layer.addTo(small);
      }
      const query = JSON.stringify([shown.file, shown.query(false), shown.paper()]), fresh = what && what.generation !== shown.generation;
      if (fresh || (what && what.query !== query)) {
        clearTimeout(timer);
        timer = setTimeout(() => layers.forEach((layer) => layer.refresh()), what.query === query ? patience : 0);
      }
      what = { query, generation: shown.generation };
      const [p, q] = where(map.getBounds()), w = pic.clientWidth, h = pic.clientHeight, cut = (v, most) => Math.max(0, Math.min(most, v));
      const left = cut(p.x, w - 4), top = cut(p.y, h - 4);
      Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${Math.max(4, cut(q.x, w) - left)}px`, height: `${Math.max(4, cut(q.y, h) - top)}px` });
      node.onpointerdown ??= grab;
    },
    close() {
      clearTimeout(timer);
      tiles.off("work", busy);
      small?.remove();
    },
  };
  function grab(e) {
    if (e.button) return;
    e.preventDefault();
    node.setPointerCapture(e.pointerId);
    const to = (e) => {
      const r = pic.getBoundingClientRect();
      map.setView(small.containerPointToLatLng([e.clientX - r.left, e.clientY - r.top]), map.getZoom(), { animate: false });
    };
    to(e);
    node.onpointermove = to;
    node.onpointerup = node.onpointercancel = () => (node.onpointermove = null);
  }
}
