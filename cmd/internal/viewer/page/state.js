// The state of the page. It is in the fragment of the address, so that it can be saved and sent. If there is a page around this one
// (see door.js), it is in the address of that.
//
//   file, path   the file, and the path in its tree
//   view         of the scene
//   x, y, z      the middle of the visible part, in units of the view, and the zoom
//   layers       differences from the default: a line for each, with + or - before the name
//   solo         the only visible layer
//   zoom         of the game's camera
//   stand, turn  the place of a camera in three dimensions, and its yaw and pitch in degrees
//   turn         five numbers, of a model: see turn.js
//   grid         1: the borders of cells are drawn
//   time         milliseconds
//   o.NAME       options
//   at           x,y of the inspected point
//   line         of a text
//   mode         the panel in the middle: picture, table, text, contents, hex, compare
//   tab          of the right side: inspector, findings, release, changes, search, about
//
// A panel may have additional keys; the module that reads a key documents it.
const watchers = new Set();
let now = read();

// A link such as ?rules=ddnet is for any files, also those that are opened later: see release.js.
function read() {
  const own = new URLSearchParams(parent.location.hash.slice(1)), rules = new URLSearchParams(parent.location.search).get("rules");
  return { ...(rules && { rules }), ...Object.fromEntries(own) };
}

export const state = () => now;

// set changes some values; undefined removes a value. Watchers are called with the changes.
export function set(values, { push = false } = {}) {
  const next = { ...now };
  for (const [key, value] of Object.entries(values)) {
    if ((value ?? "") === "") delete next[key];
    else next[key] = String(value);
  }
  apply(next, push ? "pushState" : "replaceState");
}

function apply(next, how) {
  const changed = new Set([...Object.keys(now), ...Object.keys(next)].filter((k) => now[k] !== next[k]));
  if (!changed.size) return;
  now = next;
  if (how) parent.history[how](null, "", "#" + new URLSearchParams(now));
  for (const w of watchers) w(changed);
}

// watch calls back with the set of changed keys.
export const watch = (f) => (watchers.add(f), () => watchers.delete(f));

const moved = () => apply(read());
parent.addEventListener("popstate", moved);
addEventListener("pagehide", () => parent.removeEventListener("popstate", moved));

// optionsNow returns the options of the picture, with their names in the address.
export const optionsNow = () => Object.fromEntries(Object.entries(state()).filter(([k]) => k.startsWith("o.")));
