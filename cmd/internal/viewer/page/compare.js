// Two files: both in one picture, and what has changed from the older to the newer one.
//
// Keys of the state that are read here: over (how both are shown: swipe, old, new or side; swipe,
// if left out), border (where the one ends and the other begins, in percent), change (the number
// of the chosen one).
import { ask, url } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { bind } from "./keys.js";
import { on } from "./live.js";
import * as picture from "./map.js";
import { Tiles } from "./tiles.js";
import { Marks } from "./marks.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 52rem)");
const pair = ({ session }) => session.mode === "pair";
const nameOf = (context, i) => context.session.files[i].name;

export const panel = {
  name: "compare", title: "Both",
  applies: (context) => pair(context) && Boolean(context.entry?.scene),
  usual: pair,
  async open(node, context) {
    const bar = el("div", { className: "row", role: "group", "aria-label": "How both files are shown" }), tools = el("span", { className: "row" });
    context.tools.append(bar, tools);
    const stage = el("div", { className: "both" }), note = el("p", { className: "note-both", role: "status", hidden: true });
    node.append(stage, note);
    let over;
    const inner = Object.create(context, {
      tools: { value: tools },
      show: { value(shown) {
        if (over?.shown === shown) over.renew();
        else {
          over?.close();
          over = undefined;
          overlay(stage, context, shown, bar, note).then((o) => {
            if (context.signal.aborted || context.shown !== shown) return o?.close();
            over = o;
            context.show(shown); // now it has the other one, too
          });
        }
        context.show(shown);
      } },
    });
    const does = await picture.panel.open(stage, inner);
    const stops = [
      bind("b", "the other of both files", () => over?.flip(), { group: "Two files", when: () => context.visible && Boolean(over) }),
      on("changed", (e) => e.file !== context.doc.id && over?.renew()),
    ];
    return { ...does, close() {
      for (const stop of stops) stop();
      over?.close();
      does.close();
    } };
  },
};

// overlay puts the other file over the picture of one.
async function overlay(stage, context, shown, bar, note) {
  const mine = context.doc.id, other = mine ? 0 : 1, names = [nameOf(context, 0), nameOf(context, 1)];
  const says = (text) => {
    note.hidden = !text;
    note.textContent = text;
  };
  says("");
  fill(bar);
  if (!shown.map) return says(`Only ${names[mine]} is to be seen: what a camera sees is of one file.`);
  let second, doc;
  const options = () => Object.fromEntries(Object.entries(state()).filter(([k]) => k.startsWith("o.")));
  const find = async () => {
    doc = await ask(other, "open");
    if (!state().path && !doc.scene) throw new Error("there is no picture of it");
    const scene = await ask(other, "scene", { path: state().path, ...options() });
    const view = scene.views.find((v) => v.name === shown.view.name);
    if (!view || view.scale !== shown.view.scale) throw new Error(`It has no view called ${shown.view.title}.`);
    return { scene, view };
  };
  try {
    const { scene, view } = await find();
    second = new picture.Scene(other, doc.generation, scene, view);
  } catch (err) {
    return says(`Only ${names[mine]} is to be seen. ${names[other]}: ${err.message}`);
  }
  if (context.signal.aborted || context.shown !== shown) return;
  const { map, view: { scale } } = shown, side = devicePixelRatio > 1 ? 512 : undefined;
  const boundsOf = ([l, t, r, b]) => L.latLngBounds(shown.at(l, b), shown.at(r, t));
  const address = (kind) => (t) => url(other, `${kind}/${second.generation}/${t.z}/${t.x}/${t.y}`, { ...second.query(), side });
  const layersOf = (pane) => {
    const grid = { pane, tileSize: 256, bounds: boundsOf(second.view.bounds), noWrap: true, minZoom: -24, maxZoom: map.getMaxZoom(), maxNativeZoom: scale >= 16 ? 1 : 0, keepBuffer: 1, updateWhenIdle: false };
    return [second.scene.covers && new Tiles(address("cover"), { ...grid, className: "cover" }), new Tiles(address("tile"), grid)].filter(Boolean);
  };
  const own = map.getPanes().tilePane, pane = map.createPane("other");
  pane.style.zIndex = 210;
  const ground = L.rectangle(boundsOf(second.view.bounds), { pane: "ground", renderer: L.svg({ pane: "ground" }), interactive: false, weight: 1, fill: !shown.view.background, fillOpacity: 1, className: "ground bare" }).addTo(map);
  let layers = [], twin;

  const box = map.getContainer();
  const handle = el("div", { className: "swipe", role: "slider", tabIndex: 0, "aria-label": `Border: left of it is ${names[0]}, right of it ${names[1]}`, "aria-valuemin": 0, "aria-valuemax": 100 },
    el("span", { className: "old" }, names[0]), el("span", { className: "new" }, names[1]));
  box.append(handle);
  L.DomEvent.disableClickPropagation(handle);
  const border = () => Math.min(100, Math.max(0, Number(state().border ?? 50)));
  const move = (to) => set({ border: Math.round(Math.min(100, Math.max(0, to)) * 10) / 10 });
  handle.onkeydown = (e) => {
    const to = { ArrowLeft: border() - (e.shiftKey ? 10 : 2), ArrowRight: border() + (e.shiftKey ? 10 : 2), Home: 0, End: 100 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    move(to);
  };
  handle.onpointerdown = (e) => {
    handle.setPointerCapture(e.pointerId);
    handle.onpointermove = (e) => {
      const { left, width } = box.getBoundingClientRect();
      move(((e.clientX - left) / width) * 100);
    };
  };
  handle.onpointerup = handle.onpointercancel = () => (handle.onpointermove = null);

  const how = () => (state().over === "side" && narrow.matches ? "swipe" : state().over ?? "swipe");
  // arrange shows as much of each as is wanted. The new one is always on the right.
  const arrange = () => {
    const way = how(), at = border();
    for (const b of bar.querySelectorAll("[data-way]")) b.setAttribute("aria-pressed", b.dataset.way === way);
    handle.hidden = way !== "swipe";
    handle.style.left = `${at}%`;
    handle.setAttribute("aria-valuenow", Math.round(at));
    handle.setAttribute("aria-valuetext", `${Math.round(at)} % ${names[0]}, ${Math.round(100 - at)} % ${names[1]}`);
    const size = map.getSize(), a = map.containerPointToLayerPoint([0, 0]), mid = a.x + (size.x * at) / 100;
    const part = (from, to) => `polygon(${from}px ${a.y - 9}px, ${to}px ${a.y - 9}px, ${to}px ${a.y + size.y + 9}px, ${from}px ${a.y + size.y + 9}px)`;
    const left = part(a.x - 9, mid), right = part(mid, a.x + size.x + 9);
    const panes = mine ? [pane, own] : [own, pane];
    panes.forEach((p, i) => {
      p.style.clipPath = way === "swipe" ? [left, right][i] : "";
      p.style.visibility = way === "swipe" || way === ["old", "new"][i] || (way === "side" && p === own) ? "" : "hidden";
    });
    stage.classList.toggle("side", way === "side");
    if ((way === "side") !== Boolean(twin)) way === "side" ? split() : unite();
    box.dataset.over = way;
  };

  // split shows the other file in a picture of its own, which follows and leads the first one.
  function split() {
    const beside = el("div", { className: "map twin" });
    stage.append(beside);
    stage.classList.toggle("turned", mine === 1);
    fill(stage.querySelector(".names") ?? stage.appendChild(el("div", { className: "names" })), names.map((n) => el("span", {}, n)));
    const m = L.map(beside, { crs: L.CRS.Simple, minZoom: map.getMinZoom(), maxZoom: map.getMaxZoom(), zoomSnap: 1, attributionControl: false, zoomControl: false, keyboard: false, zoomAnimation: false, fadeAnimation: false, inertia: false });
    m.createPane("marks").style.zIndex = 450;
    m.setView(map.getCenter(), map.getZoom(), { animate: false });
    twin = { map: m, node: beside, layers: [], marks: new Marks(scale, "marks") };
    map.invalidateSize();
    fillTwin();
    twin.marks.addTo(m);
    for (const [id, { list, chosen }] of shown.sets) twin.marks.set(id, list, chosen);
    const follows = (from, to) => from.getZoom() === to.getZoom() && from.getCenter().equals(to.getCenter(), 1e-9);
    m.on("move", () => follows(m, map) || map.setView(m.getCenter(), m.getZoom(), { animate: false }));
    m.on("click", (e) => shown.inspect(shown.units(e.latlng)));
  }
  const fillTwin = () => {
    for (const l of twin.layers) l.remove();
    twin.layers = layersOf("tilePane").map((l) => l.addTo(twin.map));
  };
  function unite() {
    twin.map.remove();
    twin.node.remove();
    stage.querySelector(".names")?.remove();
    twin = undefined;
    stage.classList.remove("turned");
    map.invalidateSize();
  }
  const moved = () => {
    arrange();
    if (twin && !(twin.map.getZoom() === map.getZoom() && twin.map.getCenter().equals(map.getCenter(), 1e-9))) twin.map.setView(map.getCenter(), map.getZoom(), { animate: false });
  };
  map.on("move zoomend resize viewreset", moved);

  const way = (name, title, help) => el("button", { type: "button", dataset: { way: name }, title: help, onclick: () => (stopBlinking(), set({ over: name === "swipe" ? undefined : name })) }, title);
  let timer;
  const flip = () => set({ over: how() === "old" ? "new" : "old" });
  const stopBlinking = () => {
    clearInterval(timer);
    timer = undefined;
    blink.setAttribute("aria-pressed", "false");
  };
  const blink = el("button", { type: "button", "aria-pressed": "false", title: "One after the other (b)", onclick() {
    if (timer) return stopBlinking();
    flip();
    if (still.matches) return; // who wants no motion presses it again
    timer = setInterval(flip, 800);
    blink.setAttribute("aria-pressed", "true");
  } }, "Blink");
  const beside = way("side", "Side by side", "Two pictures that move together");
  beside.classList.add("wide");
  fill(bar, way("swipe", "Swipe", "A border that is moved by the pointer or the arrow keys"), way("old", "Old", names[0]), way("new", "New", names[1]), blink, beside);

  // What the picture of the first file does, that of the other does, too.
  const { refresh, toMoment, mark } = shown;
  const again = () => Promise.all([...layers, ...(twin?.layers ?? [])].map((l) => l.refresh()));
  shown.refresh = () => Promise.all([refresh.call(shown), again()]);
  shown.toMoment = (ms) => {
    second.moment = ms;
    return toMoment.call(shown, ms);
  };
  shown.mark = (id, list, chosen, choose) => {
    mark.call(shown, id, list, chosen, choose);
    twin?.marks.set(id, list, chosen);
  };
  shown.second = second;
  const spread = () => {
    for (const l of layers) l.remove();
    layers = layersOf("other").map((l) => l.addTo(map));
    const all = boundsOf(second.view.bounds);
    ground.setBounds(all);
    map.setMaxBounds(all.extend(boundsOf(shown.view.bounds)).pad(1));
    if (twin) fillTwin();
    const lacks = (a, b) => a.view.layers.filter((l) => !b.view.layers.some((m) => m.name === l.name)).map((l) => l.name);
    const [old, now] = mine ? [second, shown] : [shown, second], gone = lacks(old, now), came = lacks(now, old);
    const list = (l) => (l.length > 4 ? `${l.slice(0, 4).join(", ")} and ${l.length - 4} more` : l.join(", "));
    says([doc.broken && `${names[other]} cannot be read now: ${doc.broken}`, gone.length && `Only in ${names[0]}: ${list(gone)}.`, came.length && `Only in ${names[1]}: ${list(came)}.`].filter(Boolean).join(" "));
    arrange();
  };
  spread();
  const stop = watch((changed) => (changed.has("over") || changed.has("border")) && arrange());
  return {
    shown, flip,
    async renew() {
      try {
        Object.assign(second, await find(), { generation: doc.generation, options: options() });
        spread();
      } catch (err) {
        says(`${names[other]}: ${err.message}`);
      }
    },
    close() {
      stop();
      stopBlinking();
      if (twin) unite();
      handle.remove();
      fill(bar);
      says("");
      stage.classList.remove("side");
    },
  };
}

const signs = { added: ["+", "added"], removed: ["−", "removed"], changed: ["±", "changed"] };
const kindOf = (c) => signs[c.data.change] ? c.data.change : c.new.length && !c.old.length ? "added" : c.old.length && !c.new.length ? "removed" : "changed";
const most = 10000; // changes that are marked and listed

export const changes = {
  name: "changes", title: "Changes", eager: true,
  applies: pair, usual: pair,
  async open(node, context) {
    const { signal } = context;
    const head = el("div", { className: "bar" }), list = el("ul", { className: "plain changes" }), more = el("div"), lines = el("div"), here = el("section", { className: "here", "aria-live": "polite" });
    fill(node, head, here, list, more, lines);
    let all = [], answer, shown = 100, wanted = false, mine = 0, marked, view;

    const draw = async () => {
      const run = ++mine;
      view = context.shown?.view.name;
      const query = { view, path: state().path, run: wanted ? 1 : undefined, ...Object.fromEntries(Object.entries(state()).filter(([k]) => k.startsWith("o."))) };
      const next = [];
      do {
        answer = await ask(0, "compare/1", { ...query, from: next.length || undefined }, signal);
        if (run !== mine || signal.aborted) return;
        if (answer.state !== "done") break;
        next.push(...answer.changes);
      } while (next.length < Math.min(most, answer.kept));
      all = next;
      tell();
      if (answer.state === "running") setTimeout(() => run === mine && !signal.aborted && draw().catch((err) => context.failed(node, err)), 700);
    };
    const plural = (n, word) => `${n.toLocaleString()} ${word}${n === 1 ? "" : "s"}`;
    const tell = () => {
      const { old, new: now, state: is } = answer;
      const step = (by, title) => el("button", { type: "button", disabled: !all.length, title: `${title} (${by > 0 ? "n" : "p"})`, onclick: () => go(by) }, title);
      const what = is === "asks" ? "" : is === "running" ? `Comparing … ${answer.what ?? ""} ${answer.done ? answer.done.toLocaleString() : ""}${answer.of ? ` of ${answer.of.toLocaleString()}` : ""}`
        : answer.same ? "The files are the same, byte for byte." : !answer.count ? "They say the same, though not every byte is the same."
          : `${plural(answer.count, answer.byFile ? "file" : "change")}${answer.cells ? `, ${plural(answer.cells, "place")}` : ""}${all.length < answer.count ? `: the first ${all.length.toLocaleString()} are listed` : ""}`;
      fill(head, el("p", { role: "status", dataset: { count: answer.count ?? "", cells: answer.cells ?? "" } }, what), all.length > 1 && [step(-1, "Previous"), step(1, "Next")],
        is === "asks" && el("button", { type: "button", className: "strong", onclick: () => ((wanted = true), draw()) }, "Compare them"));
      const notes = [is === "asks" && "Folders may be large: they are compared when you want it.", old.title !== now.title && `${nameOf(context, 0)} is a ${old.title}, ${nameOf(context, 1)} a ${now.title}: the files in them are compared.`, ...(answer.notes ?? [])].filter(Boolean);
      fill(lines, notes.map((n) => el("p", { className: "muted" }, n)), answer.lines?.length > 0 && el("details", {}, el("summary", {}, el("h3", {}, "As diff prints it")), el("pre", { className: "data" }, answer.lines.join("\n"))));
      context.count(answer.count || "");
      rows();
      mark();
    };
    const rows = () => {
      const chosen = Number(state().change ?? -1);
      if (chosen >= shown) shown = chosen + 50;
      fill(list, all.slice(0, shown).map((c, i) => {
        const [sign, word] = signs[kindOf(c)];
        return el("li", {}, el("button", { type: "button", className: `link ${kindOf(c)}`, "aria-current": i === chosen ? "true" : undefined, onclick: () => choose(i) }, el("b", { title: word }, sign), el("span", {}, c.text)));
      }));
      fill(more, all.length > shown && el("button", { type: "button", onclick: () => ((shown += 500), rows()) }, `${(all.length - shown).toLocaleString()} more`));
      list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
      if (chosen >= 0 && answer.byFile) diff(all[chosen], list.children[chosen]).catch((err) => context.failed(here, err));
    };
    // Each rectangle is a mark, which leads to its change.
    const mark = () => {
      marked = [];
      for (const [i, c] of all.entries()) for (const where of c.new.length ? c.new : c.old) marked.push({ where, i, kind: kindOf(c), label: c.text });
      const chosen = Number(state().change ?? -1);
      context.shown?.mark?.("changes", marked, marked.findIndex((m) => m.i === chosen), (k) => set({ change: marked[k].i, tab: "changes" }));
    };
    const go = (by) => choose((Number(state().change ?? (by > 0 ? -1 : 0)) + by + all.length) % all.length);
    async function choose(i) {
      const c = all[i], where = (c.new.length ? c.new : c.old)[0];
      if (!where) return set({ change: i });
      const at = `${Math.min((where[0] + where[2]) / 2, where[0] + 0.5)},${Math.min((where[1] + where[3]) / 2, where[1] + 0.5)}`;
      await context.fly(where, { change: i, at });
    }

    // diff shows the lines of a file that changed below it.
    async function diff(c, li) {
      if (!c || !li || li.querySelector("pre")) return;
      const { path, other, change, text } = c.data;
      const button = (id, title) => el("button", { type: "button", className: "link", onclick: () => context.go({ file: id, path: id ? other || path : path, mode: "text", line: undefined }) }, title);
      li.append(el("p", { className: "row" }, change !== "added" && button(0, "Open the old one"), change !== "removed" && button(1, "Open the new one")));
      if (!text) return;
      const answer = await ask(0, "compare/1/text", { path, other }, signal);
      li.append(el("pre", { className: "data diff", tabIndex: 0 }, answer.diff.split("\n").slice(2).map((line) => el("span", { className: { "+": "added", "-": "removed", "@": "muted" }[line[0]] ?? "" }, line + "\n")), !answer.whole && "…"));
    }

    // What both files have at the place: of a change that was moved, at both of its places.
    const both = async () => {
      const { shown } = context, second = shown?.second, { at } = state();
      if (!at || !second || !shown.scene.inspects || !second.scene.inspects) return fill(here);
      const c = all[state().change], point = at.split(",").map(Number);
      const old = c?.old[0] && c.new[0] ? [point[0] - c.new[0][0] + c.old[0][0], point[1] - c.new[0][1] + c.old[0][1]] : point;
      const sides = shown.file ? [second, shown] : [shown, second];
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
        if (changed.has("doc") || (context.shown && context.shown.view.name !== view)) await draw();
        else if (changed.has("shown")) mark();
        if (changed.has("change")) rows(), mark();
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

// rowsOf tells in what that differs which two files have of the same name at a place, fact by
// fact; undefined if it does not.
function rowsOf(name, old, now) {
  const facts = (things) => new Map(things.flatMap((t, i) => [[`${i}`, ["", t.title]], ...flat(t.facts, `${i}/`)]));
  const a = facts(old), b = facts(now);
  const rows = [...new Set([...a.keys(), ...b.keys()])].map((k) => [(a.get(k) ?? b.get(k))[0], a.get(k)?.[1] ?? "", b.get(k)?.[1] ?? ""]).filter(([, x, y]) => x !== y);
  const [sign, word] = signs[!old.length ? "added" : !now.length ? "removed" : "changed"];
  return rows.length ? [el("tr", {}, el("th", { scope: "rowgroup", colSpan: 3 }, name, el("span", { className: word }, ` ${sign} ${word}`))),
    ...(old.length && now.length ? rows : rows.slice(0, 3)).map(([label, x, y]) => el("tr", {}, el("th", { scope: "row" }, label), el("td", { className: "removed" }, x), el("td", { className: "added" }, y)))] : undefined;
}

const flat = (facts, key) => facts.flatMap((f) => Array.isArray(f.value) && typeof f.value[0] === "object" ? flat(f.value, `${key}${f.key}/`) : [[key + f.key, [f.label, text(f.value)]]]);
const text = (v) => (v?.type === "color" ? v.text : v?.type === "slots" ? v.items.filter(Boolean).join(", ") : v?.type === "curve" ? v.lines.map((l) => `${l.name}: ${l.values.length} points`).join(", ") : Array.isArray(v) ? v.join(", ") : v === true ? "yes" : v === false ? "no" : String(v ?? ""));
