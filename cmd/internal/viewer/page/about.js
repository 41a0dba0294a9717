// The properties of the whole file.
import { el, fill } from "./dom.js";
import { facts } from "./facts.js";
import { url } from "./api.js";

export const panel = {
  open(node, context) {
    const keep = (what, address, title) => el("button", { type: "button", onclick: async () => (await import("./save.js")).download(context, what, url(context.doc.id, address)) }, title);
    const draw = () => {
      const { doc } = context;
      fill(node, el("h2", {}, doc.name), el("p", { className: "muted" }, doc.title), facts(doc.info),
        el("p", { className: "row" }, keep("the folder", "folder", "Download its folder (.zip)"), keep("the findings", "findings", "Download its findings (JSON)")),
        doc.notes.length ? [el("h3", {}, "Notes"), el("ul", { className: "notes" }, doc.notes.map((n) => el("li", {}, n)))] : []);
    };
    draw();
    return { update: (changed) => changed.has("doc") && draw() };
  },
};
