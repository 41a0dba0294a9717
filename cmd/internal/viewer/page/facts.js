// Facts about objects: what a point of a picture has, and what a file is.
import { state } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { solo, toggle } from "./layers.js";

const long = 300; // letters of a text that is shown in full only on request

// thing draws an object. drawn is set if its layer is visible.
export function thing(t, context, drawn) {
  const { shown } = context, layer = shown.view.layers.find((l) => l.name === t.layer);
  const title = t.title.startsWith(t.layer.split("/").pop() + ": ") ? t.title.slice(t.layer.split("/").pop().length + 2) : t.title;
  return el("article", { className: "card thing" },
    el("header", {}, el("h3", {}, title),
      layer && el("span", { className: "row" },
        el("button", { type: "button", className: "link", title: drawn ? "Hide this layer" : "Show this layer", onclick: () => toggle(shown, [t.layer], !drawn) }, t.layer),
        el("button", { type: "button", className: "quiet", title: "Show this layer alone", "aria-label": `Show ${t.layer} alone`, "aria-pressed": String(state().solo === t.layer), onclick: () => solo(t.layer) }, icon("eye")))),
    facts(t.facts, t.title),
    t.links.length > 0 && el("ul", { className: "plain links" }, t.links.map((l) => el("li", {}, el("button", { type: "button", className: "link", onclick: () => lead(context, l.at) }, icon("link"), l.title)))),
    (t.line || t.bytes) && el("footer", {},
      t.line && el("span", {}, el("button", { type: "button", className: "link data", title: "Open the text", onclick: () => context.go({ path: t.line.path, line: t.line.line || undefined, mode: "text" }) }, icon("text"), lineText(t.line)), copy(lineText(t.line), "path and line")),
      t.bytes && el("span", {}, el("button", { type: "button", className: "link data", title: "Open the bytes", onclick: () => context.go({ dump: t.bytes.path, space: t.bytes.space, offset: t.bytes.offset, length: t.bytes.length, mode: "hex" }) },
        icon("file"), `${[!t.bytes.space.startsWith(t.bytes.path) && t.bytes.path, t.bytes.space].filter(Boolean).join(" ")} +0x${t.bytes.offset.toString(16)}, ${t.bytes.length} ${t.bytes.length === 1 ? "byte" : "bytes"}`))));
}

const lineText = (l) => l.path + (l.line ? `:${l.line}` : "");

// lead goes to the target of a link and describes it.
function lead(context, [x, y]) {
  context.fly([Math.floor(x), Math.floor(y), Math.floor(x) + 1, Math.floor(y) + 1], { at: `${x},${y}` });
}

// copy is a button that copies a text.
export function copy(text, what) {
  return el("button", { type: "button", className: "quiet copy", title: `Copy ${what}`, "aria-label": `Copy ${what}`, onclick: async (e) => {
    const button = e.currentTarget;
    await navigator.clipboard.writeText(text).catch(() => {});
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1200);
  } }, icon("copy"));
}

// facts shows facts. A value is a text, a number, true or false, a list of texts, a list of facts, or an object
// with a type (see facts.go).
export function facts(list, key = "") {
  return el("dl", { className: "facts" }, list.flatMap((f) => {
    const inner = Array.isArray(f.value) && f.value.length > 0 && typeof f.value[0] === "object", own = `${key}/${f.key}`;
    if (inner) return el("dd", { className: "wide" }, el("details", { dataset: { key: own } }, el("summary", {}, f.label, brief1(f.value)), facts(f.value, own)));
    if (f.value?.type === "curve") {
      const dd = el("dd", { className: "wide" });
      import("./curve.js").then(({ plot }) => dd.append(plot(f.label, f.value, Number(state().time) || 0)), (err) => fill(dd, err.message));
      return dd;
    }
    if (f.value?.type === "slots") return el("dd", { className: "wide" }, el("p", { className: "muted" }, f.label), slots(f.value));
    return [el("dt", {}, f.label), el("dd", {}, value(f.value))];
  }));
}

// brief1 returns the summary of a closed list of facts.
function brief1(list) {
  const colors = list.filter((f) => f.value?.type === "color");
  if (colors.length) return el("span", {}, colors.map((f) => swatch(f.value)));
  const text = list.filter((f) => ["string", "number"].includes(typeof f.value)).slice(0, 3).map((f) => `${f.label} ${f.value}`).join(" · ");
  return el("span", {}, text);
}

function value(v) {
  if (Array.isArray(v)) return v.length > 3 ? el("ul", { className: "plain" }, v.map((text) => el("li", {}, text))) : v.join(", ");
  if (v?.type === "color") return [swatch(v), v.text];
  if (v === true || v === false) return v ? "yes" : "no";
  const text = v === null || v === undefined ? "" : String(v);
  return text.length > long ? el("details", { className: "long" }, el("summary", {}, el("span", {}, text.slice(0, 80))), text) : text;
}

function swatch(v) {
  const s = el("span", { className: "swatch", title: v.text });
  s.style.setProperty("--color", v.css);
  return s;
}

// slots is a grid of item slots. The text of a slot is shown for the pointer or the focus. The arrow keys move
// in the grid.
function slots({ width, items }) {
  const full = el("p", { className: "data full", "aria-live": "polite" });
  const cells = items.map((item, i) => {
    const [name, count] = item.split(" "), short = name.slice(name.indexOf(":") + 1).replaceAll("_", " ");
    const tell = () => (full.textContent = item || "empty");
    return el("button", { type: "button", className: item ? "slot" : "slot none", "aria-label": `${i + 1}: ${item || "empty"}`, title: item, tabIndex: i ? -1 : 0, onfocus: tell, onmouseenter: tell, onclick: tell }, el("span", {}, short), Number(count) > 1 && el("b", {}, count));
  });
  const grid = el("div", { className: "slots", role: "group", "aria-label": `${items.length} places, ${items.filter(Boolean).length} in use`, onkeydown: (e) => {
    const i = cells.indexOf(e.target), to = { ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: i + width, ArrowUp: i - width, Home: 0, End: cells.length - 1 }[e.key];
    if (i < 0 || !cells[to]) return;
    e.preventDefault();
    e.stopPropagation();
    cells[i].tabIndex = -1;
    cells[to].tabIndex = 0;
    cells[to].focus();
  } }, cells);
  grid.style.setProperty("--columns", width);
  return el("div", {}, grid, full);
}
