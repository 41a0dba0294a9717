// "Stand here": a camera in three dimensions, which turns, walks and flies. The page draws the blocks around it (walk.js), and when
// the camera rests, the server's picture lies over them. Without WebGL2, there are only pictures of the server.
//
// Keys of the state: stand (x,y,z of the camera), turn (yaw,pitch in degrees: yaw 0 looks north, along z, and 90 west,
// against x; positive pitches look down), and the option daylight.
import { get, url, ask } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { load } from "./load.js";
import { pointOf } from "./place.js";
import { working } from "./work.js";

const most = 2048; // maximum width and height in pixels
const rough = 3; // pictures of the server are this many times smaller while the camera moves
const pause = 200; // milliseconds without movement before the address is updated
const rest = 400; // the same before the picture of the server is requested over the blocks
const patience = 5000; // milliseconds: if a picture took longer, no other one is requested over the blocks
const field = 72; // usual field of view in degrees, from top to bottom
const speeds = { move: [4, 24], turn: [60, 150] }; // nodes and degrees in a second, when a key is pressed and after a while
const soon = [0.5, 1.5]; // seconds in which they grow
const tapped = { turn: 15, move: 1 }; // what the tap of a key does: degrees and nodes
const unsure = 150; // milliseconds until Shift is not a part of another key
const height = 48; // nodes above the place from which a glide begins, at most
const frames = { slow: 36, quick: 26, least: 0.5 }; // milliseconds for a frame from which on it has fewer or more pixels, and the least part of them
const calm = matchMedia("(prefers-reduced-motion: reduce)");

let arriving; // the nodes that the map has shown from top to bottom, while the camera comes from there

// stand puts the camera at a point of a view, or at its middle, or takes it away.
export async function stand(shown, point) {
  if (shown.standing) return shown.leave();
  const { map, view } = shown, [l, t, r, b] = view.bounds;
  const [x, y] = point ?? state().at?.split(",").map(Number) ?? (map ? shown.units(map.getCenter()) : [(l + r) / 2, (t + b) / 2]);
  try {
    const { stand } = await ask(shown.file, "sight", { ...shown.query(false), ...(map && shown.inspectQuery()), x, y });
    if (!stand) throw new Error("Nothing is there to stand on.");
    const place = stand.map((v) => Number(v.toFixed(2))).join(",");
    await ask(shown.file, "scene", { ...shown.query(false), view: undefined, "o.at": place }); // it may lack textures
    if (map) arriving = { nodes: map.getSize().y / view.scale / 2 ** map.getZoom(), from: view.name };
    set({ stand: place, turn: undefined, at: undefined }, { push: true });
  } catch (err) {
    shown.tell(err.message);
  }
}

const names = ["north", "north-west", "west", "south-west", "south", "south-east", "east", "north-east"];
const sides = { south: [0, 0], north: [180, 0], west: [-90, 0], east: [90, 0] }; // yaw and pitch of views from a side; others are from above
// What keys do: an axis of turn (left, down) or move (ahead, left, up), and its sign.
const keys = {
  ArrowLeft: ["turn", 0, 1], ArrowRight: ["turn", 0, -1], ArrowUp: ["turn", 1, -1], ArrowDown: ["turn", 1, 1],
  w: ["move", 0, 1], s: ["move", 0, -1], a: ["move", 1, 1], d: ["move", 1, -1], " ": ["move", 2, 1], Shift: ["move", 2, -1], PageUp: ["move", 2, 1], PageDown: ["move", 2, -1],
};
const rounded = (v, n) => Number(v.toFixed(n));
const around = (yaw) => ((((yaw + 180) % 360) + 360) % 360) - 180;

// look makes a Scene (map.js) show the view of the camera in a box.
export async function look(shown, box) {
  const place = document.getElementById("place"), scale = document.getElementById("scale");
  const img = el("img", { className: "still", alt: "", draggable: false }), note = el("div", { className: "note", role: "status", hidden: true });
  const button = (title, name, run) => el("button", { type: "button", title, "aria-label": title, onclick: run }, name.length > 2 ? icon(name) : name);
  const light = button("", "sun", () => set({ "o.daylight": dark() ? undefined : "0" }));
  const stick = el("div", { className: "stick", "aria-hidden": "true" }, el("span")), lift = [["Rise", "⤒", 1], ["Sink", "⤓", -1]].map(([title, sign, up]) => {
    const own = button(title, sign, (e) => e.detail || tap("move", 2, up)); // by a key
    own.addEventListener("pointerdown", () => hold(title, ["move", 2, up]));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) own.addEventListener(name, () => held.delete(title));
    return own;
  });
  box.classList.add("camera", "walk");
  box.ariaLabel = "As a player sees it. Arrow keys turn, w, a, s and d walk, Space and Shift rise and sink, Escape goes back to the map.";
  box.append(img, el("div", { className: "stand-keys" },
    button("Turn left", "◄", () => tap("turn", 0, 1)), button("Look up", "▲", () => tap("turn", 1, -1)), button("Look down", "▼", () => tap("turn", 1, 1)), button("Turn right", "►", () => tap("turn", 0, -1)), light, ...lift), stick, note);
  const ready = load("stand.css");
  const dark = () => Number(state()["o.daylight"] ?? 1) < 0.5;
  const numbers = (text, n) => {
    const list = text?.split(",").map(Number) ?? [];
    return list.length === n && list.every(Number.isFinite) ? list : Array(n).fill(0);
  };
  const held = new Map(), owed = { turn: [0, 0], move: [0, 0, 0] }, push = [0, 0]; // keys that are down; what taps have left to do; the stick
  let eye, yaw, pitch, asked, again, timer, resting, stop, blob, drag, walk, canvas, flight, filmed, running, last, dirty, closed, quality = 1, mean = 16, dear = 0, hint, shift;
  const read = () => ([eye, [yaw, pitch]] = [numbers(state().stand, 3), numbers(state().turn, 2)]);
  read();
  const coming = arriving;
  arriving = undefined;
  const size = (part) => {
    const k = Math.min(devicePixelRatio, most / box.clientWidth, most / box.clientHeight) / part;
    return { w: Math.max(1, Math.round(box.clientWidth * k)), h: Math.max(1, Math.round(box.clientHeight * k)) };
  };
  const { query } = shown;
  shown.query = (labels) => ({ ...query.call(shown, labels), view: undefined, "o.at": eye.map((v) => rounded(v, 2)).join(","), "o.look": `${rounded(yaw, 1)},${rounded(pitch, 1)}` });
  const address = (part, more) => url(shown.file, `still/${shown.generation}`, { ...shown.query(), ...size(part), ...more });
  const tell = (text) => {
    note.hidden = !text;
    note.textContent = text;
  };
  // draw requests the picture: a rough one while the camera moves, or the one over the blocks. If the camera has moved meanwhile, it
  // requests another.
  const draw = async (part) => {
    if (asked) return (again = part);
    asked = true;
    const { signal } = (stop = new AbortController()), began = performance.now();
    try {
      const answer = await get(address(part), { signal });
      if (answer.status !== 410) {
        if (!answer.ok) throw new Error((await answer.json()).error);
        const old = blob, next = URL.createObjectURL(await answer.blob());
        if (signal.aborted) return URL.revokeObjectURL(next);
        img.src = blob = next;
        await img.decode().catch(() => {});
        if (old) URL.revokeObjectURL(old);
        img.classList.toggle("over", Boolean(walk) && !signal.aborted);
        dear = performance.now() - began;
        tell("");
        shown.drew();
      }
    } catch (err) {
      if (!signal.aborted) tell(`It could not be drawn: ${err.message}`);
    } finally {
      asked = false;
      const next = again;
      again = undefined;
      if (next && !closed && !walk) draw(next);
    }
  };
  // bare takes the picture of the server away from the blocks.
  const bare = () => {
    clearTimeout(resting);
    img.classList.remove("over");
    if (walk && asked) stop.abort();
  };
  const sharpen = () => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (closed || !walk || moving() || dear > patience) return;
      if (!walk.idle() || asked) return sharpen();
      draw(1);
    }, rest);
  };
  const refresh = () => (walk ? (bare(), run(true), sharpen()) : draw(1));
  const moved = () => {
    place.textContent = ["x", "y", "z"].map((name, i) => `${name} ${rounded(eye[i], 1)}`).join("  ");
    scale.textContent = `${names[Math.round((((yaw % 360) + 360) % 360) / 45) % 8]}, yaw ${Math.round(yaw)}, pitch ${Math.round(pitch)}`;
    light.title = light.ariaLabel = dark() ? "By day (n)" : "By night (n)";
    fill(light, icon(dark() ? "sun" : "moon"));
  };
  // change is called when the camera has moved. The address is updated when it rests.
  const change = () => {
    if (shown.leaving) return;
    moved();
    if (walk) {
      bare();
      walk.look(eye);
      sharpen();
    } else draw(rough);
    clearTimeout(timer);
    timer = setTimeout(function keep() {
      if (moving()) return void (timer = setTimeout(keep, pause));
      if (!state().stand) return; // the map follows
      [eye, yaw, pitch] = [eye.map((v) => rounded(v, 2)), rounded(yaw, 1), rounded(pitch, 1)];
      set({ stand: eye.join(","), turn: yaw || pitch ? `${yaw},${pitch}` : undefined });
      if (!walk) draw(1);
    }, pause);
  };
  const turn = (left, down) => {
    yaw = around(yaw + left);
    pitch = Math.max(-90, Math.min(90, pitch + down));
  };
  const go = (ahead, left, up) => {
    const [s, c] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)];
    eye = [eye[0] - s * ahead - c * left, eye[1] + up, eye[2] + c * ahead - s * left].map((v) => Math.max(-32000, Math.min(32000, v)));
  };

  // A tap of a key moves by one step. A key that is held moves on, faster and faster.
  const tap = (kind, axis, sign) => {
    land();
    owed[kind][axis] += sign * tapped[kind];
    run();
  };
  const hold = (id, [kind, axis, sign]) => {
    tap(kind, axis, sign);
    held.set(id, { kind, axis, sign, since: performance.now() });
  };
  const moving = () => held.size > 0 || push.some(Boolean) || Boolean(flight) || Object.values(owed).flat().some(Boolean);
  const speed = (kind, held) => speeds[kind][0] + (speeds[kind][1] - speeds[kind][0]) * Math.max(0, Math.min(1, (held - soon[0]) / (soon[1] - soon[0])));
  const step = (seconds, now) => {
    const by = { turn: [0, 0], move: [0, 0, 0] };
    for (const { kind, axis, sign, since } of held.values()) if (now >= since) by[kind][axis] += sign * seconds * speed(kind, (now - since) / 1000);
    for (const kind of ["turn", "move"]) {
      owed[kind].forEach((left, axis) => {
        const on = by[kind][axis];
        if (on) owed[kind][axis] = Math.sign(left) === Math.sign(on) ? Math.sign(left) * Math.max(0, Math.abs(left) - Math.abs(on)) : 0;
        else if (left) {
          const n = calm.matches || !walk ? left : Math.sign(left) * Math.min(Math.abs(left), seconds * Math.max(speed(kind, 0), 4 * Math.abs(left)));
          owed[kind][axis] = Math.abs(left - n) < 1e-9 ? 0 : left - n;
          by[kind][axis] = n;
        }
      });
    }
    push.forEach((part, axis) => (by.move[axis] += part * 2 * speed("move", 0) * seconds));
    if (!Object.values(by).flat().some(Boolean)) return false;
    turn(...by.turn);
    go(...by.move);
    return true;
  };

  // fly moves the camera from one pose to another; land ends that.
  const fly = (from, to, ms, then) => {
    if (!walk || calm.matches) return then?.();
    flight = { from, to, ms, then };
    run();
  };
  const land = () => {
    if (!flight) return;
    const { then } = flight;
    flight = undefined;
    then?.();
  };
  const pose = (now) => {
    if (!flight) return { eye, yaw, pitch };
    if (flight.waits && !walk.near(eye) && now < flight.waits) return flight.from;
    flight.began ??= now;
    const { from, to, ms, began } = flight, t = Math.min(1, (now - began) / ms), k = t * t * (3 - 2 * t), mix = (a, b) => a + (b - a) * k;
    if (t === 1) land();
    return { eye: from.eye.map((v, i) => mix(v, to.eye[i])), yaw: from.yaw + around(to.yaw - from.yaw) * k, pitch: mix(from.pitch, to.pitch) };
  };
  // above is the pose from which a glide to the ground begins.
  const above = ({ nodes, from }) => {
    const far = Math.min(height, nodes / 2 / Math.tan((angle() * Math.PI) / 360)), [yaw, pitch] = sides[from] ?? [0, 90], [s, c] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)];
    return { eye: pitch ? [eye[0], eye[1] + far, eye[2]] : [eye[0] + s * far, eye[1], eye[2] - c * far], yaw, pitch };
  };
  const angle = () => Number(state()["o.fov"]) || field;

  const frame = (now) => {
    running = undefined;
    if (closed) return;
    const ms = Math.max(0, now - last), seconds = Math.min(0.1, ms / 1000);
    last = now;
    if (!flight && step(seconds, now)) {
      change();
      dirty = true;
    }
    if (walk) {
      const flying = flight, at = pose(now);
      if (closed) return;
      if (moving() && ms < 500) adapt(ms);
      const whole = size(1), part = moving() ? quality : 1, far = flying?.began ? Math.hypot(...at.eye.map((v, i) => v - eye[i])) + 24 : 0;
      working(canvas, walk.near(eye) ? undefined : "Reading the blocks");
      const more = walk.draw({ ...at, field: angle(), width: Math.max(1, Math.round(whole.w * part)), height: Math.max(1, Math.round(whole.h * part)), far }, seconds);
      if (flying && !flight) change();
      dirty = more;
    } else dirty = false;
    filmed?.();
    if (moving() || dirty) run();
  };
  // adapt chooses how many pixels are drawn while the camera moves.
  let settled = 0;
  const adapt = (ms) => {
    mean += (Math.min(ms, 80) - mean) / 16;
    if (++settled < 20) return;
    const next = mean > frames.slow ? Math.max(frames.least, quality * 0.8) : mean < frames.quick ? Math.min(1, quality * 1.25) : quality;
    if (next !== quality) [quality, settled] = [next, 0];
  };
  const run = (now) => {
    if (now) dirty = true;
    if (running || closed) return;
    if (!moving() && !dirty) return;
    last ??= performance.now();
    if (performance.now() - last > 100) last = performance.now() - 16;
    running = requestAnimationFrame(frame);
  };

  const begin = () => hint?.classList.add("gone");
  box.addEventListener("keydown", (e) => {
    if (e.target !== box || e.ctrlKey || e.metaKey || e.altKey) return;
    const name = e.key.length === 1 ? e.key.toLowerCase() : e.key, does = keys[name], id = e.code || name;
    if (!does && name !== "n" && name !== "Escape") return void (shift && held.delete(shift));
    e.preventDefault();
    e.stopPropagation();
    if (name === "n") return void (e.repeat || light.click());
    if (name === "Escape") return void shown.leave();
    if (e.repeat || held.has(id)) return;
    begin();
    if (name !== "Shift") return hold(id, does);
    land();
    held.set((shift = id), { kind: "move", axis: 2, sign: -1, since: performance.now() + unsure });
    run();
  });
  box.addEventListener("keyup", (e) => {
    const id = e.code || (e.key.length === 1 ? e.key.toLowerCase() : e.key), was = held.get(id);
    held.delete(id);
    if (was?.since > performance.now()) tap(...keys.Shift);
  });
  const release = () => {
    held.clear();
    push.fill(0);
  };
  box.addEventListener("blur", release);
  box.addEventListener("wheel", (e) => (e.preventDefault(), tap("move", 0, e.deltaY < 0 ? 1 : -1)), { passive: false });
  const drags = (dx, dy, sign = 1) => {
    const k = angle() / box.clientHeight; // the picture follows the pointer
    land();
    turn(sign * dx * k, -sign * dy * k);
    change();
    run(true);
  };
  box.addEventListener("pointerdown", (e) => {
    if (e.pointerType === "touch") box.classList.add("touch");
    if (e.button || e.target.closest("button, .stick")) return;
    box.setPointerCapture(e.pointerId);
    drag = { id: e.pointerId, at: [e.clientX, e.clientY] };
    begin();
  });
  box.addEventListener("pointermove", (e) => {
    if (document.pointerLockElement === box) return drags(e.movementX, e.movementY, -1);
    if (drag?.id !== e.pointerId) return;
    drags(e.clientX - drag.at[0], e.clientY - drag.at[1]);
    drag.at = [e.clientX, e.clientY];
  });
  for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, (e) => drag?.id === e.pointerId && (drag = undefined));
  box.addEventListener("dblclick", (e) => e.target.closest("button, .stick") || Promise.resolve(box.requestPointerLock?.()).catch(() => {})); // a page around this one may forbid it
  stick.addEventListener("pointerdown", (e) => (e.preventDefault(), e.stopPropagation(), box.classList.add("touch"), stick.setPointerCapture(e.pointerId), begin(), pull(e)));
  const pull = (e) => {
    if (!stick.hasPointerCapture(e.pointerId)) return;
    const r = stick.getBoundingClientRect(), [x, y] = [(e.clientX - r.left - r.width / 2) / (r.width / 2), (e.clientY - r.top - r.height / 2) / (r.height / 2)], k = 1 / Math.max(1, Math.hypot(x, y));
    [push[0], push[1]] = [-y * k, -x * k];
    stick.firstChild.style.transform = `translate(${x * k * 1.5}rem, ${y * k * 1.5}rem)`;
    land();
    run();
  };
  stick.addEventListener("pointermove", pull);
  for (const name of ["pointerup", "pointercancel"]) stick.addEventListener(name, () => (push.fill(0), (stick.firstChild.style.transform = "")));
  const unwatch = watch((changed) => {
    if (!state().stand || !(changed.has("stand") || changed.has("turn"))) return;
    if (String([numbers(state().stand, 3), numbers(state().turn, 2)]) === String([eye.map((v) => rounded(v, 2)), [rounded(yaw, 1), rounded(pitch, 1)]])) return;
    read();
    moved();
    walk?.look(eye);
    refresh();
  });
  const resized = new ResizeObserver(refresh);
  await ready;
  if (shown.scene.walking) {
    const { walker } = await import("./walk.js");
    canvas = el("canvas", { className: "blocks", "aria-hidden": "true" });
    try {
      walk = walker(shown, canvas, { tell, changed: () => (bare(), run(true), sharpen()) });
      img.before(canvas);
      canvas.addEventListener("webglcontextlost", () => {
        if (closed) return;
        walk = undefined;
        working(canvas);
        canvas.remove();
        img.classList.remove("over");
        land();
        draw(1);
      });
    } catch {
      walk = undefined; // pictures of the server
    }
  }
  box.classList.toggle("drawn", Boolean(walk));
  if (walk) {
    const coarse = matchMedia("(pointer: coarse)").matches;
    hint = el("div", { className: "hint" }, coarse ? "Drag to look around, move with the stick" : "w a s d walk · Space and Shift rise and sink · drag or double-click to look · n night · Esc map");
    if (coarse) box.classList.add("touch");
    box.append(hint);
    setTimeout(begin, 9000);
    walk.look(eye);
    if (coming) {
      fly(above(coming), { eye, yaw, pitch }, 1000);
      if (flight) flight.waits = performance.now() + 2500;
    }
  }
  resized.observe(box);
  moved();
  const looks = () => JSON.stringify([shown.generation, shown.file, { ...shown.options, "o.daylight": undefined, "o.fov": undefined }]);
  let looked = looks();

  const listed = [["w a s d", "walk"], ["Space Shift", "rise, sink"], ["ArrowLeft ArrowUp ArrowDown ArrowRight", "look around"], ["n", "night, day"], ["Escape", "back to the map"]]
    .map(([keys, help]) => bind(keys, help, undefined, { group: "On the ground" }));

  Object.assign(shown, {
    standing: true, refresh, tell,
    home: () => (land(), (yaw = pitch = 0), change(), run(true)),
    flyTo: () => set({ stand: undefined }),
    renewed() {
      moved();
      dear = 0;
      if (walk && looks() !== looked) walk.renew();
      looked = looks();
      refresh();
    },
    still: () => address(1, { save: 1 }),
    inspectQuery: () => size(1),
    goTo: undefined,
    // film is a look around.
    film: walk && (() => {
      const from = yaw, length = 6000;
      return {
        canvas, length,
        draw: (ms) => new Promise((done) => {
          bare();
          yaw = around(from - (360 * ms) / length);
          filmed = done;
          run(true);
        }),
        close() {
          yaw = from;
          filmed = undefined;
          change();
          run(true);
        },
      };
    }),
    // leave goes back to the map, at the place of the camera.
    leave() {
      if (shown.leaving) return;
      shown.leaving = true;
      clearTimeout(timer);
      release();
      bare();
      land();
      const flat = shown.scene.views.filter((v) => !v.camera), view = flat.find((v) => v.name === state().view) ?? flat[0];
      const to = view.axes.includes("right") || !state().z ? undefined : pointOf(view, eye.map((v) => Math.round(v)).join(","));
      const zoom = Number(state().z), nodes = state().z ? box.clientHeight / view.scale / 2 ** zoom : height;
      fly({ eye, yaw, pitch }, above({ nodes, from: view.name }), 600, () => set({ stand: undefined, turn: undefined, ...(Array.isArray(to) && { x: to[0].toFixed(2), y: to[1].toFixed(2) }) }, { push: true }));
    },
    // stay is called when the map cannot be opened: the camera goes on.
    stay(why) {
      shown.leaving = false;
      set({ stand: eye.map((v) => rounded(v, 2)).join(","), turn: yaw || pitch ? `${rounded(yaw, 1)},${rounded(pitch, 1)}` : undefined });
      tell(`The map cannot be opened: ${why}`);
    },
    close() {
      closed = true;
      stop?.abort();
      clearTimeout(timer);
      clearTimeout(resting);
      cancelAnimationFrame(running);
      resized.disconnect();
      unwatch();
      for (const remove of listed) remove();
      if (document.pointerLockElement === box) document.exitPointerLock();
      walk?.close();
      working(canvas);
      if (blob) URL.revokeObjectURL(blob);
      box.remove();
    },
  });
}
