// The properties of the whole file.
import { el, fill } from "./dom.js";
import { facts } from "./facts.js";

export const panel = {
  open(node, context) {
    const draw = () => {
      const { doc } = context;
      fill(node, el("h2", {}, doc.name), el("p", { className: "muted" }, doc.title), facts(doc.info),
        doc.notes.length ? [el("h3", {}, "Notes"), el("ul", { className: "notes" }, doc.notes.map((n) => el("li", {}, n)))] : []);
    };
    draw();
    return { update: (changed) => changed.has("doc") && draw() };
  },
};
