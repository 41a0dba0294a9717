// The page: what is where, and what happens when what is looked at changes.
import { json, ask } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { show } from "./map.js";
import { inspect, facts } from "./inspector.js";

const left = document.getElementById("left");
const middle = document.getElementById("middle");
const right = document.getElementById("right");

const session = await json("/session");
let doc, shown;

async function open() {
  doc = await ask(state().file ?? 0, "open");
  fill(right, el("h2", {}, doc.title), facts(doc.info));
  shown?.close();
  shown = undefined;
  if (doc.scene) shown = await show(middle, doc.id, doc.generation);
  fill(left, shown ? shown.view.layers.map(layer) : []);
}

function layer(l) {
  const names = () => state().layers?.split("\n") ?? shown.view.layers.filter((x) => x.shown).map((x) => x.name);
  const toggle = (e) => {
    const next = e.target.checked ? [...names(), l.name] : names().filter((n) => n !== l.name);
    set({ layers: next.join("\n") || "\n" });
  };
  return el("label", {}, el("input", { type: "checkbox", checked: names().includes(l.name), onchange: toggle }), l.name);
}

watch((changed) => {
  if (["file", "path", "view"].some((k) => changed.has(k))) open();
  else if (changed.has("at") && shown && state().at) inspect(right, doc.id, shown, state().at);
});

const events = new EventSource("/events");
events.addEventListener("changed", open);

await open();
document.body.dataset.ready = "true"; // for tests
