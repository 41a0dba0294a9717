// Which layers of the picture are shown.
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";

export const panel = {
  name: "layers", title: "Layers",
  applies: ({ shown, mode }) => mode === "picture" && shown?.view.layers.length > 0,
  open(node, context) {
    const names = () => state().layers?.split("\n") ?? context.shown.view.layers.filter((l) => l.shown).map((l) => l.name);
    const toggle = (name, on) => set({ layers: [...names().filter((n) => n !== name), ...(on ? [name] : [])].join("\n") || "\n" });
    const draw = () => fill(node, el("ul", { className: "plain" }, context.shown.view.layers.map((l) => el("li", {}, el("label", { className: "check" }, el("input", { type: "checkbox", checked: names().includes(l.name), onchange: (e) => toggle(l.name, e.target.checked) }), el("span", {}, l.name))))));
    draw();
    return { update: (changed) => (changed.has("shown") || changed.has("layers")) && context.shown && draw() };
  },
};
