// Two files in one picture.
//
// Keys of the state read here: over (how both are shown: swipe, old, new or side; default swipe, and new for the result of changes), border
// (position of the border between the files, in percent).
import { ask, url } from "./api.js";
import { state, set, watch, optionsNow } from "./state.js";
import { el, fill } from "./dom.js";
import { bind } from "./keys.js";
import { narrow } from "./frame.js";
import { on } from "./live.js";
import * as picture from "./map.js";
import { Tiles } from "./tiles.js";
import { Marks } from "./marks.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

export const panel = {
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
            context.show(shown); // the context now has the other file, too
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

// overlay lays the other file over the picture of the first one.
async function overlay(stage, context, shown, bar, note) {
  const { ids, names } = context.pair, mine = ids.indexOf(context.doc.id), other = ids[1 - mine];
  const says = (text) => {
    note.hidden = !text;
    note.textContent = text ?? "";
  };
  says("");
  fill(bar);
  if (!shown.map) return says(`Only ${names[mine]} is to be seen: what a camera sees is of one file.`);
  let second, doc;
  const find = async () => {
    doc = await ask(other, "open");
    if (!state().path && !doc.scene) throw new Error("the file has no picture");
    const scene = await ask(other, "scene", { path: state().path, ...optionsNow() });
    const view = scene.views.find((v) => v.name === shown.view.name);
    if (!view || view.scale !== shown.view.scale) throw new Error(`It has no view called ${shown.view.title}.`);
    return { scene, view };
  };
  try {
    const { scene, view } = await find();
    second = new picture.Scene(other, doc.generation, scene, view);
  } catch (err) {
    return says(`Only ${names[mine]} is to be seen. ${names[1 - mine]}: ${err.message}`);
  }
  if (context.signal.aborted || context.shown !== shown) return;
  const { map, view: { scale } } = shown, side = devicePixelRatio > 1 ? 512 : undefined;
  const boundsOf = ([l, t, r, b]) => L.latLngBounds(shown.at(l, b), shown.at(r, t));
  const address = (kind) => (t) => url(other, `${kind}/${second.generation}/${t.z}/${t.x}/${t.y}`, { ...second.query(), ...shown.paper(), side });
  const layersOf = (pane) => {
    const grid = { pane, tileSize: 256, bounds: boundsOf(second.view.bounds), noWrap: true, minZoom: -24, maxZoom: map.getMaxZoom(), maxNativeZoom: shown.natural, keepBuffer: 1, updateWhenIdle: false };
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

  const usual = context.session.edit === undefined || context.states?.pair() ? "swipe" : "new"; // the result of the changes
  const how = () => (state().over === "side" && narrow.matches ? "swipe" : state().over ?? usual);
  // arrange shows the visible part of each file. The new file is always on the right.
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

  // split shows the other file in a separate picture. Both pictures move together.
  function split() {
    const beside = el("div", { className: "map twin" });
    stage.append(beside);
    stage.classList.toggle("turned", mine === 1);
    fill(stage.querySelector(".names") ?? stage.appendChild(el("div", { className: "names" })), names.map((n) => el("span", {}, n)));
    const m = L.map(beside, { crs: L.CRS.Simple, minZoom: map.getMinZoom(), maxZoom: map.getMaxZoom(), zoomSnap: 1, attributionControl: false, zoomControl: false, keyboard: false, zoomAnimation: false, fadeAnimation: false, inertia: false });
    m.createPane("marks").style.zIndex = 450;
    picture.put(m, map.getCenter(), map.getZoom());
    twin = { map: m, node: beside, layers: [], marks: new Marks(scale, "marks") };
    map.invalidateSize();
    fillTwin();
    twin.marks.addTo(m);
    for (const [id, { list, chosen, fades }] of shown.sets) twin.marks.set(id, list, chosen, fades);
    const follows = (from, to) => from.getZoom() === to.getZoom() && from.getCenter().equals(to.getCenter(), 1e-9);
    m.on("move", () => follows(m, map) || picture.put(map, m.getCenter(), m.getZoom()));
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
    if (twin && !(twin.map.getZoom() === map.getZoom() && twin.map.getCenter().equals(map.getCenter(), 1e-9))) picture.put(twin.map, map.getCenter(), map.getZoom());
  };
  map.on("move zoomend resize viewreset", moved);

  const way = (name, title, help) => el("button", { type: "button", dataset: { way: name }, title: help, onclick: () => (stopBlinking(), set({ over: name === usual ? undefined : name })) }, title);
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
    if (still.matches) return; // with reduced motion, the user presses it for each change
    timer = setInterval(flip, 800);
    blink.setAttribute("aria-pressed", "true");
  } }, "Blink");
  const beside = way("side", "Side by side", "Two pictures that move together");
  beside.classList.add("wide");
  fill(bar, way("swipe", "Swipe", "A border that is moved by the pointer or the arrow keys"), way("old", "Old", names[0]), way("new", "New", names[1]), blink, beside);

  // Changes of the first file's picture are applied to the other one, too.
  const { refresh, toMoment, mark } = shown;
  const again = () => Promise.all([...layers, ...(twin?.layers ?? [])].map((l) => l.refresh()));
  shown.refresh = () => Promise.all([refresh.call(shown), again()]);
  shown.toMoment = (ms) => {
    second.moment = ms;
    return toMoment.call(shown, ms);
  };
  shown.mark = (id, list, chosen, choose, fades) => {
    mark.call(shown, id, list, chosen, choose, fades);
    twin?.marks.set(id, list, chosen, fades);
  };
  shown.second = second;
  shown.film = Object.assign(() => import("./sweep.js").then((m) => m.sweep(shown, second, names, mine)), { title: "Keep a short film of before and after" });
  shown.offer();
  let drawn; // the edition and the options of the other picture
  const spread = () => {
    const all = boundsOf(second.view.bounds), is = JSON.stringify([second.generation, second.options]);
    if (is !== drawn) {
      for (const l of layers) l.remove();
      layers = layersOf("other").map((l) => l.addTo(map));
      ground.setBounds(all);
      if (twin) fillTwin();
    }
    drawn = is;
    shown.widen(all);
    const lacks = (a, b) => a.view.layers.filter((l) => !b.view.layers.some((m) => m.name === l.name)).map((l) => l.name);
    const [old, now] = mine ? [second, shown] : [shown, second], gone = lacks(old, now), came = lacks(now, old);
    const list = (l, name) => l.length && `${l.length === 1 ? "A layer is" : `${l.length} layers are`} only in ${name}: ${l.join(", ")}.`;
    shown.lacks = [list(gone, names[0]), list(came, names[1])].filter(Boolean);
    says(doc.broken && `${names[1 - mine]} cannot be read now: ${doc.broken}`);
    arrange();
  };
  spread();
  const stop = watch((changed) => (changed.has("over") || changed.has("border")) && arrange());
  return {
    shown, flip,
    async renew() {
      try {
        Object.assign(second, await find(), { generation: doc.generation, options: optionsNow() });
        spread();
      } catch (err) {
        says(`${names[1 - mine]}: ${err.message}`);
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
