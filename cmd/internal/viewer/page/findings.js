// The findings of check.
//
// Keys of the state read here: finding (the number of the chosen finding and, after a point, of its place).
import { ask } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { icon, severity } from "./icons.js";
import { bind } from "./keys.js";
import { load as need } from "./load.js";
import { on } from "./live.js";
import { recall, remember } from "./stash.js";
import { count } from "./rows.js";

const order = ["error", "warning", "info"];
const words = { error: ["error", "errors"], warning: ["warning", "warnings"], info: ["info", "infos"] };
const some = 100; // findings of a kind that are listed at first
const chips = 12; // places of a finding that are listed
const most = 2000; // maximum number of places in an answer

// visit goes to a place: in the picture if possible, otherwise to its line, otherwise to its bytes. The place
// is in the scene for which it was requested. visit reports whether the place has a target.
export function visit(context, scene, { where, line, at }, values = {}) {
  if (where) context.fly(where, { path: scene.path, view: scene.view, at: [(where[0] + where[2]) / 2, (where[1] + where[3]) / 2].map((v) => Number(v.toFixed(3))).join(","), ...values });
  else if (line?.path || at?.line) context.go({ path: line?.path ?? at.path, line: line?.line || at.line || undefined, mode: line?.line || at.line ? "text" : undefined, ...values });
  else if (at?.offset >= 0) context.go({ path: undefined, dump: undefined, space: undefined, offset: at.offset, length: at.length || undefined, mode: "hex", ...values });
  else return false;
  return true;
}

// sceneOf returns the parameters of the scene, so that the answer has places in the picture.
export function sceneOf({ shown }) {
  const { l, time, ...rest } = shown?.query() ?? {};
  return shown ? { where: 1, ...rest } : {};
}

export const panel = {
  async open(node, context) {
    let answer, scene = {}, list = [], i = -1, j = 0, again;
    const hidden = new Set(), open = new Set();
    let text = "";
    const name = (f, at) => (at ? `${f.n}.${at}` : String(f.n));
    const key = (f) => `${f.id}\n${f.path}\n${f.message}`;
    const fits = (f) => !hidden.has(f.severity) && (!text || `${f.id} ${f.path} ${f.message}`.toLowerCase().includes(text));

    if (context.visible) await need("panels.css");
    const head = el("div"), groups = el("div", { className: "kinds" });
    fill(node, head, groups);

    async function load(more = {}) {
      clearTimeout(again);
      const asked = sceneOf(context), before = list[i] && key(list[i]);
      const asking = ask(context.doc.id, "check", { ...asked, ...more }, context.signal), next = await (answer ? asking : context.waits(asking));
      answer = next;
      scene = asked;
      const first = new Map(); // keeps findings of a kind together
      for (const [n, f] of (answer.findings ?? []).entries()) if (!first.has(f.id)) first.set(f.id, n);
      list = (answer.findings ?? []).map((f, n) => ({ ...f, n })).sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || first.get(a.id) - first.get(b.id) || a.n - b.n);
      if (before !== undefined) i = list.findIndex((f) => key(f) === before);
      else follow();
      if (before !== undefined) set({ finding: i < 0 ? undefined : name(list[i], j) }); // its number may have changed
      const { counts } = answer, worst = order.find((s) => counts?.[s]);
      context.count(counts ? order.reduce((n, s) => n + counts[s], 0) || undefined : undefined, worst);
      draw();
      if (answer.state === "running") again = setTimeout(() => load().catch((err) => context.failed(node, err)), 1000);
    }

    function draw() {
      const { counts, progress } = answer, all = list.filter(fits);
      const running = answer.state === "running";
      if (answer.state === "none") {
        fill(head, el("p", { className: "empty" }, "It may be large, so it is checked when you ask for it. The check only reads."), el("button", { type: "button", className: "strong", onclick: () => run({ run: 1 }) }, "Check it"));
        return fill(groups);
      }
      const stops = all.reduce((n, f) => n + Math.max(1, Math.min(f.count, most)), 0);
      const focused = head.contains(document.activeElement) ? document.activeElement.name : undefined;
      fill(head,
        running && el("div", { className: "running" }, el("span", { className: "spin" }), el("span", {}, `Checking ${progress.what ?? ""} ${progress.done ? count.format(progress.done) + (progress.of ? ` of ${count.format(progress.of)}` : "") : ""}`), el("button", { type: "button", onclick: () => run({ stop: 1 }) }, "Stop")),
        !running && !list.length && el("p", { className: "empty" }, "Nothing is wrong with it."),
        list.length > 0 && [
          el("div", { className: "bar" }, order.filter((s) => counts[s]).map((s) => el("button", { type: "button", name: s, "aria-pressed": String(!hidden.has(s)), title: `Show or hide ${words[s][1]}`, onclick: () => (hidden.has(s) ? hidden.delete(s) : hidden.add(s), draw()) }, severity(s), count.format(counts[s]))),
            el("span", { className: "space" }),
            el("button", { type: "button", name: "previous", title: "Previous place (p)", "aria-label": "Previous place", onclick: () => step(-1) }, icon("back")),
            el("button", { type: "button", name: "next", className: "next", title: "Next place (n)", "aria-label": "Next place", onclick: () => step(1) }, icon("back"))),
          list.length > 3 && el("input", { type: "search", name: "filter", "aria-label": "Findings with these words", placeholder: "Only with these words", value: text, oninput: (e) => ((text = e.target.value.toLowerCase()), draw()) }),
          el("p", { className: "muted" }, `${count.format(all.length)} ${all.length === 1 ? "finding" : "findings"}, ${count.format(stops)} ${stops === 1 ? "place" : "places"}`, order.reduce((n, s) => n + counts[s], 0) > list.length ? `; ${count.format(list.length)} of them are listed` : "",
            context.shown && el("label", { className: "check" }, el("input", { type: "checkbox", name: "marks", checked: recall("marks") === "true", onchange: (e) => (remember("marks", e.target.checked), mark()) }), "mark all in the picture")),
        ]);
      if (focused) head.querySelector(`[name=${focused}]`)?.focus();
      const kinds = new Map();
      for (const f of all) {
        const id = `${f.severity} ${f.id}`;
        kinds.set(id, [...(kinds.get(id) ?? []), f]);
      }
      if (kinds.size === 1) open.add(kinds.keys().next().value);
      const within = groups.contains(document.activeElement);
      fill(groups, [...kinds].map(([id, findings]) => kind(id, findings)));
      mark();
      const current = [...groups.querySelectorAll("[aria-current=true]")].pop();
      current?.scrollIntoView({ block: "nearest" });
      if (within) current?.focus();
    }
    function kind(id, findings) {
      const { meaning, remedy } = answer.kinds[findings[0].id] ?? {}, places = findings.reduce((n, f) => n + f.count, 0);
      const all = findings.length === list.filter((f) => f.id === findings[0].id).length ? answer.byKind[findings[0].id] : findings.length; // the total, unless findings are filtered
      const ul = el("ul", { className: "plain" });
      let from = 0;
      const add = () => {
        const chosen = findings.indexOf(list[i]);
        const to = Math.max(from + some, chosen + 1);
        ul.append(...findings.slice(from, to).map(item));
        from = to;
        if (from < findings.length) ul.append(el("li", {}, el("button", { type: "button", onclick: (e) => (e.target.closest("li").remove(), add()) }, `More of ${count.format(all)}`)));
      };
      const box = el("details", { open: open.has(id), ontoggle: () => {
        box.open ? open.add(id) : open.delete(id);
        if (box.open && !from) add();
      } }, el("summary", {}, severity(findings[0].severity), el("h3", { className: "data" }, findings[0].id), el("span", { className: "count" }, count.format(all)), places > findings.length && el("span", { className: "muted" }, `${count.format(places)} places`)),
        meaning && el("p", {}, meaning), remedy && el("p", { className: "muted" }, remedy), ul);
      if (box.open) add();
      return box;
    }
    function item(f) {
      const chosen = list[i] === f;
      const places = el("span", { className: "places" });
      const fillPlaces = (n) => fill(places, f.places.slice(0, n).map((p, at) => el("button", { type: "button", className: "link data", "aria-current": chosen && j === at ? "true" : undefined, onclick: () => choose(list.indexOf(f), at) }, p.text)),
        f.count > n && el("button", { type: "button", className: "link", onclick: async () => (await whole(f), fillPlaces(most)) }, `all ${count.format(f.count)}`), f.count > most && n >= most && el("span", { className: "muted" }, `and ${count.format(f.count - most)} more`));
      fillPlaces(chosen && j >= chips ? most : chips);
      return el("li", { className: chosen ? "chosen" : "" },
        el("button", { type: "button", className: "link what", "aria-current": chosen ? "true" : undefined, onclick: () => choose(list.indexOf(f), 0) }, f.path && el("span", { className: "data muted" }, f.path), el("span", {}, f.message)),
        f.places.length > 0 && places);
    }
    // whole fetches all places of a finding, with their lines.
    async function whole(f) {
      if (f.whole) return;
      f.places = (await ask(context.doc.id, "check", { ...scene, finding: f.n }, context.signal)).places;
      f.whole = true;
    }
    async function choose(finding, at, quiet) {
      i = finding;
      j = at;
      const f = list[i];
      open.add(`${f.severity} ${f.id}`);
      if (f.places.length <= j || !f.places[j].where) await context.busy("the place", whole(f));
      const place = f.places[j] ?? (f.offset >= 0 ? { at: { offset: f.offset } } : { at: {} });
      const values = { finding: name(f, j) };
      if (!visit(context, scene, place, values)) set(values);
      if (!quiet) context.say(`${f.severity}: ${f.message}${place.text ? `, at ${place.text}` : ""}`);
      draw();
    }
    // step goes to the next or previous place of all listed findings.
    function step(by) {
      const shown = list.filter(fits);
      if (!shown.length) return;
      let at = shown.indexOf(list[i]), place = j + by;
      if (at < 0) [at, place] = by > 0 ? [0, 0] : [shown.length - 1, Infinity];
      const stops = (f) => Math.max(1, Math.min(f.count, most));
      if (place < 0) [at, place] = [(at - 1 + shown.length) % shown.length, Infinity];
      else if (place !== Infinity && place >= stops(shown[at])) [at, place] = [(at + 1) % shown.length, 0];
      choose(list.indexOf(shown[at]), Math.min(place, stops(shown[at]) - 1)).catch((err) => context.say(err.message));
    }
    // skip goes to the first place of the next kind.
    function skip() {
      const shown = list.filter(fits), { severity, id } = list[i] ?? {}, next = shown.find((f) => list.indexOf(f) > i && !(f.severity === severity && f.id === id)) ?? shown[0];
      if (next) choose(list.indexOf(next), 0).catch((err) => context.say(err.message));
    }
    // mark marks the places of the chosen finding in the picture, or all places if requested.
    function mark() {
      const { shown } = context;
      if (!shown?.mark) return;
      const marks = [], from = [];
      let chosen;
      if (answer?.findings) {
        const seen = recall("marks") === "true" ? list.filter(fits) : list.filter((_, n) => n === i);
        for (const f of seen) f.places.forEach((p, at) => {
          if (!p.where) return;
          if (list[i] === f && j === at) chosen = marks.length;
          marks.push({ where: p.where, kind: f.severity, label: `${f.severity}: ${f.message}`.slice(0, 200) });
          from.push([f, at]);
        });
      }
      shown.mark("findings", marks, chosen, (n) => {
        const [f, at] = from[n];
        [i, j] = [list.indexOf(f), at];
        open.add(`${f.severity} ${f.id}`);
        set({ finding: name(f, at) });
        draw();
      });
    }
    function follow() {
      const [n, at] = (state().finding ?? "").split(".").map(Number);
      i = state().finding ? list.findIndex((f) => f.n === n) : -1;
      j = at || 0;
      if (i >= 0) open.add(`${list[i].severity} ${list[i].id}`);
    }
    const run = (more) => load(more).catch((err) => context.failed(node, err));
    const keys = [bind("n", "next place of the findings", () => step(1), { group: "Findings" }), bind("p", "previous place", () => step(-1), { group: "Findings" }), bind("k", "next kind of finding", skip, { group: "Findings" })];
    const stop = on("findings", (e) => e.file === context.doc.id && load().catch(() => {}));
    let asked, started = false;
    const start = () => {
      if (started || context.signal.aborted) return;
      started = true;
      asked = JSON.stringify(sceneOf(context));
      run();
    };
    // Unless the findings are visible, load the picture first.
    const later = setTimeout(start, context.visible || !context.entry.scene ? 0 : 3000);
    return {
      update(changed) {
        if (changed.has("visible")) need("panels.css");
        if (!started) {
          if (changed.has("visible") || context.visible) start();
          else context.shown?.onDrawn?.add(start);
          return;
        }
        const now = JSON.stringify(sceneOf(context));
        if (changed.has("doc") || (context.shown && now !== asked)) {
          asked = now;
          return load();
        }
        if (changed.has("shown") && answer) mark();
        if (changed.has("finding") && answer?.findings) {
          const f = list[i], now = state().finding;
          if (now !== (f && name(f, j))) {
            follow();
            draw();
          }
        }
      },
      close() {
        clearTimeout(again);
        clearTimeout(later);
        stop();
        for (const unbind of keys) unbind();
      },
    };
  },
};
