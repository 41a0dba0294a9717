// The views of the picture, and the visible layers.
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";

export const plain = (path) => path.replace(/~\w+(?=\/|$)/g, ""); // what follows ~ only distinguishes files
const many = 12; // number of layers from which a filter is shown

// setLayers sets the visible layers. The address keeps only differences from the default.
function setLayers(view, names) {
  const shown = new Set(names);
  const other = view.layers.filter((l) => l.shown !== shown.has(l.name)).map((l) => (shown.has(l.name) ? "+" : "-") + l.name);
  set({ layers: other.join("\n"), solo: undefined });
}

export const namesShown = (shown) => shown.shownLayers().map((i) => shown.view.layers[i].name);

// toggle shows or hides layers. solo shows one layer alone, or restores the previous ones.
export function toggle(shown, names, on) {
  setLayers(shown.view, [...namesShown(shown).filter((n) => !names.includes(n)), ...(on ? names : [])]);
}
export const solo = (name) => set({ solo: state().solo === name ? undefined : name });

export const panel = {
  name: "layers", title: "Layers",
  applies: ({ shown, mode }) => ["picture", "compare"].includes(mode) && (shown?.scene.views.length > 1 || shown?.view.layers.length > 0),
  open(node, context) {
    let view, rows, tops, wanted = "";

    function draw() {
      const { shown } = context;
      view = shown.view;
      rows = [];
      const views = el("select", { "aria-label": "View", title: view.title, onchange: (e) => shown.choose(e.target.value) }, shown.scene.views.map((v) => el("option", { value: v.name, selected: v === view }, v.title[0].toUpperCase() + v.title.slice(1))));
      // A long title is cut off in the field, so the full title is shown below.
      const told = view.title.length > 26 && el("p", { className: "muted" }, view.title[0].toUpperCase() + view.title.slice(1));
      const button = (text, title, onclick) => el("button", { type: "button", title, onclick }, text);
      const all = view.layers.map((l) => l.name);
      const tools = all.length > 1 && el("div", { className: "row choose" },
        button("Usual", "those that are usually shown", () => set({ layers: undefined, solo: undefined })),
        button("All", "all layers", () => setLayers(view, all)), button("None", "no layer", () => setLayers(view, [])));
      const filter = all.length > many && el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the layers", value: wanted, oninput: (e) => { wanted = e.target.value; find(); } });
      const list = el("ul", { className: "plain layers" });
      tops = [];
      const groups = new Map();
      for (const l of view.layers) {
        const cut = l.name.lastIndexOf("/"), name = l.name.slice(0, Math.max(cut, 0));
        if (cut < 0) {
          const one = row(l);
          list.append(one.li);
          tops.push([l.name]);
          continue;
        }
        if (!groups.has(name)) {
          const own = [], inner = el("ul", { className: "plain" }), box = el("input", { type: "checkbox", onchange: () => toggle(shown, own, box.checked) });
          list.append(el("li", {}, el("label", { className: "check group" }, digit(), box, el("span", {}, plain(name))), inner));
          groups.set(name, { own, inner });
          tops.push(own);
          rows.push({ names: own, box, li: inner.parentNode, text: name });
        }
        const { own, inner } = groups.get(name);
        own.push(l.name);
        inner.append(row(l, plain(l.name.slice(cut + 1))).li);
      }
      fill(node, shown.scene.views.length > 1 && [views, told], tools, filter, list);
      find();
      tell();
    }
    const digit = () => el("kbd", { className: "digit" }, tops.length < 9 ? String(tops.length + 1) : "");

    function row(l, short) {
      const kind = l.title && l.title !== (short ?? l.name).toLowerCase() && el("span", { className: "muted" }, `, ${l.title}`);
      const box = el("input", { type: "checkbox", onchange: () => toggle(context.shown, [l.name], box.checked) });
      const alone = el("button", { type: "button", className: "quiet alone", title: `Only ${l.name}`, "aria-label": `Only ${l.name}`, onclick: () => solo(l.name) }, icon("eye"));
      const label = el("label", { className: "check", title: "With Alt: this one only", onclick: (e) => { if (e.altKey) { e.preventDefault(); solo(l.name); } } },
        short === undefined && digit(), box, el("span", {}, short ?? l.name, kind || ""));
      const one = { names: [l.name], box, alone, li: el("li", {}, el("div", { className: "row" }, label, alone)), text: `${l.name} ${l.title}` };
      rows.push(one);
      return one;
    }

    // tell updates the boxes to the visible layers.
    function tell() {
      const now = new Set(namesShown(context.shown)), { solo } = state();
      for (const { names, box, alone, li } of rows) {
        const on = names.filter((n) => now.has(n)).length;
        box.checked = on === names.length;
        box.indeterminate = on > 0 && on < names.length;
        alone?.setAttribute("aria-pressed", solo === names[0]);
        li.classList.toggle("off", !on);
      }
      context.count(view.layers.length ? `${now.size}/${view.layers.length}` : undefined);
    }

    function find() {
      const words = wanted.toLowerCase().split(/\s+/);
      for (const r of rows) r.found = words.every((w) => r.text.toLowerCase().includes(w));
      for (const r of rows) {
        const inGroup = r.names.some((n) => rows.some((o) => o !== r && o.found && o.names.includes(n)));
        r.li.hidden = !(r.found || inGroup);
      }
    }

    const unbind = bind("1 2 3 4 5 6 7 8 9", "show or hide the layers with this number", (e) => {
      const own = tops[e.key - 1];
      if (!own) return false;
      const now = namesShown(context.shown);
      toggle(context.shown, own, !own.every((n) => now.includes(n)));
      context.say(`${own.length === 1 ? own[0] : own[0].slice(0, own[0].lastIndexOf("/"))}: ${own.every((n) => now.includes(n)) ? "hidden" : "shown"}`);
    }, { group: "Picture", when: () => Boolean(context.shown) && tops?.length > 0 });
    draw();
    return {
      update(changed) {
        if (!context.shown) return;
        if (changed.has("shown") && (view !== context.shown.view || changed.has("doc"))) draw();
        else if (changed.has("layers") || changed.has("solo") || changed.has("shown")) tell();
      },
      close: unbind,
    };
  },
};
