// The page: its panels, and their updates when the shown file, path or state changes.
//
// All visible content is in panels. A panel is the export of a module:
//
//   {name, title}      the name is in the address (mode=, tab=) and in the IDs of the page
//   icon               the name of the icon in the tab
//   applies(context)   whether the panel is offered for the current choice; always, if left out
//   usual(context)     whether it is the default if the address names none; otherwise the first one is
//   eager(context)     whether it is opened before the user chooses its tab: to count its contents
//   alone              it is offered even if no file is chosen
//   open(node, context)  fills the node; returns (or promises) an object that may have
//     update(changed)    called with a Set: keys of the state, "doc" (the file has changed on the
//                        disk), "entry" (another entry of the file is chosen), "shown" (another
//                        picture), "visible" (the panel is visible again)
//     focus(), close()
//
// panels.js states where each panel is, and whether it is loaded when it is opened for the first time (then
// open() exists only after that). Panels of the middle and the tools next to the picture live as long as the
// choice (file and path), the other panels as long as the file. The context has
//
//   session, doc, entry   the answers of /session, /f/N/open and /f/N/entry; doc is undefined in a gallery
//   shown                 the Scene of map.js, while a picture is open; show(shown) sets a new one
//   mode                  the name of the panel in the middle
//   tools                 the node for the buttons of a panel of the middle
//   signal                of the panel: aborted when the panel is closed
//   visible               whether the panel is visible
//   inspect(at)           the user points at x,y: the inspector comes to the front
//   go(values)            set() of state.js, as a new entry in the browser's history
//   goTo(file, values)    the same, with the file that has a number
//   states                of states.js; undefined if there are no earlier states
//   pair                  {ids, names} of the two files that are shown, the older one first; undefined for one file
//   fly(where, values)    shows a rectangle in the picture, in any mode; values are for the state
//   count(n, severity)    shows a number in the panel's title
//   say(text, offer)      shows a message in the bottom line, which screen readers announce; offer is a button for it
//   busy(what, promise)   reports an activity that takes long; returns the promise
//   waits(promise)        the same, in the panel's title
//   failed(node, err)     shows an error in place of the missing content
//
// Errors thrown by open() and update() are shown. Keys are bound by keys.js, dialogs are made by help.js, icons
// by icons.js.
import { json, ask } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { Panes } from "./panes.js";
import { frame } from "./frame.js";
import * as live from "./live.js";
import * as panels from "./panels.js";
import { working } from "./work.js";

const get = (id) => document.getElementById(id);

const waiting = [];
let told; // timer that removes the last message
const context = {
  session: await json("/session"), doc: undefined, entry: undefined, shown: undefined,
  get mode() { return middle.chosen?.name; },
  get pair() {
    const { session } = context, two = session.mode === "pair" && !state().then && { ids: session.files.map((f) => f.id), names: session.files.map((f) => f.name) };
    return context.states?.pair() ?? (two || undefined);
  },
  show(shown) {
    context.shown = shown;
    document.body.classList.toggle("pictured", Boolean(shown));
    context.states?.offer();
    queueMicrotask(() => refresh(new Set(["shown"])));
    for (const seen of waiting.splice(0)) seen(shown);
  },
  go: (values) => set(values, { push: true }),
  goTo: (file, values) => context.go({ ...(context.states?.values(file) ?? { file }), ...values }),
  inspect(at) {
    set({ at }, { push: true });
    inspected();
  },
  async fly(where, values = {}) {
    const next = new Promise((seen) => waiting.push(seen));
    set({ mode: undefined, line: undefined, ...values }, { push: true });
    await loaded;
    const shown = context.shown ?? (context.entry?.scene ? await next : undefined);
    shown?.flyTo(where);
    return shown;
  },
  say(text, offer) {
    clearTimeout(told);
    fill(get("status"), el("span", {}, text), offer);
    told = setTimeout(() => fill(get("status")), offer ? 60000 : 10000);
  },
  busy, failed,
};
const files = new Panes(context, panels.files, { stage: get("files") });
const left = new Panes(context, panels.left, { stage: get("left-panes") });
const middle = new Panes(context, panels.middle, { bar: get("modes"), stage: get("stage"), key: "mode", tools: get("tools") });
const right = new Panes(context, panels.right, { bar: get("tabs"), stage: get("right-panes"), key: "tab" });
const sides = frame();
document.body.classList.toggle("editing", context.session.edit !== undefined);
if (context.session.states) context.states = await import("./states.js").then((m) => m.timeline(context));

let loaded = Promise.resolve(), generation = 0;

const chosen = () => context.states?.file() ?? Number(state().file ?? context.session.edit ?? 0);

// load fetches the current choice and shows it. what is the changed part: "file", "path", "doc" or "state", which is a
// state of the same file.
function load(what) {
  const mine = ++generation;
  return (loaded = (async () => {
    const alone = context.session.mode === "gallery" && state().file === undefined;
    let doc = what === "path" ? context.doc : undefined, entry, wrong;
    try {
      if (!alone) {
        doc ??= await busy("the file", ask(chosen(), "open"));
        entry = await busy("the file", ask(doc.id, "entry", { path: state().path }));
      }
    } catch (err) {
      wrong = err;
    }
    if (mine !== generation) return;
    if (what === "doc" && !doc) return live.broken(context, wrong.message);
    if (what === "state" && (!doc || doc.format !== context.doc?.format)) what = "file";
    document.body.classList.toggle("alone", alone);
    for (const p of what === "file" ? [files, left, middle, right] : what === "path" || wrong ? [middle] : []) p.reset();
    if (!["doc", "state"].includes(what) || wrong) context.shown = undefined;
    Object.assign(context, { doc, entry });
    heading();
    if (what !== "doc") context.say("");
    live.broken(context, doc?.broken);
    live.damage(doc, () => (sides.open("right"), set({ tab: "findings" }), right.focus("findings")));
    refresh(new Set(what === "file" ? [] : what === "path" ? ["path", "entry"] : ["doc", "entry"]));
    if (wrong) failed(get("stage"), wrong, [doc?.name ?? context.session.files.find((f) => f.id === chosen())?.name, state().path].filter(Boolean).join(" / "));
    else get("stage").querySelector(":scope > .failed")?.remove();
    await middle.whenReady();
    working("start");
    if (what === "path" && document.activeElement === document.body) get("middle").focus(); // the focus was on a removed node
  })());
}

// inspected brings the panel that reports the chosen place to the front: the inspector, the changes of two files, or the tools that
// draw.
function inspected() {
  set({ tab: context.session.edit === undefined || context.states?.pair() ? undefined : right.chosen?.name === "draw" ? "draw" : "inspector" });
  sides.open("right");
}

function refresh(changed) {
  for (const p of [files, middle, left, right]) p.refresh(changed);
}

// heading shows what is open, with links to the containing folders.
function heading() {
  const { doc, entry, session } = context;
  const parts = entry?.path ? entry.path.split("/") : [];
  const crumb = (title, path, last) => el("li", {}, last ? el("span", { "aria-current": "page" }, title) : el("button", { type: "button", className: "link", onclick: () => context.go({ path, mode: undefined, line: undefined, at: undefined }) }, title));
  fill(get("crumbs"), parts.length ? [crumb(doc.name, "", false), ...parts.map((part, i) => crumb(part, parts.slice(0, i + 1).join("/"), i === parts.length - 1))] : []);
  fill(get("kind"), doc?.title ?? "");
  const pair = session.mode === "pair" && !context.states?.state();
  document.body.classList.toggle("pair", pair);
  const back = session.mode === "gallery" && doc && el("button", { type: "button", onclick: () => context.go(Object.fromEntries(Object.keys(state()).map((k) => [k, undefined]))) }, icon("back"), "All files");
  const choose = pair && el("select", { "aria-label": "File of the tree, the texts and the findings", onchange: (e) => context.go({ file: e.target.value, path: undefined, mode: undefined, line: undefined }) },
    session.files.map((f) => el("option", { value: f.id, selected: f.id === doc?.id }, f.name)));
  const again = doc && !doc.watched && el("button", { type: "button", className: "quiet", title: "Read it again: it is not watched", onclick: (e) => renew(e.currentTarget) }, icon("again"), el("span", {}, "Reload"));
  fill(get("which"), back, choose, again);
  get("title").textContent = (!pair && doc?.name) || context.session.title;
  document.title = `${parts.at(-1) ?? doc?.name ?? context.session.title} – Trowel`;
}

// renew makes the program reread a file that is not watched.
async function renew(button) {
  button.disabled = true;
  try {
    await busy(context.doc.name, ask(context.doc.id, "renew"));
    context.say(`${context.doc.name} was read again`);
  } catch (err) {
    live.broken(context, err.message);
  } finally {
    button.disabled = false;
  }
}

// busy reports an activity after 0.3 s.
function busy(what, promise) {
  if (!promise?.then) return promise;
  const timer = setTimeout(() => working(promise, `Loading ${what}`), 300);
  const done = () => {
    clearTimeout(timer);
    working(promise);
  };
  promise.then(done, done);
  return promise;
}

function failed(node, err, name = context.doc?.name) {
  if (err.name === "AbortError") return;
  const text = el("p", {}, err.message);
  const box = el("div", { className: "failed", role: "alert" }, icon("error"), el("div", {}, el("h2", {}, name ? `${name} cannot be shown` : "This cannot be shown"), text));
  node.querySelector(":scope > .failed")?.remove();
  if (node.id === "stage") node.append(box);
  else fill(node, box);
}

let both = String(context.pair?.ids);
watch((changed) => {
  const before = both;
  both = String(context.pair?.ids);
  if (changed.has("file")) load("file");
  else if (changed.has("then") || (context.states && before !== both)) {
    if (before !== both) middle.reset(); // the pictures of both are opened again
    load("state");
  }
  else if (changed.has("path")) load("path");
  else refresh(changed);
});
live.listen(context, () => load("doc"));

const dialogs = (name, ...args) => import("./help.js").then((m) => m[name](...args)).catch((err) => context.say(err.message));
bind("?", "these keys", () => void dialogs("help"));
bind("/", "search", () => { if (!context.doc) return false; sides.open("right"); set({ tab: "search" }); right.focus("search"); });
bind("i", "what is at the chosen place", () => { sides.open("right"); set({ tab: context.session.edit === undefined ? undefined : "inspector" }); right.focus("inspector"); });
bind("Escape", "close what is open over the page");
bind("g", "go to coordinates", () => void dialogs("askPlace", (text) => {
  const wrong = context.shown.goTo(text);
  if (!wrong) inspected();
  return wrong;
}), { group: "Picture", when: () => Boolean(context.shown?.goTo) });
bind("ArrowLeft ArrowRight ArrowUp ArrowDown", "move the picture", undefined, { group: "Picture", when: () => Boolean(context.shown) });
bind("Enter", "what is in the middle of it", undefined, { group: "Picture", when: () => Boolean(context.shown) });
bind("+ -", "closer, farther", undefined, { group: "Picture", when: () => Boolean(context.shown) });
get("help").onclick = () => dialogs("help");
get("link").onclick = () => import("./link.js").then((m) => m.copy(context));

await load("file");
document.body.dataset.ready = "true"; // for tests
