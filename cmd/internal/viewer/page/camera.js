// "As in game": the picture of the game's camera at a place. Options of the scene set its place: at and zoom.
// Keys of the state: x, y (as in the map) and zoom.
import { get, url } from "./api.js";
import { state, set, watch } from "./state.js";
import { el } from "./dom.js";
import { load } from "./load.js";
import { say } from "./place.js";

const most = 4096; // maximum width and height in pixels

// look makes a Scene (map.js) show the view of a camera in a box.
export async function look(shown, box) {
  await load("stand.css");
  const scale = document.getElementById("scale");
  const img = el("img", { className: "still", alt: "", draggable: false });
  const cross = el("div", { className: "cross" }), note = el("div", { className: "note", role: "status", hidden: true });
  box.classList.add("camera");
  const here = el("div", { className: "here", hidden: true });
  const button = (text, title, k) => el("button", { type: "button", title, "aria-label": title, onclick: () => closer(k) }, text);
  const closerFarther = el("div", { className: "zoom" }, button("+", "Closer", 0.8), button("−", "Farther", 1.25));
  box.append(img, here, cross, closerFarther, note);
  let area, stop, blob, drag, timer, keeping;
  const [l, t, r, b] = shown.view.bounds;
  // The position of the camera. The address is updated when the camera stops.
  const stands = () => ({ x: ["x", "y"].map((k, i) => (Number.isFinite(parseFloat(state()[k])) ? Number(state()[k]) : [(l + r) / 2, (t + b) / 2][i])), zoom: Math.min(16, Math.max(1 / 16, Number(state().zoom) || 1)) });
  let now = stands();
  const at = () => now.x, zoom = () => now.zoom;
  const stand = (next) => {
    now = next;
    scale.textContent = `zoom ${zoom()}`;
    refresh();
    clearTimeout(keeping);
    keeping = setTimeout(keep, 200);
  };
  const keep = () => set({ x: at()[0].toFixed(2), y: at()[1].toFixed(2), zoom: zoom() === 1 ? undefined : zoom() });
  const size = () => {
    const k = Math.min(devicePixelRatio, most / box.clientWidth, most / box.clientHeight);
    return { w: Math.max(1, Math.round(box.clientWidth * k)), h: Math.max(1, Math.round(box.clientHeight * k)) };
  };
  const still = () => ({ "o.at": at().join(","), "o.zoom": zoom(), ...size() });
  const address = (more) => url(shown.file, `still/${shown.generation}`, { ...shown.query(), ...still(), ...more });

  const tell = (text) => {
    note.hidden = !text;
    note.textContent = text;
  };
  async function refresh() {
    stop?.abort();
    const { signal } = (stop = new AbortController());
    try {
      const answer = await get(address(), { signal });
      if (answer.status === 410) return;
      if (!answer.ok) throw new Error((await answer.json()).error);
      const now = answer.headers.get("Area").split(",").map(Number), data = await answer.blob();
      if (signal.aborted) return;
      const old = blob;
      blob = URL.createObjectURL(data);
      area = now; // the visible area from now on
      img.src = blob;
      await img.decode().catch(() => {});
      if (old) URL.revokeObjectURL(old);
      img.style.translate = "";
      mark();
      tell("");
      shown.drew();
    } catch (err) {
      if (signal.aborted) return;
      tell(`It could not be drawn: ${err.message}`);
    }
  }
  // mark shows which cell is inspected.
  const mark = () => {
    const at = state().at?.split(",").map(Number).map(Math.floor);
    here.hidden = !area || !at?.every(Number.isFinite);
    if (here.hidden) return;
    const [l, t, r, b] = area, part = (v, from, to) => `${((v - from) / (to - from)) * 100}%`;
    Object.assign(here.style, { left: part(at[0], l, r), top: part(at[1], t, b), width: `${100 / (r - l)}%`, height: `${100 / (b - t)}%` });
  };
  const move = (point) => stand({ ...now, x: point.map((v) => Number(v.toFixed(2))) });
  const pan = (dx, dy) => area && move([at()[0] + dx * (area[2] - area[0]), at()[1] + dy * (area[3] - area[1])]);
  const closer = (k) => stand({ ...now, zoom: Math.min(16, Math.max(1 / 16, Number((zoom() * k).toPrecision(3)))) });
  const unitsAt = (e) => {
    const { left, top, width, height } = box.getBoundingClientRect();
    return [area[0] + ((e.clientX - left) / width) * (area[2] - area[0]), area[1] + ((e.clientY - top) / height) * (area[3] - area[1])];
  };
  const place = document.getElementById("place");
  const pointed = (point) => (place.textContent = say(shown.view, point));

  box.addEventListener("keydown", (e) => {
    if (e.target !== box || e.ctrlKey || e.metaKey || e.altKey) return;
    const k = e.shiftKey ? 0.5 : 0.125;
    const does = {
      ArrowLeft: () => pan(-k, 0), ArrowRight: () => pan(k, 0), ArrowUp: () => pan(0, -k), ArrowDown: () => pan(0, k),
      "+": () => closer(0.8), "=": () => closer(0.8), "-": () => closer(1.25), Enter: () => shown.inspect(at()),
    }[e.key];
    if (!does) return;
    e.preventDefault();
    does();
    pointed(at());
  });
  box.addEventListener("wheel", (e) => (e.preventDefault(), closer(e.deltaY < 0 ? 0.8 : 1.25)), { passive: false });
  box.addEventListener("pointerdown", (e) => {
    if (e.button || !area || e.target.closest("button")) return;
    box.setPointerCapture(e.pointerId);
    drag = { x: e.clientX, y: e.clientY, moved: false };
  });
  box.addEventListener("pointermove", (e) => {
    if (!area) return;
    if (!drag) return pointed(unitsAt(e));
    const [dx, dy] = [e.clientX - drag.x, e.clientY - drag.y];
    drag.moved ||= Math.hypot(dx, dy) > 4;
    if (drag.moved) img.style.translate = `${dx}px ${dy}px`;
  });
  box.addEventListener("pointerup", (e) => {
    if (!drag) return;
    const { x, y, moved } = drag;
    drag = undefined;
    if (moved) pan((x - e.clientX) / box.clientWidth, (y - e.clientY) / box.clientHeight);
    else shown.inspect(unitsAt(e));
  });
  box.addEventListener("pointercancel", () => (drag = undefined, img.style.translate = ""));
  const unwatch = watch((changed) => {
    if (changed.has("at")) mark();
    const next = stands();
    if (["x", "y", "zoom"].some((k) => changed.has(k)) && String([...next.x, next.zoom]) !== String([...at(), zoom()])) stand(next);
  });
  const resized = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(refresh, 150);
  });
  resized.observe(box);
  scale.textContent = `zoom ${zoom()}`;

  Object.assign(shown, {
    refresh, tell,
    home: () => set({ x: undefined, y: undefined, zoom: undefined }),
    flyTo: ([l, t, r, b]) => move([(l + r) / 2, (t + b) / 2]),
    renewed: refresh,
    still: () => address({ save: 1 }),
    inspectQuery: still,
    close() {
      stop?.abort();
      clearTimeout(timer);
      clearTimeout(keeping);
      resized.disconnect();
      unwatch();
      if (blob) URL.revokeObjectURL(blob);
      box.remove();
    },
  });
}
