// The blocks around a camera: they are requested as cubes, nearest first, and drawn by cubes.js. What is not there yet is behind a
// haze of the colour of the sky, as is what is farther than the reach.
import { get, url } from "./api.js";
import { painter } from "./cubes.js";

const radius = 64; // nodes
const small = { cubes: 64, radius: 200 }; // a world of at most so many cubes is seen as a whole
const most = 160 << 20; // bytes of the cubes; farther ones are left out
const least = 16; // the reach in nodes that is always there
const parallel = 3; // requests
const thin = 0.75; // the haze begins at this part of the reach
const without = new Set(["o.at", "o.look", "o.fov", "o.daylight"]); // options of the camera

const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
const sunAt = (light) => [light - 0.04, light - 0.04, 0.98 * light + 0.078]; // as in nodemesh

// walker returns what draws the blocks: { look, draw, near, idle, renew, close }. It fails where there is no WebGL2.
//   look(eye)   requests the cubes around a place
//   draw(camera, seconds)   { eye, yaw, pitch, field, width, height, far }; it reports whether it has something to draw in the next frame
//   near(eye)   reports whether the blocks next to a place are there
export function walker(shown, canvas, { changed, tell }) {
  const made = painter(canvas), cubes = new Map(); // "x,y,z": { at, low, state: asked, there, empty or failed }
  let around = [0, 0, 0], shrunk, busy = 0, closed, haze = least, light, sky, version = 0;
  const box = () => shown.scene.walking;
  const usual = () => (box().low.reduce((n, v, k) => n * (Math.ceil((box().high[k] - v + 1) / box().side) + 1), 1) <= small.cubes ? small.radius : radius);
  let reach = usual();
  const away = ([x, y, z], eye) => {
    const { side } = box();
    return Math.hypot(...[x, y, z].map((v, k) => Math.max(v * side - 0.5 - eye[k], eye[k] - (v + 1) * side + 0.5, 0)));
  };
  // wanted returns the places of the cubes within the reach, the nearest first.
  const wanted = (eye, within = reach) => {
    const { side, low, high } = box(), cube = (v) => Math.floor(v / side), list = [];
    const [from, to] = [-1, 1].map((sign) => eye.map((v, k) => Math.min(cube(high[k]), Math.max(cube(low[k]), cube(v + sign * within)))));
    for (let x = from[0]; x <= to[0]; x++) for (let y = from[1]; y <= to[1]; y++) for (let z = from[2]; z <= to[2]; z++) list.push([x, y, z]);
    return list.map((at) => ({ at, away: away(at, eye) })).filter((c) => c.away <= within).sort((a, b) => a.away - b.away);
  };
  const query = () => ({ path: shown.path, ...Object.fromEntries(Object.entries(shown.options).filter(([k]) => !without.has(k))) });
  const drop = (key) => {
    cubes.get(key).stop?.abort();
    made.remove(key);
    cubes.delete(key);
  };
  const count = () => Object.assign(canvas.dataset, { cubes: [...cubes.values()].filter((c) => c.state === "there").length, waiting: busy, bytes: made.bytes() });
  const request = async (at) => {
    const key = String(at), stop = new AbortController(), own = version, before = cubes.get(key), { side, low } = box();
    const cube = { at, state: before?.state === "there" ? "there" : "asked", stop, version: own };
    cubes.set(key, cube);
    busy++;
    try {
      const answer = await get(url(shown.file, `cube/${shown.generation}`, { ...query(), x: at[0], y: at[1], z: at[2] }), { signal: stop.signal });
      if (answer.status === 410) cube.state = "failed"; // a newer edition follows
      else if (!answer.ok) throw new Error((await answer.json()).error);
      else {
        const data = await answer.arrayBuffer();
        if (closed || cubes.get(key) !== cube) return;
        if (data.byteLength) await made.add(key, data, at.map((v, k) => Math.max(v * side, low[k])));
        else made.remove(key);
        if (closed || cubes.get(key) !== cube) return made.remove(key);
        cube.state = data.byteLength ? "there" : "empty";
      }
    } catch (err) {
      if (stop.signal.aborted) return;
      cube.state = "failed";
      tell(`A part cannot be shown: ${err.message}`);
    } finally {
      busy--;
      if (!closed) {
        limit();
        next();
        changed();
      }
    }
  };
  // limit leaves out the farthest cubes if all are too large.
  const limit = () => {
    while (made.bytes() > most) {
      const [key, far] = [...cubes].filter(([, c]) => c.state === "there").map(([k, c]) => [k, away(c.at, around)]).sort((a, b) => b[1] - a[1])[0];
      if (far < least) return;
      reach = Math.min(reach, far);
      shrunk = [...around];
      drop(key);
    }
  };
  const next = () => {
    for (const { at } of wanted(around)) {
      if (busy >= parallel) break;
      const cube = cubes.get(String(at));
      if (!cube || (cube.version !== version && cube.state !== "asked")) request(at);
    }
    count();
  };
  // clear returns the distance up to which everything is there.
  const clear = (eye) => wanted(eye).find(({ at }) => !cubes.has(String(at)) || cubes.get(String(at)).state === "asked")?.away ?? reach;

  return {
    look(eye) {
      around = [...eye];
      if (shrunk && Math.hypot(...shrunk.map((v, k) => v - eye[k])) > 16) {
        reach = Math.min(usual(), reach + 8);
        shrunk = eye;
      }
      for (const [key, { at }] of [...cubes]) if (away(at, eye) > reach + box().side / 2) drop(key);
      next();
    },
    near: (eye) => clear(eye) >= Math.min(reach, 24),
    idle: () => busy === 0 && clear(around) >= reach,
    draw({ eye, yaw, pitch, field, width, height, far = 0 }, seconds) {
      const to = Math.max(least, far, clear(around)), day = Number(shown.options["o.daylight"] ?? 1), paper = rgb(shown.view.background);
      const ease = (from, to, k) => (from === undefined || Math.abs(to - from) < 0.004 ? to : from + (to - from) * Math.min(1, k * seconds));
      haze = Math.abs(to - haze) < 0.25 ? to : ease(haze, to, far ? 15 : to < haze ? 6 : 2);
      light = ease(light, day, 4);
      sky = paper.map((v, k) => ease(sky?.[k], v, 4));
      const [s, c] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)], [sin, cos] = [Math.sin((pitch * Math.PI) / 180), Math.cos((pitch * Math.PI) / 180)];
      made.draw({
        eye: [eye[0], eye[1], -eye[2]], axes: [[c, 0, -s], [-s * sin, cos, -c * sin], [-s * cos, -sin, -c * cos]], focus: 1 / Math.tan((field * Math.PI) / 360),
        width, height, sky, sun: sunAt(light), haze: [haze * thin, haze],
      });
      return haze !== to || light !== day || sky.some((v, k) => v !== paper[k]);
    },
    // renew requests all cubes again, for another edition or with other options.
    renew() {
      version++;
      reach = Math.min(usual(), reach);
      next();
    },
    close() {
      closed = true;
      for (const key of [...cubes.keys()]) drop(key);
      made.close();
    },
  };
}
