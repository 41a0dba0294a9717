// What is at the point that was chosen.
import { ask } from "./api.js";
import { el, fill } from "./dom.js";

export async function inspect(node, file, shown, at) {
  const [x, y] = at.split(",");
  const { things } = await ask(file, "inspect", { ...shown.query(), x, y, z: shown.map.getZoom() });
  fill(node, things.length ? things.map(thing) : el("p", {}, "Nothing is there."));
}

const thing = (t) => el("section", { className: "thing" }, el("h3", {}, t.title), facts(t.facts));

export const facts = (list) => el("dl", {}, list.flatMap((f) => [el("dt", {}, f.label), el("dd", {}, value(f.value))]));

function value(v) {
  if (Array.isArray(v)) return typeof v[0] === "object" ? facts(v) : v.join(", ");
  if (v && typeof v === "object") return JSON.stringify(v);
  return String(v);
}
