// The entries of a folder of the tree, or of a file without a picture.
import { ask } from "./api.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { set } from "./state.js";
import { facts } from "./facts.js";

const bytes = new Intl.NumberFormat("en");

export const panel = {
  async open(node, context) {
    const { doc, entry } = context;
    const go = (name) => context.go({ path: entry.path ? `${entry.path}/${name}` : name, mode: undefined, line: undefined });
    const list = el("tbody");
    const more = el("button", { type: "button", onclick: () => add() }, "More");
    let after = 0;
    async function add() {
      const page = await context.busy("the list", ask(doc.id, "tree", { path: entry.path, after }, context.signal));
      if (!entry.path && !doc.folder && page.entries.length === 1 && !page.entries[0].dir) return set({ path: page.entries[0].name }); // the only entry
      after += page.entries.length;
      list.append(...page.entries.map((e) => el("tr", {}, el("td", {}, el("button", { type: "button", className: "link", onclick: () => go(e.name) }, icon(e.dir ? "folder" : e.scene ? "picture" : "file"), e.name)), el("td", { className: "number" }, e.dir ? "" : bytes.format(e.size)))));
      more.hidden = !page.more;
    }
    async function draw() {
      after = 0;
      fill(list);
      await add();
      fill(node, el("div", { className: "page" },
        entry.path ? [] : [el("h2", {}, doc.name), el("p", { className: "muted" }, doc.title), facts(doc.info)],
        after ? el("table", {}, el("caption", {}, entry.path || "All that is in it"), el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Name"), el("th", { scope: "col", className: "number" }, "Bytes"))), list) : el("p", { className: "empty" }, "There is nothing in it."), more));
    }
    await draw();
    return { update: (changed) => changed.has("doc") && draw() };
  },
};
