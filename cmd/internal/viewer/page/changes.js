// The changes from the older of two files to the newer one.
//
// Keys of the state read here: change (the number of the chosen change), marks (on or off: whether all changes
// are marked in the picture, or only the chosen one; by default, all unless there are many).
import { ask } from "./api.js";
import { state, set, optionsNow } from "./state.js";
import { el, fill, plural } from "./dom.js";
import { bind } from "./keys.js";
import { on } from "./live.js";
import { regions } from "./regions.js";

const signs = { added: ["+", "added"], removed: ["−", "removed"], changed: ["±", "changed"] };
const kindOf = (c) => signs[c.data.change] ? c.data.change : c.new.length && !c.old.length ? "added" : c.old.length && !c.new.length ? "removed" : "changed";
const nameOf = (context, i) => context.pair?.names[i];
const few = 300; // rectangles that do not hide the picture
const most = 10000; // maximum number of marked and listed changes

export const panel = {
  async open(node, context) {
    const { signal } = context;
    const head = el("div", { className: "bar" }), list = el("ul", { className: "plain changes" }), more = el("div"), lines = el("div"), here = el("section", { className: "here", "aria-live": "polite" });
    fill(node, head, here, list, more, lines);
    let all = [], listed = 0, answer, shown = 100, wanted = false, mine = 0, marked, view;

    const draw = async () => {
      const run = ++mine;
      view = context.shown?.view.name;
      const { ids: [before, after] } = context.pair;
      const query = { where: view && 1, view, path: state().path, run: wanted ? 1 : undefined, ...optionsNow() };
      const next = [];
      do {
        answer = await ask(before, `compare/${after}`, { ...query, from: next.length || undefined }, signal);
        if (run !== mine || signal.aborted) return;
        if (answer.state !== "done") break;
        next.push(...answer.changes);
      } while (next.length < Math.min(most, answer.kept));
      all = regions(next);
      listed = next.length;
      tell();
      if (answer.state === "running") setTimeout(() => run === mine && !signal.aborted && draw().catch((err) => context.failed(node, err)), 700);
    };
    const marks = () => (state().marks ?? (all.reduce((n, c) => n + Math.max(c.old.length, c.new.length), 0) > few ? "off" : "on")) === "on";
    const tell = () => {
      const { old, new: now, state: is } = answer;
      const step = (by, title) => el("button", { type: "button", disabled: !all.length, title: `${title} (${by > 0 ? "n" : "p"})`, onclick: () => go(by) }, title);
      const what = is === "asks" ? "" : is === "running" ? `Comparing … ${answer.what ?? ""} ${answer.done ? answer.done.toLocaleString() : ""}${answer.of ? ` of ${answer.of.toLocaleString()}` : ""}`
        : answer.same ? "The files are the same, byte for byte." : !answer.count ? "They say the same, though not every byte is the same."
          : `${plural(answer.count - listed + all.length, answer.byFile ? "file" : "change")}${answer.cells ? `, ${plural(answer.cells, "place")}` : ""}${listed < answer.count ? `: the first ${listed.toLocaleString()} are listed` : ""}`;
      fill(head, el("p", { role: "status", dataset: { count: answer.count ?? "", cells: answer.cells ?? "" } }, what), all.length > 1 && [step(-1, "Previous"), step(1, "Next")],
        all.some((c) => c.count) && el("button", { type: "button", "aria-pressed": String(marks()), title: "Mark all changes in the picture", onclick: () => set({ marks: marks() ? "off" : "on" }) }, "Marks"),
        is === "asks" && el("button", { type: "button", className: "strong", onclick: () => ((wanted = true), draw()) }, "Compare them"));
      const notes = [is === "asks" && "Folders may be large: they are compared when you want it.", old.title !== now.title && `${nameOf(context, 0)} is a ${old.title}, ${nameOf(context, 1)} a ${now.title}: the files in them are compared.`, ...(answer.notes ?? []), ...(context.shown?.lacks ?? [])].filter(Boolean);
      fill(lines, notes.map((n) => el("p", { className: "muted" }, n)), answer.lines?.length > 0 && el("details", {}, el("summary", {}, el("h3", {}, "As diff prints it")), el("pre", { className: "data" }, answer.lines.join("\n"))));
      context.count(answer.count - listed + all.length || "");
      rows();
      mark();
    };
    const rows = () => {
      const chosen = Number(state().change ?? -1);
      if (chosen >= shown) shown = chosen + 50;
      fill(list, all.slice(0, shown).map((c, i) => {
        const [sign, word] = signs[kindOf(c)];
        return el("li", {}, el("button", { type: "button", className: `link ${kindOf(c)}`, "aria-current": i === chosen ? "true" : undefined, onclick: () => choose(i) }, el("b", { title: word }, sign), el("span", {}, c.text || c.data.path, c.who && el("span", { className: "who muted" }, ` by ${c.who.map((a) => a.by + (a.likely ? " (likely)" : "")).join(", ")}`))),
          i === chosen && c.data.box && back(c.data.box),
          i === chosen && c.parts && el("details", {}, el("summary", {}, "The tiles"), el("ul", {}, c.parts.map((p) => el("li", {}, p.text.slice(p.data.path.length + 2))))));
      }));
      fill(more, all.length > shown && el("button", { type: "button", onclick: () => ((shown += 500), rows()) }, `${(all.length - shown).toLocaleString()} more`));
      list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
      if (chosen >= 0 && answer.byFile) diff(all[chosen], list.children[chosen]).catch((err) => context.failed(here, err));
    };
    const back = (box) => {
      const ask = context.states?.back(context.pair.ids[0], box);
      return ask && el("p", { className: "row" }, el("button", { type: "button", className: "put", onclick: ask }, "Put this back …"));
    };
    // Each rectangle is a mark that leads to its change.
    const mark = () => {
      marked = [];
      const chosen = Number(state().change ?? -1), every = marks();
      for (const [i, c] of all.entries()) {
        if (!every && i !== chosen) continue;
        for (const where of c.new.length ? c.new : c.old) marked.push({ where, i, kind: kindOf(c), label: c.text, border: c.border });
      }
      context.shown?.mark?.("changes", marked, marked.findIndex((m) => m.i === chosen), (k) => set({ change: marked[k].i, tab: "changes" }), context.session.edit !== undefined);
    };
    const go = (by) => choose((Number(state().change ?? (by > 0 ? -1 : 0)) + by + all.length) % all.length);
    async function choose(i) {
      const c = all[i], where = (c.new.length ? c.new : c.old)[0];
      if (!where) return set({ change: i });
      const at = c.spot?.join() ?? `${Math.min((where[0] + where[2]) / 2, where[0] + 0.5)},${Math.min((where[1] + where[3]) / 2, where[1] + 0.5)}`;
      await context.fly(where, { change: i, at });
    }

    // diff shows the changed lines of a file below its row.
    async function diff(c, li) {
      if (!c || !li || li.querySelector("pre")) return;
      const { path, other, change, text } = c.data;
      const button = (id, title) => el("button", { type: "button", className: "link", onclick: () => context.goTo(context.pair.ids[id], { path: id ? other || path : path, mode: "text", line: undefined }) }, title);
      li.append(el("p", { className: "row" }, change !== "added" && button(0, "Open the old one"), change !== "removed" && button(1, "Open the new one")));
      if (!text) return;
      const answer = await ask(context.pair.ids[0], `compare/${context.pair.ids[1]}/text`, { path, other }, signal);
      li.append(el("pre", { className: "data diff", tabIndex: 0 }, answer.diff.split("\n").slice(2).map((line) => el("span", { className: { "+": "added", "-": "removed", "@": "muted" }[line[0]] ?? "" }, line + "\n")), !answer.whole && "…"));
    }

    // The contents of both files at the place; for a moved change, at both of its places.
    const both = async () => {
      const { shown } = context, second = shown?.second, { at } = state();
      if (!at || !second || !shown.scene.inspects || !second.scene.inspects) return fill(here);
      const c = all[state().change], point = at.split(",").map(Number);
      const old = c?.old[0] && c.new[0] ? [point[0] - c.new[0][0] + c.old[0][0], point[1] - c.new[0][1] + c.old[0][1]] : point;
      const sides = shown.file === context.pair?.ids[1] ? [second, shown] : [shown, second];
      const [a, b] = await Promise.all(sides.map((s, i) => ask(s.file, "inspect", { ...s.query(), ...shown.inspectQuery(), x: [old, point][i][0], y: [old, point][i][1] }, signal)));
      if (at !== state().at) return;
      const names = [...new Set([...a.things, ...b.things].map(nameThing))];
      const table = names.map((name) => [name, rowsOf(name, ...[a, b].map((s) => s.things.filter((t) => nameThing(t) === name)))]);
      const differ = table.filter(([, rows]) => rows), same = table.filter(([, rows]) => !rows).map(([name]) => name);
      fill(here, el("h2", {}, "At the chosen place"),
        differ.length > 0 && el("table", {}, el("thead", {}, el("tr", {}, el("td"), [0, 1].map((i) => el("th", { scope: "col" }, nameOf(context, i))))), differ.map(([, rows]) => el("tbody", {}, rows))),
        el("p", { className: "muted" }, same.length ? `The same in both: ${same.join(", ")}.` : names.length ? "" : "Nothing is there, in neither of them."));
    };

    const stops = [
      bind("n", "next change", () => go(1), { group: "Two files", when: () => context.visible && all.length > 0 }),
      bind("p", "previous change", () => go(-1), { group: "Two files", when: () => context.visible && all.length > 0 }),
      on("compared", () => answer?.state === "running" && draw().catch((err) => context.failed(node, err))),
      on("changed", () => draw().catch((err) => context.failed(node, err))),
    ];
    await draw();
    both().catch((err) => context.failed(here, err));
    return {
      async update(changed) {
        if (!context.pair) return;
        if (changed.has("doc") || changed.has("with") || (context.shown && context.shown.view.name !== view)) await draw();
        else if (changed.has("shown")) tell();
        if (changed.has("marks")) tell();
        else if (changed.has("change")) rows(), mark();
        if (["at", "shown", "change", "layers"].some((k) => changed.has(k))) await both();
      },
      close() {
        for (const stop of stops) stop();
        context.shown?.mark?.("changes");
      },
    };
  },
};

const nameThing = (t) => t.layer || t.title.split(":")[0];

// rowsOf returns the differences of the objects of the same name at a place in two files, fact by fact, or
// undefined if there are none.
function rowsOf(name, old, now) {
  const facts = (things) => new Map(things.flatMap((t, i) => [[`${i}`, ["object", t.title]], ...flat(t.facts, `${i}/`)]));
  const a = facts(old), b = facts(now);
  const rows = [...new Set([...a.keys(), ...b.keys()])].map((k) => [(a.get(k) ?? b.get(k))[0], a.get(k)?.[1] ?? "", b.get(k)?.[1] ?? ""]).filter(([, x, y]) => x !== y);
  const [sign, word] = signs[!old.length ? "added" : !now.length ? "removed" : "changed"];
  return rows.length ? [el("tr", {}, el("th", { scope: "rowgroup", colSpan: 3 }, name, el("span", { className: word }, ` ${sign} ${word}`))),
    ...(old.length && now.length ? rows : rows.slice(0, 3)).map(([label, x, y]) => el("tr", {}, el("th", { scope: "row" }, label), el("td", { className: "removed" }, x), el("td", { className: "added" }, y)))] : undefined;
}

const flat = (facts, key) => facts.flatMap((f) => Array.isArray(f.value) && typeof f.value[0] === "object" ? flat(f.value, `${key}${f.key}/`) : [[key + f.key, [f.label, text(f.value)]]]);
const text = (v) => (v?.type === "color" ? v.text : v?.type === "slots" ? v.items.filter(Boolean).join(", ") : v?.type === "curve" ? v.lines.map((l) => `${l.name}: ${l.values.length} points`).join(", ") : Array.isArray(v) ? v.join(", ") : v === true ? "yes" : v === false ? "no" : String(v ?? ""));
