// The options of the picture, and the missing data.
import { ask } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";

const pause = 250; // milliseconds after the last movement of a slider

// optionsOf returns the options of the visible view that the page offers: without the position of the camera, which
// camera.js sets.
const optionsOf = ({ scene, view }) => scene.options.filter((o) => o.kind !== "place" && (o.views ?? [view.name]).includes(view.name) && !(o.name === "zoom" && view.camera));

export const panel = {
  name: "options", title: "Options",
  applies: ({ shown, mode }) => ["picture", "compare"].includes(mode) && Boolean(shown) && optionsOf(shown).length > 0,
  open(node, context) {
    const wait = {}, drawn = new Map();
    const now = (o) => state()["o." + o.name] ?? o.default;
    const put = (o, value, later) => {
      clearTimeout(wait[o.name]);
      const does = () => set({ ["o." + o.name]: value === o.default ? undefined : String(value) });
      if (later) wait[o.name] = setTimeout(does, pause);
      else does();
    };
    const named = (o, ...fields) => el("div", { className: "option" }, ...fields, el("p", { className: "muted", id: `help-${o.name}` }, o.help[0].toUpperCase() + o.help.slice(1) + "."));

    // amount is a slider and a field for a number. Without a default value, it can be off.
    function amount(o) {
      const [least, most] = o.range ?? [], id = `option-${o.name}`, end = o.name.startsWith("max-") ? most : least;
      const common = { min: least, max: most, step: o.kind === "integer" ? 1 : "any", "aria-describedby": `help-${o.name}` };
      const field = el("input", { type: "number", id, ...common, onchange: () => (sync(field.value), put(o, field.value)) });
      const slider = o.range && most > least && el("input", { type: "range", ...common, "aria-label": o.title, oninput: () => (sync(slider.value), put(o, own(slider.value), true)) });
      const bound = /^(min|max)-/.test(o.name); // at its end it has no effect
      const own = (v) => (bound && Number(v) === end ? "" : v);
      const onOff = o.default === "" && !bound && slider && el("input", { type: "checkbox", "aria-label": `${o.title}: on`, onchange: () => put(o, onOff.checked ? slider.value : "") });
      const sync = (v) => {
        field.value = v;
        if (slider && v !== "") slider.value = v;
        if (onOff) onOff.checked = v !== "";
      };
      drawn.set(o.name, () => sync(now(o) === "" && bound && o.range ? end : now(o)));
      if (slider && !onOff && !bound) slider.value = now(o);
      if (onOff) slider.value = Math.round((least + most) / 2);
      return named(o, el("div", { className: "row" }, onOff, el("label", { htmlFor: id }, o.title), field), slider);
    }
    function control(o) {
      if (o.kind === "integer" || o.kind === "number") return amount(o);
      const id = `option-${o.name}`, common = { id, "aria-describedby": `help-${o.name}` };
      if (o.kind === "bool") {
        const box = el("input", { type: "checkbox", ...common, onchange: () => put(o, box.checked ? "true" : o.default === "true" ? "false" : "") });
        drawn.set(o.name, () => (box.checked = now(o) === "true"));
        return named(o, el("label", { className: "check" }, box, o.title));
      }
      const field = o.kind === "choice" ? el("select", { ...common, onchange: () => put(o, field.value) }, o.choices.map((c) => el("option", { value: c }, c))) : el("input", { type: "text", ...common, onchange: () => put(o, field.value) });
      drawn.set(o.name, () => (field.value = now(o)));
      return named(o, el("label", { htmlFor: id }, o.title), field);
    }

    let made;
    const draw = () => {
      const options = optionsOf(context.shown);
      const what = JSON.stringify(options);
      if (what !== made) {
        made = what;
        drawn.clear();
        fill(node, options.map(control));
      }
      for (const report of drawn.values()) report();
      const set = options.filter((o) => now(o) !== o.default).length;
      context.count(set || undefined);
    };
    draw();
    return {
      update: (changed) => context.shown && (changed.has("shown") || [...changed].some((k) => k.startsWith("o."))) && draw(),
      close: () => Object.values(wait).forEach(clearTimeout),
    };
  },
};

// missing is the panel of missing data of the picture.
export const missing = {
  name: "missing", title: "Missing",
  applies: ({ shown, mode }) => mode === "picture" && Boolean(shown),
  open(node, context) {
    let of, timer, told;
    const draw = async () => {
      const { shown } = context;
      if (!shown) return;
      const { missing, total } = await ask(shown.file, "missing", shown.query(), context.signal);
      const what = JSON.stringify(missing);
      if (what === told) return;
      told = what;
      parent.trowel?.missing(missing);
      context.count(total || undefined, missing.some((m) => m.loss) ? "error" : undefined);
      const kinds = Map.groupBy(missing, (m) => `${m.kind}\n${m.what}`);
      fill(node, total === 0 ? el("p", { className: "empty" }, "Nothing was missing for what was drawn so far.") : [...kinds.values()].map((list) => el("section", { className: "missing" },
        el("h3", { className: list[0].loss ? "wrong" : "" }, `${list[0].kind}${list.length > 1 ? ` (${list.length})` : ""}`), list[0].what && el("p", { className: "muted" }, list[0].what),
        el("table", {}, el("tbody", {}, list.sort((a, b) => b.count - a.count).map((m) => el("tr", {}, el("td", { className: "data" }, m.name), el("td", { className: "number" }, m.count ? `${m.count.toLocaleString("en")} ${m.unit}` : ""))))))),
        missing.some((m) => m.kind === "image" && !m.loss) && (parent.trowel
          ? el("button", { type: "button", onclick: parent.trowel.choose }, "Choose the folder of pictures")
          : el("p", {}, "The pictures are in the folder ", el("code", {}, "mapres"), " of the game: start ", el("code", {}, "trowel view"), " with ", el("code", {}, "--mapres FOLDER"), ".")),
        total > missing.length && el("p", {}, `and ${total - missing.length} more`));
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => draw().catch((err) => context.failed(node, err)), 800);
    };
    const follow = () => {
      if (of === context.shown) return;
      of?.onDrawn?.delete(later);
      of = context.shown;
      of?.onDrawn?.add(later);
      later();
    };
    fill(node, el("p", { className: "empty" }, "Nothing was missing for what was drawn so far."));
    follow();
    return { update: (changed) => (changed.has("shown") || changed.has("doc")) && (follow(), later()), close: () => (clearTimeout(timer), of?.onDrawn?.delete(later)) };
  },
};
