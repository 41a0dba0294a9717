// What can be done with the layers and groups of the edited file: the steps that its format declares.
import { ask } from "./api.js";
import { el, fill } from "./dom.js";

// arrange returns a node, and functions that fetch the steps again and choose a part.
export function arrange(context, list) {
  let actions = [], chosen = "";
  const parts = el("select", { id: "part", onchange: () => ((chosen = parts.value), draw()) }), buttons = el("div", { className: "row wrap" });
  const node = el("details", {}, el("summary", {}, "Layers and groups"), el("label", { htmlFor: "part" }, "Part"), parts, buttons);

  const run = async ({ title, words, asks }) => {
    if (asks) return list.propose(words);
    try {
      await list.act({ do: "add", words });
      context.say(list.now.list.at(-1)?.error ?? `${chosen || "The file"}: ${title.toLowerCase()}`);
    } catch (err) {
      context.say(err.message);
    }
  };

  function draw() {
    const names = [...new Set(actions.map((a) => a.part))];
    if (!names.includes(chosen)) chosen = names[0] ?? "";
    if ([...parts.options].map((o) => o.value).join("\n") !== names.join("\n")) fill(parts, names.map((n) => el("option", { value: n }, n === "" ? "The whole file" : n.includes("/") ? `\u2003${n}` : n)));
    parts.value = chosen;
    fill(buttons, actions.filter((a) => a.part === chosen).map((a) => el("button", { type: "button", onclick: () => run(a) }, a.asks ? `${a.title} …` : a.title)));
  }
  return {
    node,
    async load() {
      const partsOf = () => [...new Set(actions.map((a) => a.part))], before = partsOf();
      ({ actions } = await ask(list.file, "actions", {}, context.signal));
      const now = partsOf();
      if (!now.includes(chosen) && now.length === before.length) chosen = now[before.indexOf(chosen)]; // it has another name
      draw();
    },
    choose(part) {
      chosen = part;
      draw();
    },
  };
}
