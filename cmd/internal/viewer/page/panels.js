// The list of panels and their positions. Panels not needed at first are loaded when they are opened.
import { load } from "./load.js";
import { state } from "./state.js";
import * as tree from "./tree.js";
import * as inspector from "./inspector.js";
import * as layers from "./layers.js";
import * as options from "./options.js";

// later is a panel of a module, usually with its name, that is loaded when the panel is opened for the first time, after the
// scripts and styles it needs.
const later = (file, panel, ...needs) => ({ name: file, ...panel, open: async (node, context) => {
  await Promise.all(needs.map(load));
  return (await import(`./${file}.js`)).panel.open(node, context);
} });

// kept reports whether the file stays as it is: what takes long is not done again after each change that the user makes.
const kept = ({ session }) => session.edit === undefined;

const pair = (context) => Boolean(context.pair);
// edits reports whether the user makes changes, rather than comparing two states.
const edits = ({ session, states }) => session.edit !== undefined && !states?.pair();

export const files = [tree.panel];
export const left = [layers.panel, options.panel, options.missing];
export const middle = [
  later("gallery", { title: "Files", alone: true, applies: ({ session, doc }) => session.mode === "gallery" && !doc }, "compare.css"),
  later("compare", { title: "Both", applies: (context) => pair(context) && Boolean(context.entry?.scene), usual: pair }, "leaflet.js", "compare.css"),
  later("map", { name: "picture", title: "Picture", applies: ({ entry }) => Boolean(entry?.scene) }, "leaflet.js"),
  later("table", { title: "Table", applies: ({ entry }) => Boolean(entry?.table) }, "text.css"),
  later("text", { title: "Text", applies: ({ entry }) => Boolean(entry?.text) }, "text.css"),
  later("contents", { title: "Contents", usual: ({ entry }) => Boolean(entry?.dir && !entry.path && !entry.scene), applies: ({ entry }) => entry?.dir && !(entry.scene && !entry.path) }, "facts.css"),
  later("hex", { title: "Bytes", applies: ({ entry, doc }) => Boolean(entry) && (!entry.dir || (!entry.path && (!doc.folder || state().dump !== undefined))) }, "panels.css"),
];
export const right = [
  inspector.panel,
  later("findings", { title: "Findings", icon: "warning", eager: kept }),
  later("release", { title: "Release", icon: "flag", applies: (context) => Boolean(context.doc.checks?.rules) && !pair(context) && kept(context), usual: () => Boolean(state().rules) }, "panels.css"),
  later("draw", { title: "Draw", icon: "brush", usual: edits, applies: ({ session, doc, shown }) => session.edit === doc.id && doc.paints && Boolean(shown?.map) }, "draw.css"),
  later("edit", { title: "Edit", icon: "list", eager: () => true, applies: ({ session }) => session.edit, usual: edits }, "edit.css"),
  later("changes", { title: "Changes", icon: "changes", eager: kept, applies: pair, usual: pair }, "compare.css"),
  later("search", { title: "Search", icon: "search" }, "panels.css"),
  later("about", { title: "About", icon: "info" }, "facts.css"),
];
