// The objects at the chosen point. facts.js draws them: it is loaded when the first point is chosen.
import { ask } from "./api.js";
import { state } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { load } from "./load.js";
import { brief, say } from "./place.js";
import { namesShown } from "./layers.js";

export const panel = {
  name: "inspector", title: "Inspector", icon: "eye",
  applies: ({ entry }) => Boolean(entry?.scene),
  open(node, context) {
    let told;
    const draw = async () => {
      const { at } = state(), { shown } = context;
      if (!shown) return context.mode && context.mode !== "picture" && context.mode !== "compare" && welcome();
      if (!shown.scene.inspects) return fill(node, el("p", { className: "empty" }, "This picture does not know what is where in it."));
      const point = at?.split(",").map(Number);
      if (shown.standing) return fill(node, el("p", { className: "empty" }, "Go back to the map to choose a place: press c in the picture."));
      if (!point?.every(Number.isFinite) || point.length !== 2) return welcome(shown);
      const [{ things }, draws] = await context.busy("details", Promise.all([
        ask(shown.file, "inspect", { ...shown.query(), ...shown.inspectQuery(), x: point[0], y: point[1] }, context.signal), import("./facts.js"), load("facts.css")]));
      if (at !== state().at || shown !== context.shown) return;
      show(things, point, draws);
    };
    const welcome = async (shown) => {
      const { entry } = context, { brief } = await import("./brief.js");
      const content = entry.path ? el("p", { className: "empty" }, "Click into the picture, or press Enter in it: all that is at that place is reported here.") : await brief(context);
      if (shown === context.shown && entry === context.entry && !state().at) fill(node, content);
    };
    const show = (things, point, { thing, copy }) => {
      const { shown } = context, { view } = shown;
      const now = new Set(namesShown(shown)), known = new Set(view.layers.map((l) => l.name));
      const hidden = things.filter((t) => known.has(t.layer) && !now.has(t.layer)), seen = things.filter((t) => !hidden.includes(t));
      const opened = new Set([...node.querySelectorAll("details[open]")].map((d) => d.dataset.key));
      const card = (t) => thing(t, context, now.has(t.layer));
      const camera = shown.scene.views.find((v) => v.camera);
      const top = node.scrollTop;
      fill(node,
        el("div", { className: "spot" }, el("h2", { className: "data" }, say(view, point)), copy(brief(view, point), "the coordinates"),
          camera && view !== camera && el("button", { type: "button", onclick: () => context.go({ view: camera === shown.scene.views[0] ? undefined : camera.name, x: point[0], y: point[1] }) }, icon("camera"), "As in game from here"),
          !camera && shown.scene.sights && el("button", { type: "button", onclick: () => shown.toCamera(point) }, icon("camera"), "Stand here")),
        seen.length ? seen.map(card) : el("p", { className: "empty" }, hidden.length ? "Nothing is to be seen there." : "Nothing is there."),
        hidden.length > 0 && el("details", { className: "hidden", dataset: { key: "hidden" } }, el("summary", {}, el("h3", {}, "In hidden layers"), el("span", { className: "count" }, hidden.length)), hidden.map(card)));
      for (const d of node.querySelectorAll("details")) d.open ||= opened.has(d.dataset.key);
      node.scrollTop = top;
      const text = `${say(view, point)}: ${things.length === 0 ? "nothing is there" : seen.length === 0 ? "nothing is to be seen" : things.length === 1 ? seen[0].title : `${things.length} things, ${seen[0].title} in front`}`;
      if (text !== told) context.say(text);
      told = text;
    };
    draw().catch((err) => context.failed(node, err));
    let stop;
    const follow = () => {
      stop?.();
      stop = context.shown?.watchMoment?.((ms) => {
        for (const curve of node.querySelectorAll(".curve")) curve.moment(ms);
      });
    };
    follow();
    return {
      update(changed) {
        if (changed.has("shown")) follow();
        return ["at", "shown", "doc", ...(state().at ? ["layers", "solo", "time"] : [])].some((k) => changed.has(k)) && draw();
      },
      close: () => stop?.(),
    };
  },
};
