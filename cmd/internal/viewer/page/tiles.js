// Tiles that are fetched when they become visible.
import { get } from "./door.js";
import { el } from "./dom.js";

const empty = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

// Tiles is a layer of Leaflet. address(coords) returns the address of a tile. Status 204 is an empty tile; 202
// is requested again, 503 a little later; tiles that are no longer visible are no longer requested. The area
// outside of options.bounds is cut off. Between two zooms, the tiles of the larger one are shown, scaled down.
// If the option turn is set, requests wait for the promise that it returns.
// Events: "failed" with a message, and "work" when the number of tiles being fetched (pending) changes.
export const Tiles = L.GridLayer.extend({
  initialize(address, options) {
    this.address = address;
    this.pending = new Set();
    L.GridLayer.prototype.initialize.call(this, options);
    this.on("tileunload", (e) => e.tile.leave());
  },

  createTile(at, done) {
    const img = el("img", { alt: "", src: empty, draggable: false });
    let stop, blob, told;
    const ready = () => {
      if (!told) done(null, img);
      told = true;
    };
    const put = async (data) => {
      const old = blob;
      blob = data.size ? URL.createObjectURL(data) : undefined;
      img.src = blob ?? empty; // the previous picture stays visible until this one is loaded
      await img.decode().catch(() => {});
      if (old) URL.revokeObjectURL(old);
    };
    const pending = (is) => {
      if (is ? this.pending.add(img) : this.pending.delete(img)) this.fire("work");
    };
    img.leave = () => {
      stop?.abort();
      pending(false);
      if (blob) URL.revokeObjectURL(blob);
    };
    // load fetches the tile, also if it was fetched before. The promise resolves when the tile is complete.
    img.load = async () => {
      stop?.abort();
      const { signal } = (stop = new AbortController());
      pending(true);
      try {
        for (let wait = 250; ; ) {
          await this.options.turn?.();
          if (signal.aborted) return;
          const answer = await get(this.address(at), { signal });
          if (answer.status === 503 && wait < 5000) {
            await sleep((wait *= 2));
            if (signal.aborted) return;
            continue;
          }
          if (answer.status === 410) return; // an event informs the page
          if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? answer.statusText);
          const data = await answer.blob();
          if (signal.aborted) return;
          await put(data);
          img.classList.remove("failed");
          img.removeAttribute("title");
          ready();
          if (answer.status !== 202) return;
        }
      } catch (err) {
        if (signal.aborted) return;
        img.classList.add("failed");
        img.title = err.message;
        ready();
        this.fire("failed", { message: err.message });
      } finally {
        if (!signal.aborted) pending(false);
      }
    };
    img.load();
    return img;
  },

  // refresh refetches tiles while the previous ones stay visible. The promise resolves when all are complete.
  refresh(wanted = () => true) {
    const loads = [];
    for (const [key, tile] of Object.entries(this._tiles)) {
      if (!tile.current) this._removeTile(key);
      else if (wanted(tile.coords)) loads.push(tile.el.load());
    }
    return Promise.all(loads);
  },

  // retry refetches failed tiles.
  retry() { return this.refresh((at) => this._tiles[this._tileCoordsToKey(at)].el.classList.contains("failed")); },

  // there returns the visible range of tiles of the zoom: {z, x0, y0, x1, y1}.
  there() {
    const all = Object.values(this._tiles).filter((t) => t.current).map((t) => t.coords), of = (f, k) => Math[f](...all.map((c) => c[k]));
    return all.length ? { z: all[0].z, x0: of("min", "x"), y0: of("min", "y"), x1: of("max", "x"), y1: of("max", "y") } : undefined;
  },

  setBounds(bounds) {
    this.options.bounds = bounds;
    for (const level of Object.values(this._levels ?? {})) this._onCreateLevel(level);
    this._update();
  },

  _setView(center, zoom, ...how) {
    this._zoom = zoom;
    L.GridLayer.prototype._setView.call(this, center, Math.ceil(zoom), ...how);
  },
  // Scaled sizes are not rounded: where tiles have whole pixels, their edges do, too.
  _setZoomTransform(level, center) {
    const scale = this._map.getZoomScale(this._zoom, level.zoom);
    L.DomUtil.setTransform(level.el, level.origin.multiplyBy(scale).subtract(this._map._getNewPixelOrigin(center, this._zoom)), scale);
  },

  _onCreateLevel(level) {
    const point = (at) => this._map.project(at, level.zoom).subtract(level.origin);
    const a = point(this.options.bounds.getNorthWest()), b = point(this.options.bounds.getSouthEast());
    level.el.style.clipPath = `polygon(${a.x}px ${a.y}px, ${b.x}px ${a.y}px, ${b.x}px ${b.y}px, ${a.x}px ${b.y}px)`;
  },
});
