// The tools that draw tiles into the edited file.
//
// Keys of the state read here: canvas (the layer that is drawn).
import { state, set, watch } from "./state.js";
import { el, svg, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { edits } from "./edits.js";
import { namesShown, toggle } from "./layers.js";
import { Drawing } from "./drawing.js";
import { tileset } from "./tileset.js";
import { arrange } from "./arrange.js";

const tools = [
  ["move", "h", "Move the picture", "M8 1.5v13M1.5 8h13M8 1.5L6 3.5M8 1.5l2 2M8 14.5l-2-2M8 14.5l2-2M1.5 8l2-2M1.5 8l2 2M14.5 8l-2-2M14.5 8l-2 2"],
  ["brush", "d", "Brush", undefined],
  ["rectangle", "r", "Rectangle", "M2.5 3.5h11v9h-11zM5 6h6v4H5z"],
  ["fill", "f", "Fill", "M7 2l5.5 5.5L7 13 1.5 7.5zM2 8h10M13.8 10.5c.8 1.2 1 1.7 1 2.2a1 1 0 0 1-2 0c0-.5.2-1 1-2.2z"],
  ["erase", "x", "Eraser", "M9 3l4.5 4.5-6 6H5L2.5 11zM6 6l4.5 4.5M7.5 13.5h6"],
  ["pick", "q", "Picker: the brush becomes what it is dragged over", "M9.5 5L11 6.5 5 12.5l-2.5 1 1-2.5zM9 4l3 3M10.5 5.5l1.6-2.6a1 1 0 0 1 1.3 1.3L10.8 5.8"],
  ["select", "s", "Select", "M2.5 5V2.5H5M7 2.5h2M11 2.5h2.5V5M13.5 7v2M13.5 11v2.5H11M9 13.5H7M5 13.5H2.5V11M2.5 9V7"],
];
const drawn = (d) => svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d }));

export const panel = {
  async open(node, context) {
    const list = await edits(context);
    let ready = false;
    const drawing = new Drawing(context, list, () => ready && draw());
    const layers = el("select", { id: "canvas", onchange: () => choose(layers.value) });
    const button = (text, title, onclick, more = {}) => el("button", { type: "button", title, onclick: () => Promise.resolve(onclick()).catch((err) => context.say(err.message)), ...more }, text);
    const offers = el("p", { className: "row wrap offers", role: "status" });
    const bar = el("div", { className: "row tools-of", role: "toolbar", "aria-label": "Tools" }, tools.map(([name, key, title, d]) => button(d ? drawn(d) : icon(name), `${title} (${key})`, () => drawing.use(name), { dataset: { tool: name }, "aria-label": title })));
    const act = (how, says) => () => list.back(how).then((did) => did && context.say(says));
    const undo = button("Undo", "Undo (Z)", act("undo", "Undone")), redo = button("Redo", "Redo (Y)", act("redo", "Redone"));
    const copy = button("Copy", "Copy the selection (C)", () => drawing.copy()), cut = button("Cut", "Cut the selection (X)", () => drawing.cut()), paste = button("Paste", "Paste (V)", () => drawing.paste());
    const turns = [
      button("⇋", "Mirror left to right (N)", () => drawing.turn(true, 0), { "aria-label": "Mirror left to right" }),
      button("⥮", "Mirror top to bottom (M)", () => drawing.turn(true, 2), { "aria-label": "Mirror top to bottom" }),
      button("↻", "Rotate clockwise (R)", () => drawing.turn(false, 1), { "aria-label": "Rotate clockwise" }),
      button("↺", "Rotate anticlockwise (T)", () => drawing.turn(false, 3), { "aria-label": "Rotate anticlockwise" }),
    ];
    const tiles = tileset(drawing), fields = el("div", { className: "fields-of" });
    const check = (text, is, onchange) => el("label", { className: "check" }, el("input", { type: "checkbox", checked: is, onchange: (e) => onchange(e.target.checked) }), text);
    const over = el("fieldset", {}, el("legend", {}, "Over the picture"),
      check("Grid (#)", Boolean(state().grid), (is) => set({ grid: is ? 1 : undefined })),
      check("Numbers of tiles (U)", false, (is) => ((drawing.overlay.numbers = is), drawing.showNumbers())),
      check("What players see (K)", false, (is) => ((drawing.overlay.frames = is), drawing.showFrames())));
    const [grid, numbers, frames] = over.querySelectorAll("input");
    const parts = arrange(context, list), shapes = drawing.shapes.fields();
    const cells = el("div", { className: "drawing" }, el("div", { className: "row wrap" }, turns, check("Keep tiles under air", false, (is) => (drawing.keepsUnderAir = is))), fields, tiles.node);
    const body = el("div", { className: "drawing" }, el("label", { htmlFor: "canvas" }, "Layer"), layers, offers, bar,
      el("div", { className: "row wrap" }, undo, redo, el("span", { className: "space" }), copy, cut, paste), cells, shapes, over, parts.node);

    // choose chooses a layer, and shows it in the picture.
    function choose(layer) {
      set({ canvas: layer });
      parts.choose(layer);
      if (drawing.shapes.outlines.some((o) => o.layer === layer) && drawing.tool !== "move") drawing.use("select");
      const { shown } = context;
      if (!namesShown(shown).includes(layer) && shown.view.layers.some((l) => l.name === layer)) toggle(shown, [layer], true);
    }

    let kind, listed, coloured; // of the layer that the fields are for; the listed layers; the shape whose colour is shown
    function draw() {
      const { canvas, canvases, shaping } = drawing, { outlines, outline, chosen: some } = drawing.shapes;
      if (body.parentNode !== node) fill(node, body);
      const names = [...canvases.map((c) => [c.layer, c.kind === "tiles" ? c.layer : `${c.layer} (${c.kind})`]), ...outlines.map((o) => [o.layer, `${o.layer} (shapes)`])];
      if (names.join() !== listed) fill(layers, names.map(([value, text]) => el("option", { value }, text)));
      listed = names.join();
      layers.value = outline?.layer ?? canvas?.layer ?? "";
      for (const b of bar.children) {
        const usable = b.dataset.tool === "move" || (shaping ? b.dataset.tool === "select" : Boolean(canvas));
        b.disabled = !usable;
        b.setAttribute("aria-pressed", b.dataset.tool === drawing.tool);
      }
      const offered = drawing.offers.map((c) => c.layer).join("\n");
      if (offers.dataset.offered !== offered) fill(offers, offered && "At this place:", drawing.offers.map((c) => button(`Draw in ${c.layer}`, "Choose the layer whose tile is there", () => choose(c.layer))));
      offers.dataset.offered = offered;
      cells.hidden = shaping || !canvas;
      shapes.hidden = !shaping;
      shapes.querySelector("#shapes-now").textContent = !outline?.shapes ? "The layer is empty." : some.size === 1 ? `Number ${[...some][0]} is chosen` : `${some.size} of ${outline.shapes} are chosen`;
      numbers.disabled = cells.hidden;
      const one = [...some][0], color = drawing.shapes.shapes[one]?.color;
      if (color && one !== coloured) [shapes.querySelector("[type=color]").value, shapes.querySelector("[type=number]").value] = [color.slice(0, 7), parseInt(color.slice(7), 16)];
      coloured = one;
      undo.disabled = !list.now.undo;
      redo.disabled = !list.now.redo;
      copy.disabled = cut.disabled = shaping || !drawing.selection;
      paste.disabled = shaping || !(drawing.clipboard || drawing.copying);
      grid.checked = Boolean(state().grid);
      if (cells.hidden) return;
      if (kind !== canvas.kind) drawFields((kind = canvas.kind));
      fields.querySelectorAll("[data-flag]").forEach((b) => b.setAttribute("aria-pressed", drawing.flags.has(b.dataset.flag)));
      fields.querySelectorAll("input").forEach((input, i) => document.activeElement !== input && (input.value = drawing.numbers[i]));
      tiles.draw();
    }

    function drawFields() {
      const { flags, numbers } = drawing.canvas;
      fill(fields, flags.length > 0 && el("div", { className: "row wrap", role: "group", "aria-label": "Flags" }, el("span", { className: "muted" }, "Flags"), flags.map((f) => el("button", { type: "button", title: f.title, "aria-label": f.title, dataset: { flag: f.letter }, onclick: () => drawing.setFlag(f.letter, !drawing.flags.has(f.letter)) }, f.letter))),
        numbers.map((n, i) => el("label", { className: "number-of" }, el("span", {}, n.title), el("input", { type: "number", min: n.least, max: n.most, step: 1, value: drawing.numbers[i], dataset: { number: n.name }, oninput: (e) => e.target.validity.valid && e.target.value !== "" && drawing.setNumber(i, Number(e.target.value)) }))));
    }

    const when = () => context.visible && Boolean(drawing.ink) && (Boolean(drawing.canvas) || drawing.shaping);
    const key = (keys, help, run, more = when) => bind(keys, help, (e) => void Promise.resolve(run(e)).catch((err) => context.say(err.message)), { group: "Draw", when: more });
    const cellKey = (keys, help, run) => key(keys, help, run, () => when() && !drawing.shaping);
    const flip = (box) => (box.checked = !box.checked, box.dispatchEvent(new Event("change")));
    const ends = [
      ...tools.map(([name, k, title]) => key(k, title.toLowerCase(), () => bar.querySelector(`[data-tool=${name}]`).disabled || drawing.use(name))),
      cellKey("C", "copy the selection", () => drawing.copy()), cellKey("X", "cut the selection", () => drawing.cut()), cellKey("V", "paste", () => drawing.paste()),
      cellKey("Delete", "erase the selection", () => drawing.erase()),
      cellKey("N", "mirror left to right", () => drawing.turn(true, 0)), cellKey("M", "mirror top to bottom", () => drawing.turn(true, 2)),
      cellKey("R", "rotate clockwise", () => drawing.turn(false, 1)), cellKey("T", "rotate anticlockwise", () => drawing.turn(false, 3)),
      cellKey("U", "numbers of tiles", () => flip(numbers)), key("K", "what players see", () => flip(frames)),
      bind("Escape", undefined, () => drawing.cancel() || (drawing.tool !== "move" && drawing.use("move"), true), { when: () => when() && (drawing.tool !== "move" || Boolean(drawing.selection) || drawing.shapes.chosen.size > 0) }),
      list.watch(() => draw()),
      watch((changed) => changed.has("tab") && drawing.use(drawing.tool)), // another panel in front takes the pointer away
    ];
    const start = async () => {
      await Promise.all([drawing.load(), parts.load()]);
      ready = true;
      if (context.shown?.map) drawing.show(context.shown);
      if (drawing.shapes.outline ?? drawing.canvas) choose((drawing.shapes.outline ?? drawing.canvas).layer);
      draw();
    };
    await start();
    let moved;
    const follow = () => {
      clearTimeout(moved);
      moved = setTimeout(() => drawing.showNumbers(), 100);
    };
    let map;
    const followMap = () => {
      if (map === context.shown?.map) return;
      map?.off("moveend", follow);
      map = context.shown?.map;
      map?.on("moveend", follow);
    };
    followMap();
    return {
      async update(changed) {
        if (changed.has("shown") && context.shown?.map) {
          drawing.show(context.shown);
          followMap();
        }
        if (changed.has("doc") && drawing.sign() !== drawing.signed) await Promise.all([drawing.load(), parts.load()]);
        if (changed.has("canvas")) {
          parts.choose(state().canvas);
          await drawing.choose(state().canvas);
        }
        if (changed.has("at") && context.visible && drawing.canvas && !drawing.shaping && state().at) await drawing.offer(state().at.split(",").map(Number));
        if (changed.has("visible")) drawing.showFrames();
        if (changed.has("doc") || changed.has("visible")) follow();
        if (changed.has("visible")) drawing.use(drawing.tool);
        draw();
      },
      close() {
        clearTimeout(moved);
        map?.off("moveend", follow);
        for (const end of ends) end();
        drawing.close();
      },
      focus: () => bar.querySelector("[aria-pressed=true]")?.focus(),
    };
  },
};
