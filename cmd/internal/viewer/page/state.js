// What is looked at: all of it is in the address, behind #, so that it can be kept and sent.
//
//   file, path   which file, and which of its tree
//   view         of the scene
//   x, y, z      the middle of what is shown, in units of the view, and the zoom
//   layers       those that are not as usual: a line for each, with + or - before its name
//   solo         the one layer that is shown alone
//   zoom         of the game's camera
//   grid         1: the edges of the cells are drawn
//   time         milliseconds
//   o.NAME       options
//   at           x,y of what is inspected
//   line         of a text
//   mode         how it is shown in the middle: picture, table, text, contents, hex, compare
//   tab          of the right side: inspector, findings, changes, search, about
//
// A panel may have more keys of its own; the module that reads one says what it is.
const watchers = new Set();
let now = read();

function read() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export const state = () => now;

// set changes some values; undefined takes one away. Watchers are called with what changed.
export function set(values, { push = false } = {}) {
  const next = { ...now };
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "") delete next[key];
    else next[key] = String(value);
  }
  apply(next, push ? "pushState" : "replaceState");
}

function apply(next, how) {
  const changed = new Set([...Object.keys(now), ...Object.keys(next)].filter((k) => now[k] !== next[k]));
  if (!changed.size) return;
  now = next;
  if (how) history[how](null, "", "#" + new URLSearchParams(now));
  for (const w of watchers) w(changed);
}

// watch calls back with the set of keys that changed.
export const watch = (f) => (watchers.add(f), () => watchers.delete(f));

addEventListener("hashchange", () => apply(read()));
addEventListener("popstate", () => apply(read()));
