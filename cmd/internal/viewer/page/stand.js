// "Stand here": the picture of a camera in three dimensions, which turns and walks.
//
// Keys of the state: stand (x,y,z of the camera), turn (yaw,pitch in degrees: yaw 0 looks north, along z, and 90 west,
// against x; positive pitches look down), and the option daylight.
import { get, url, ask } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { load } from "./load.js";

const most = 2048; // maximum width and height in pixels
const rough = 3; // pictures are this many times smaller while the camera moves
const pause = 200; // milliseconds without movement before the picture is drawn in full
const field = 72; // usual field of view in degrees, from top to bottom

// stand puts the camera at a point of a view, or at its middle, or takes it away.
export async function stand(shown, point) {
  if (shown.standing) return set({ stand: undefined }, { push: true });
  const [x, y] = point ?? state().at?.split(",").map(Number) ?? shown.units(shown.map.getCenter());
  try {
    const { stand } = await ask(shown.file, "sight", { ...shown.query(false), ...shown.inspectQuery(), x, y });
    if (!stand) throw new Error("Nothing is there to stand on.");
    const place = stand.map((v) => Number(v.toFixed(2))).join(",");
    await ask(shown.file, "scene", { ...shown.query(false), view: undefined, "o.at": place }); // it may lack textures
    set({ stand: place, turn: undefined, at: undefined }, { push: true });
  } catch (err) {
    shown.tell(err.message);
  }
}

const names = ["north", "north-west", "west", "south-west", "south", "south-east", "east", "north-east"];

// look makes a Scene (map.js) show the view of the camera in a box.
export function look(shown, box) {
  const place = document.getElementById("place"), scale = document.getElementById("scale");
  const img = el("img", { className: "still", alt: "", draggable: false }), note = el("div", { className: "note", role: "status", hidden: true });
  const button = (title, name, run) => el("button", { type: "button", title, "aria-label": title, onclick: run }, name.length > 2 ? icon(name) : name);
  const light = button("", "sun", () => set({ "o.daylight": dark() ? undefined : "0" }));
  box.classList.add("camera");
  box.ariaLabel = "As a player sees it. Arrow keys turn, w, a, s and d walk, Page up and Page down rise and sink.";
  box.append(img, el("div", { className: "stand-keys" },
    button("Turn left", "◄", () => turn(15, 0)), button("Look up", "▲", () => turn(0, -15)), button("Look down", "▼", () => turn(0, 15)), button("Turn right", "►", () => turn(-15, 0)), light), note);
  const ready = load("stand.css");
  const dark = () => Number(state()["o.daylight"] ?? 1) < 0.5;
  const numbers = (text, n) => {
    const list = text?.split(",").map(Number) ?? [];
    return list.length === n && list.every(Number.isFinite) ? list : Array(n).fill(0);
  };
  let eye, yaw, pitch, asked, again, timer, stop, blob, drag;
  const read = () => ([eye, [yaw, pitch]] = [numbers(state().stand, 3), numbers(state().turn, 2)]);
  read();
  const size = (part) => {
    const k = Math.min(devicePixelRatio, most / box.clientWidth, most / box.clientHeight) / part;
    return { w: Math.max(1, Math.round(box.clientWidth * k)), h: Math.max(1, Math.round(box.clientHeight * k)) };
  };
  const { query } = shown;
  shown.query = (labels) => ({ ...query.call(shown, labels), view: undefined, "o.at": eye.join(","), "o.look": `${yaw},${pitch}` });
  const address = (part, more) => url(shown.file, `still/${shown.generation}`, { ...shown.query(), ...size(part), ...more });
  const tell = (text) => {
    note.hidden = !text;
    note.textContent = text;
  };
  // draw requests the picture: a rough one while the camera moves. If it has moved meanwhile, it requests another.
  const draw = async (part) => {
    if (asked) return (again = part);
    asked = true;
    const { signal } = (stop = new AbortController());
    try {
      const answer = await get(address(part), { signal });
      if (answer.status !== 410) {
        if (!answer.ok) throw new Error((await answer.json()).error);
        const old = blob;
        img.src = blob = URL.createObjectURL(await answer.blob());
        await img.decode().catch(() => {});
        if (old) URL.revokeObjectURL(old);
        tell("");
        shown.drew();
      }
    } catch (err) {
      if (!signal.aborted) tell(`It could not be drawn: ${err.message}`);
    }
    asked = false;
    const next = again;
    again = undefined;
    if (next && !signal.aborted) draw(next);
  };
  const refresh = () => draw(1);
  const moved = () => {
    place.textContent = ["x", "y", "z"].map((name, i) => `${name} ${Number(eye[i].toFixed(1))}`).join("  ");
    scale.textContent = `${names[Math.round((((yaw % 360) + 360) % 360) / 45) % 8]}, yaw ${Math.round(yaw)}, pitch ${Math.round(pitch)}`;
    light.title = light.ariaLabel = dark() ? "By day (n)" : "By night (n)";
    fill(light, icon(dark() ? "sun" : "moon"));
  };
  // change moves the camera. The address is updated when it rests.
  const change = () => {
    moved();
    draw(rough);
    clearTimeout(timer);
    timer = setTimeout(() => {
      set({ stand: eye.map((v) => Number(v.toFixed(2))).join(","), turn: yaw || pitch ? `${yaw},${pitch}` : undefined });
      refresh();
    }, pause);
  };
  const turn = (left, down) => {
    yaw = Number(((((yaw + left + 180) % 360) + 360) % 360 - 180).toFixed(1));
    pitch = Number(Math.max(-90, Math.min(90, pitch + down)).toFixed(1));
    change();
  };
  const walk = (ahead, left, up) => {
    const [s, c] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)];
    eye = [eye[0] - s * ahead - c * left, eye[1] + up, eye[2] + c * ahead - s * left];
    change();
  };
  box.addEventListener("keydown", (e) => {
    if (e.target !== box || e.ctrlKey || e.metaKey || e.altKey) return;
    const k = e.shiftKey ? 3 : 15, far = e.shiftKey ? 5 : 1;
    const does = {
      ArrowLeft: () => turn(k, 0), ArrowRight: () => turn(-k, 0), ArrowUp: () => turn(0, -k), ArrowDown: () => turn(0, k),
      w: () => walk(far, 0, 0), s: () => walk(-far, 0, 0), a: () => walk(0, far, 0), d: () => walk(0, -far, 0), PageUp: () => walk(0, 0, far), PageDown: () => walk(0, 0, -far),
      n: () => light.click(),
    }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!does) return;
    e.preventDefault();
    e.stopPropagation();
    does();
  });
  box.addEventListener("wheel", (e) => (e.preventDefault(), walk(e.deltaY < 0 ? 1 : -1, 0, 0)), { passive: false });
  box.addEventListener("pointerdown", (e) => {
    if (e.button || e.target.closest("button")) return;
    box.setPointerCapture(e.pointerId);
    drag = [e.clientX, e.clientY];
  });
  box.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const k = (Number(state()["o.fov"]) || field) / box.clientHeight; // the picture follows the pointer
    turn((e.clientX - drag[0]) * k, (drag[1] - e.clientY) * k);
    drag = [e.clientX, e.clientY];
  });
  box.addEventListener("pointerup", () => (drag = undefined));
  box.addEventListener("pointercancel", () => (drag = undefined));
  const unwatch = watch((changed) => {
    if (!state().stand || !(changed.has("stand") || changed.has("turn"))) return;
    if (String([numbers(state().stand, 3), numbers(state().turn, 2)]) === String([eye.map((v) => Number(v.toFixed(2))), [yaw, pitch]])) return;
    read();
    moved();
    refresh();
  });
  const resized = new ResizeObserver(refresh);
  ready.then(() => resized.observe(box));
  moved();

  Object.assign(shown, {
    standing: true, refresh, tell,
    home: () => (yaw = pitch = 0, change()),
    flyTo: () => set({ stand: undefined }),
    renewed: () => (moved(), refresh()),
    still: () => address(1, { save: 1 }),
    inspectQuery: () => size(1),
    toCamera: () => stand(shown),
    goTo: undefined,
    close() {
      stop?.abort();
      clearTimeout(timer);
      resized.disconnect();
      unwatch();
      if (blob) URL.revokeObjectURL(blob);
      box.remove();
    },
  });
}
