// A model that turns: the view of a scene in three dimensions, drawn in the page.
//
// Key of the state: turn (yaw and pitch in degrees from the view's own direction, the magnification, and the shift to the
// right and upwards in parts of the picture).
import { get, url } from "./api.js";
import { state, set, watch } from "./state.js";
import { el } from "./dom.js";
import { load } from "./load.js";
import { watchPaper } from "./paper.js";
import { working } from "./work.js";
import { read } from "./glb.js";
import { context } from "./gl.js";
import { around, painter } from "./paint.js";

const most = 2048; // maximum width and height in pixels
const under = 60; // pixels under the model for the player
const pause = 200; // milliseconds without movement before the address is updated
const start = [0, 0, 1, 0, 0];

// ownPitch returns how far above the horizon the eye of a view is, in degrees.
const ownPitch = ({ turning: { axes: [, , [, up]] } }) => (Math.asin(Math.max(-1, Math.min(1, up))) * 180) / Math.PI;

// begin returns the place of a model at first. A world is seen from the side and from above, as a whole.
export function begin(view, { walking }) {
  if (!walking) return String(start);
  const [yaw, pitch] = [30, Math.round(40 - ownPitch(view))], [right, up] = around(view.turning.axes, yaw, pitch), [l, t, r, b] = view.turning.bounds;
  const along = (axis) => walking.low.reduce((sum, low, k) => sum + Math.abs(axis[k]) * (walking.high[k] - low + 1), 0);
  return String([yaw, pitch, Number(Math.min((r - l) / along(right), (b - t) / along(up)).toFixed(3)) || 1, 0, 0]);
}

// look makes a Scene (map.js) show a model in a box.
export async function look(shown, box) {
  const canvas = el("canvas", { className: "still", "aria-hidden": "true" }), note = el("div", { className: "note", role: "status", hidden: true });
  const button = (title, text, run) => el("button", { type: "button", title, "aria-label": title, onclick: run }, text);
  box.classList.add("camera");
  box.ariaLabel = `${shown.view.title}, as a model. Arrow keys turn it, + and - change its size, with Shift arrow keys move it.${shown.scene.walking ? " w, a, s and d walk through it." : ""}`;
  box.append(canvas, el("div", { className: "stand-keys" }, button("Turn left", "◄", () => turn(15, 0)), button("Look from above", "▲", () => turn(0, 15)),
    button("Look from below", "▼", () => turn(0, -15)), button("Turn right", "►", () => turn(-15, 0)), button("Closer", "+", () => closer(1.25)), button("Farther", "−", () => closer(0.8))), note);
  load("stand.css");
  const scale = document.getElementById("scale");
  const tell = (text) => {
    note.hidden = !text;
    note.textContent = text;
  };
  const now = () => {
    const list = state().turn?.split(",").map(Number) ?? [];
    return list.length === start.length && list.every(Number.isFinite) && list[2] > 0 ? list : [...start];
  };
  let place = now(), model, made, sides, fetching, waiting, keeping, drag, closed;

  const parse = async (data) => {
    model = read(data);
    made = await painter(canvas, model);
    sides = made.box(model.clips[0]);
  };
  let data;
  const fetchModel = async () => {
    fetching?.abort();
    const { signal } = (fetching = new AbortController());
    working(canvas, "Reading the model");
    try {
      const answer = await get(url(shown.file, `model/${shown.generation}`, shown.query()), { signal });
      if (answer.status === 410) return; // a newer one follows
      if (!answer.ok) throw new Error((await answer.json()).error);
      data = await answer.arrayBuffer();
      if (signal.aborted) return;
      await parse(data);
      tell("");
      draw();
    } catch (err) {
      if (!signal.aborted) throw err;
    } finally {
      working(canvas);
    }
  };
  // draw draws in the next frame. The promise resolves then.
  const draw = () => (waiting ??= new Promise((done) => requestAnimationFrame(() => {
    waiting = undefined;
    if (!closed && made) paint();
    done();
  })));
  const paint = () => {
    const { view } = shown, { turning } = view, [l, t, r, b] = turning.bounds, k = Math.min(devicePixelRatio, most / box.clientWidth, most / box.clientHeight);
    const width = Math.max(1, Math.round(box.clientWidth * k)), height = Math.max(1, Math.round(box.clientHeight * k)), foot = view.moves ? under * k : 0;
    const [yaw, pitch, larger, x, y] = place, [right, up] = turning.axes, { middle, far } = sides, fit = Math.min(width / (r - l), Math.max(1, height - foot) / (b - t));
    const dot = (a) => a[0] * middle[0] + a[1] * middle[1] + a[2] * middle[2];
    const paper = shown.paper().paper ?? view.background.slice(1);
    made.draw({ axes: around(turning.axes, yaw, pitch), middle, far, scale: fit * larger, width, height, turnable: turning, clip: model.clips[0], seconds: (shown.moment ?? 0) / 1000,
      pan: [(l + r) / 2 - dot(right) - (x * width) / fit / larger, -(t + b) / 2 - dot(up) - (y * height + foot / 2) / fit / larger], paper: [0, 2, 4].map((i) => parseInt(paper.slice(i, i + 2), 16) / 255) });
    scale.textContent = `yaw ${Math.round(yaw)}, pitch ${Math.round(pitch + (shown.scene.walking ? ownPitch(shown.view) : 0))}, ${Number((larger * 100).toPrecision(3))} %`;
    shown.drew();
  };
  const move = (next) => {
    place = next.map((v) => Number(v.toFixed(3)));
    draw();
    clearTimeout(keeping);
    keeping = setTimeout(() => set({ turn: String(place) }), pause);
  };
  const turn = (left, above) => {
    const [yaw, pitch, ...more] = place, own = ownPitch(shown.view);
    move([((((yaw + left + 180) % 360) + 360) % 360) - 180, Math.max(-90 - own, Math.min(90 - own, pitch + above)), ...more]);
  };
  const closer = (k) => move(place.map((v, i) => (i === 2 ? Math.min(64, Math.max(1 / 16, v * k)) : v)));
  const pan = (x, y) => move([...place.slice(0, 3), ...[x, y].map((v, i) => Math.max(-8, Math.min(8, place[3 + i] + v)))]);

  // walk puts a camera (stand.js) where the eye is, if there is a world around it.
  const walk = () => {
    const { walking, sights } = shown.scene, { view } = shown, [l, t, r, b] = view.turning.bounds, [yaw, pitch, larger] = place;
    if (!walking || !sights) return;
    const [, , toward] = around(view.turning.axes, yaw, pitch), far = Math.min(60, Math.max((b - t), ((r - l) * box.clientHeight) / box.clientWidth) / larger / 2 / Math.tan(Math.PI / 5));
    const at = sides.middle.map((v, k) => v + toward[k] * far), low = walking.low, degrees = (v) => Number(((v * 180) / Math.PI).toFixed(1));
    const stand = [low[0] - 0.5 + at[0], low[1] - 0.5 + at[1], low[2] - 0.5 - at[2]].map((v) => Number(v.toFixed(2)));
    set({ stand: stand.join(","), turn: `${degrees(Math.atan2(toward[0], toward[2]))},${degrees(Math.asin(Math.max(-1, Math.min(1, toward[1]))))}` }, { push: true });
  };
  box.addEventListener("keydown", (e) => {
    if (e.target !== box || e.ctrlKey || e.metaKey || e.altKey) return;
    const go = e.shiftKey ? (x, y) => pan(x / 8, y / 8) : (x, y) => turn(15 * -x, 15 * y);
    const does = { ArrowLeft: () => go(-1, 0), ArrowRight: () => go(1, 0), ArrowUp: () => go(0, 1), ArrowDown: () => go(0, -1), "+": () => closer(1.25), "=": () => closer(1.25), "-": () => closer(0.8), Escape: () => shown.toTurn(),
      ...(shown.scene.walking && { w: walk, a: walk, s: walk, d: walk }) }[e.key];
    if (!does) return;
    e.preventDefault();
    e.stopPropagation();
    does();
  });
  box.addEventListener("wheel", (e) => (e.preventDefault(), closer(e.deltaY < 0 ? 1.25 : 0.8)), { passive: false });
  box.addEventListener("contextmenu", (e) => e.preventDefault()); // the second button moves the model
  box.addEventListener("pointerdown", (e) => {
    if (e.button > 2 || e.target.closest("button")) return;
    box.setPointerCapture(e.pointerId);
    drag = { at: [e.clientX, e.clientY], pan: e.shiftKey || e.button > 0 };
  });
  box.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const [dx, dy] = [e.clientX - drag.at[0], e.clientY - drag.at[1]];
    drag.at = [e.clientX, e.clientY];
    if (drag.pan) pan(dx / box.clientWidth, -dy / box.clientHeight);
    else turn(-dx / 2, dy / 2); // the model follows the pointer
  });
  for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, () => (drag = undefined));
  context(canvas); // fails before anything is fetched
  await fetchModel();
  canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => !closed && data && parse(data).then(draw, (err) => tell(err.message)));
  const unwatch = watch((changed) => {
    if (!changed.has("turn") || String(now()) === String(place)) return;
    place = now();
    draw();
  });
  const unpaper = watchPaper(draw), resized = new ResizeObserver(draw);
  resized.observe(box);

  Object.assign(shown, {
    turning: true, smooth: true, refresh: draw, tell, renewed: () => fetchModel().catch((err) => tell(`The new model cannot be turned: ${err.message}.`)),
    home: () => move(start),
    // film is a turn of the model, or its animation.
    film() {
      const { view } = shown, from = place, round = 4000;
      return {
        canvas, length: view.moves ? view.loop : round,
        draw(ms) {
          if (view.moves) shown.moment = ms;
          else place = [from[0] + (360 * ms) / round, ...from.slice(1)];
          return draw();
        },
        close() {
          place = from;
          draw();
        },
      };
    },
    flyTo: () => set({ turn: undefined }),
    still: () => url(shown.file, `model/${shown.generation}`, shown.query()),
    // grab returns the visible picture, and its name.
    async grab() {
      await draw();
      paint(); // the browser keeps the pixels only until the frame ends
      return [await new Promise((done) => canvas.toBlob(done)), `${shown.view.name}.png`];
    },
    inspectQuery: () => ({}),
    goTo: undefined,
    close() {
      closed = true;
      fetching?.abort();
      clearTimeout(keeping);
      resized.disconnect();
      unwatch();
      unpaper();
      made?.close();
      box.remove();
    },
  });
}
