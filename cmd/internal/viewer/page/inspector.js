// What is at the point that was chosen.
import { ask } from "./api.js";
import { state } from "./state.js";
import { el, fill } from "./dom.js";

export const panel = {
  name: "inspector", title: "Inspector",
  applies: ({ entry }) => Boolean(entry?.scene),
  open(node, context) {
    node.setAttribute("aria-live", "polite");
    const draw = async () => {
      const { at } = state(), { shown, doc } = context;
      if (!at || !shown) return fill(node, el("p", { className: "empty" }, "Click into the picture, or press Enter in it: all that is at that place is told here."));
      const [x, y] = at.split(",");
      const { things } = await ask(doc.id, "inspect", { ...shown.query(), x, y, z: shown.map.getZoom() }, context.signal);
      fill(node, things.length ? things.map(thing) : el("p", { className: "empty" }, "Nothing is there."));
    };
    draw().catch((err) => context.failed(node, err));
    return { update: (changed) => ["at", "shown", "doc"].some((k) => changed.has(k)) && draw() };
  },
};

const thing = (t) => el("section", { className: "thing" }, el("h3", {}, t.title), facts(t.facts));

export const facts = (list) => el("dl", {}, list.flatMap((f) => [el("dt", {}, f.label), el("dd", {}, value(f.value))]));

function value(v) {
  if (Array.isArray(v)) return typeof v[0] === "object" ? facts(v) : v.join(", ");
  if (v && typeof v === "object") return JSON.stringify(v);
  return String(v);
}
