// A text of the tree.
import { ask } from "./api.js";
import { el, fill } from "./dom.js";

export const panel = {
  name: "text", title: "Text",
  applies: ({ entry }) => Boolean(entry?.text),
  async open(node, context) {
    const draw = async () => {
      const { text } = await ask(context.doc.id, "text", { path: context.entry.path }, context.signal);
      fill(node, el("pre", { className: "data", tabIndex: 0 }, text));
    };
    await draw();
    return { update: (changed) => changed.has("doc") && draw() };
  },
};
