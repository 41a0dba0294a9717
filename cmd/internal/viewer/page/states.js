// The earlier states of the file, as a slider below the picture: the oldest is on the left, the file as it is on the right.
//
// Keys of the state read here: then (the key of the shown state; none: the file as it is), with (the key of the state that
// it is compared with, or "now").
import { json } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { on } from "./live.js";
import { load } from "./load.js";

const kinds = { snapshot: "Snapshot", commit: "Commit", backup: "Backup" };
const rest = 180; // milliseconds that the slider rests before the state is shown
const marked = 200; // number of states up to which each has a mark

const exact = { dateStyle: "medium", timeStyle: "medium" };
const when = (s, how) => new Date(s.time).toLocaleString(undefined, how);

// timeline draws the slider. It returns
//   file()       the number of the file that is shown
//   pair()       {ids, names} of the two files that are compared, the older one first; undefined if only one is shown
//   values(id)   the values of the state that show a file
//   back(id, b)  a function that asks whether to put a box of a state back; undefined if that cannot be done
//   state()      the shown earlier state; undefined if the file is shown as it is
//   offer()      adapts the buttons to the picture
export async function timeline(context) {
  await load("states.css");
  const now = () => Number(state().file ?? context.session.edit ?? 0);
  let list = [], note = "";
  const ask = async () => {
    const answer = await json("/states"), next = answer.states;
    // A state that is shown stays, so that its place is not lost.
    for (const s of list) if (!next.some((n) => n.id === s.id) && [state().then, state().with].includes(s.key)) next.push({ ...s, gone: true });
    list = next.sort((a, b) => a.time - b.time || a.id - b.id);
    note = answer.note;
  };
  await ask();

  const index = (key) => (!key || key === "now" ? list.length : list.findIndex((s) => s.key === key || (key.length > 6 && s.key.startsWith(key))));
  const at = (i) => list[i] ?? { id: now(), key: undefined };
  // name returns the time of a state, with seconds if there are two states in a minute.
  const name = (s) => {
    const text = s.key ? when(s, { dateStyle: "medium", timeStyle: "short" }) : "Now";
    return s.key && list.some((o) => o !== s && when(o, { dateStyle: "medium", timeStyle: "short" }) === text) ? when(s, exact) : text;
  };
  const told = (s) => (s.key ? [kinds[s.kind], when(s, exact), s.title, s.by && `by ${s.by}`, s.gone && "removed"].filter(Boolean).join(", ") : "Now: the file as it is");

  const slider = el("input", { type: "range", min: 0, step: 1, id: "state", oninput: () => slide(Number(slider.value)) });
  const marks = el("div", { className: "marks-of", "aria-hidden": "true" });
  const step = (by, title, key, picture) => el("button", { type: "button", className: "quiet " + picture, title: `${title} (${key})`, "aria-label": title, onclick: () => go(shownAt() + by) }, icon("back"));
  const older = step(-1, "Older state", "<", "older"), newer = step(1, "Newer state", ">", "newer");
  const about = el("p", { className: "about-state" });
  const other = el("select", { id: "state-with", onchange: () => compare(other.value || undefined) });
  // compare shows another state next to the shown one, with what differs; none: only the shown one.
  const compare = (key) => set({ with: key, mode: undefined, change: undefined, ...(key && { tab: undefined }) }, { push: true });
  const changes = el("button", { type: "button", title: "Swap both states", "aria-label": "Swap both states", className: "quiet", onclick: () => swap() }, "⇄");
  // The box is drawn with the pointer, unless the button was pressed by the keyboard.
  const back = el("button", { type: "button", className: "put", title: "Put a box of this state back into the file", onclick: (e) => {
    const s = at(shownAt());
    import("./putback.js").then((m) => m.putBack(context, s, when(s, exact), e.detail > 0)).catch((err) => context.say(err.message));
  } }, "Put back …");
  const bar = el("section", { id: "states", "aria-label": "States of the file" },
    el("div", { className: "track" }, older, el("div", { className: "slide" }, marks, slider), newer),
    el("div", { className: "row" }, about, back, el("span", { className: "row" }, el("label", { htmlFor: "state-with" }, "Compare with"), other, changes)));
  document.getElementById("stage").after(bar);

  let timer;
  const shownAt = () => Number(slider.value);
  // slide moves the slider; the state is shown when it rests.
  function slide(i) {
    describe(i);
    clearTimeout(timer);
    timer = setTimeout(() => go(i), rest);
  }
  function go(i) {
    clearTimeout(timer);
    i = Math.min(list.length, Math.max(0, i));
    slider.value = i;
    describe(i);
    const { key } = at(i), { with: beside } = state();
    // The two states differ: a state is compared with its neighbour rather than with itself.
    set({ then: key, with: beside && index(beside) === i ? undefined : beside, change: undefined });
  }
  function swap() {
    const { then, with: beside } = state();
    if (beside) set({ then: beside === "now" ? undefined : beside, with: then ?? "now", change: undefined });
  }
  function describe(i) {
    const s = at(i);
    slider.setAttribute("aria-valuetext", told(s));
    older.disabled = i <= 0;
    newer.disabled = i >= list.length;
    fill(about, el("strong", {}, name(s)), s.key ? [` ${kinds[s.kind].toLowerCase()} `, s.title && el("span", { className: "title", title: s.title }, s.title), s.by && el("span", { className: "muted" }, ` ${s.by}`), s.kind === "commit" && el("span", { className: "muted data" }, ` ${s.key.slice(0, 8)}`),
      s.gone && el("span", { className: "wrong" }, " removed")] : el("span", { className: "muted" }, " the file as it is"), note && el("span", { className: "wrong", role: "status" }, ` ${note}`));
  }
  function draw() {
    const i = index(state().then), k = state().with ? index(state().with) : -1, n = list.length;
    slider.max = n;
    slider.setAttribute("aria-label", `State ${n > 1 ? `of ${n + 1}` : ""}`.trim());
    slider.value = i < 0 ? n : i;
    describe(shownAt());
    const mark = (s, j) => {
      const dot = el("span", { className: `${s.kind ?? "now"}${j === k ? " with" : ""}${j === i ? " chosen" : ""}` });
      dot.style.left = `${(100 * j) / Math.max(1, n)}%`;
      return dot;
    };
    fill(marks, n <= marked ? [...list, at(n)].map(mark) : [i, k].filter((j) => j >= 0).map((j) => mark(at(j), j)));
    const option = (s, j) => j !== shownAt() && el("option", { value: s.key ?? "now", selected: j === k }, s.key ? [name(s), s.title].filter(Boolean).join(" ").slice(0, 60) : "Now");
    fill(other, el("option", { value: "" }, "nothing"), [...list, at(n)].map(option).reverse());
    changes.hidden = k < 0;
    offer();
    bar.classList.toggle("old", shownAt() < n);
  }
  // offer shows the button of parts that can be put back, if the picture has two of the three axes.
  function offer() {
    const { shown, session } = context;
    back.hidden = !(session.edit !== undefined && at(shownAt()).back && shown?.map && shown.view.axes.every((a) => /^-?[xyz]$/.test(a)));
  }
  const renew = () => ask().then(draw, (err) => context.say(err.message));

  bind("<", "older state", () => go(shownAt() - 1), { group: "States" });
  bind(">", "newer state", () => go(shownAt() + 1), { group: "States" });
  bind("=", "compare with the file as it is, and back", () => compare(state().with ? undefined : state().then ? "now" : list.at(-1)?.key), { group: "States" });
  watch((changed) => (changed.has("then") || changed.has("with") || changed.has("file")) && draw());
  on("changed", renew);
  addEventListener("focus", renew);
  draw();
  if (index(state().then) < 0 || (state().with && index(state().with) < 0)) {
    context.say("The state of this link is not there any more");
    set({ then: index(state().then) < 0 ? undefined : state().then, with: undefined });
  }

  const chosen = () => at(Math.max(0, index(state().then)));
  return {
    file: () => chosen().id,
    pair() {
      const { then, with: beside } = state();
      if (!beside) return undefined;
      const both = [index(then), index(beside)].sort((a, b) => a - b);
      if (both[0] < 0 || both[0] === both[1]) return undefined;
      return { ids: both.map((i) => at(i).id), names: both.map((i) => name(at(i))), keys: both.map((i) => at(i).key) };
    },
    values(id) {
      const s = list.find((s) => s.id === id);
      return s ? { then: s.key } : { then: undefined, file: id || undefined };
    },
    state: () => (chosen().key ? chosen() : undefined),
    // back opens the form that puts a box of the state with this file back, if it can be: {min, max}.
    back(id, box) {
      const s = list.find((s) => s.id === id);
      if (context.session.edit === undefined || !s?.back) return undefined;
      return () => import("./putback.js").then((m) => m.putBack(context, s, when(s, exact), false, box)).catch((err) => context.say(err.message));
    },
    offer,
  };
}
