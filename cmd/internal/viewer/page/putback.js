// Putting a box of an earlier state back into the file: an operation in the list of changes, which nothing writes before the
// user saves the list.
import { el, plural } from "./dom.js";
import { edits } from "./edits.js";
import { dialog } from "./help.js";
import { load } from "./load.js";
import { box } from "./pick.js";
import { brief } from "./place.js";

const names = ["x", "y", "z"], least = -32768, most = 32767;

// putBack asks for a box, and adds the operation. With the pointer, the box is drawn in the picture first; known is the box to begin
// with.
export async function putBack(context, state, when, pointer, known) {
  await load("edit.css");
  const { shown } = context, axes = shown.view.axes.map((a) => a.replace("-", ""));
  let from = [least, least, least], to = [most, most, most];
  const take = (corners) => {
    for (const corner of corners) brief(shown.view, corner).split(",").map(Number).forEach((v, i) => {
      const k = names.indexOf(axes[i]), first = corner === corners[0];
      from[k] = first ? v : Math.min(from[k], v);
      to[k] = first ? v : Math.max(to[k], v);
    });
  };
  const drawn = async () => {
    const text = await box(context);
    if (text) take(text.split(":").map((p) => p.split(",").map(Number)));
    return Boolean(text);
  };
  if (pointer && !(await drawn())) return;
  if (known) ({ min: from, max: to } = known);
  else if (!pointer) {
    const m = shown.map.getBounds(), visible = [m.getNorthWest(), m.getSouthEast()].map((p) => shown.units(p).map(Math.floor));
    take(visible);
  }
  const field = (k, which, value) => el("input", { type: "number", step: 1, min: least, max: most, required: true, value, id: `put-${which}-${names[k]}`, "aria-label": `${which} ${names[k]}` });
  const low = names.map((_, k) => field(k, "from", from[k])), high = names.map((_, k) => field(k, "to", to[k]));
  const wrong = el("p", { className: "wrong", role: "alert" }), yes = el("button", { type: "submit", className: "strong yes" }, "Add to the list");
  const form = el("form", { className: "put-back", onsubmit: async (e) => {
    e.preventDefault();
    yes.disabled = true;
    try {
      await add(context, state, `${low.map((f) => f.value).join(",")}:${high.map((f) => f.value).join(",")}`);
      win.close();
    } catch (err) {
      wrong.textContent = err.message;
      yes.disabled = false;
    }
  } },
  el("p", {}, `The box becomes as it was at ${when}. Nothing is written before you save the list of changes.`),
  el("table", {}, el("thead", {}, el("tr", {}, el("td"), names.map((n) => el("th", { scope: "col" }, n)))),
    el("tbody", {}, [["from", low], ["to", high]].map(([which, fields]) => el("tr", {}, el("th", { scope: "row" }, which), fields.map((f) => el("td", {}, f)))))),
  wrong, el("div", { className: "row" }, yes, el("button", { type: "button", onclick: async () => {
    win.close();
    putBack(context, state, when, true);
  } }, pointer ? "Draw it again" : "Draw it in the picture")));
  const win = dialog("Put this back", form);
  low[0].focus();
}

async function add(context, state, text) {
  const list = await edits(context);
  await list.act({ do: "put-back", state: state.id, box: text });
  const last = list.now.list.at(-1);
  context.say(last.error ?? `${plural(last.count, "change")}: see Edit`);
  context.goTo(context.session.edit, { with: undefined, over: undefined, tab: "edit", mode: undefined });
}
