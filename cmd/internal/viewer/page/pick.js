// Boxes and places that the user points at in the picture, in the user's coordinates. A view of a world shows two of three.
import { ask } from "./api.js";
import { el } from "./dom.js";
import { brief } from "./place.js";

const space = ["x", "y", "z"], whole = [-32768, 32767];

// flat returns the number of the coordinate that a view of a world does not show, and those that it shows; undefined if it
// shows others.
function flat(view) {
  const shown = view.axes.map((a) => space.indexOf(a.replace("-", "")));
  return shown.includes(-1) ? undefined : [[0, 1, 2].find((k) => !shown.includes(k)), shown];
}

// joined returns three coordinates of which two are shown by a view.
function joined([lacks, shown], cell, third) {
  const all = [];
  all[lacks] = third;
  shown.forEach((k, i) => (all[k] = cell[i]));
  return all;
}

const unfit = (context) => void context.say("This view does not show x, y or z: choose a view from above or from a side.");

// over lays a surface over the picture that takes the pointer, until end is called with a result or Escape is pressed.
function over(context, does, prompt) {
  const { map } = context.shown, node = map.getContainer();
  return new Promise((done) => {
    const surface = el("div", { className: "picking", tabIndex: -1, role: "application", "aria-label": prompt });
    const cell = (e) => {
      const { left, top } = node.getBoundingClientRect();
      return context.shown.units(map.containerPointToLatLng([e.clientX - left, e.clientY - top])).map(Math.floor);
    };
    const end = (result) => {
      surface.remove();
      removeEventListener("keydown", escape, true);
      done(result);
    };
    const escape = (e) => {
      if (e.key !== "Escape") return;
      e.stopPropagation();
      end();
    };
    addEventListener("keydown", escape, true);
    L.DomEvent.disableClickPropagation(surface); // the map does not move
    node.append(surface);
    does(surface, cell, end);
    context.say(`${prompt} Esc cancels.`);
  });
}

const cells = (view, cell) => brief(view, cell).split(",").map(Number);

// place returns the place that the user clicks: "x,y".
export const place = (context) => over(context, (surface, cell, end) => {
  surface.onpointerup = (e) => end(cell(e).join(","));
}, "Click the place in the picture.");

// node returns the node that the user clicks: "x,y,z". With a picture of what is placed there, the picture follows the pointer,
// and its lowest node is above the ground. get(view) returns the picture and its area as if it were placed at 0, or undefined.
export async function node(context, get) {
  const { shown } = context, { view, map, at } = shown, axes = flat(view);
  if (!axes) return unfit(context);
  const ghost = await get?.(view.name);
  const cell = await over(context, (surface, cell, end) => {
    if (ghost) {
      const [l, t, r, b] = ghost.area, image = surface.appendChild(el("img", { className: "ghost", alt: "", src: `data:image/png;base64,${ghost.picture}` }));
      surface.onpointermove = (e) => {
        const [x, y] = cells(view, cell(e)).map((v, i) => (view.axes[i].startsWith("-") ? -v : v));
        const [from, to] = [[x + l, y + t], [x + r, y + b]].map((p) => map.latLngToContainerPoint(at(...p)));
        Object.assign(image.style, { left: `${from.x}px`, top: `${from.y}px`, width: `${to.x - from.x}px`, height: `${to.y - from.y}px` });
      };
    }
    surface.onpointerup = (e) => end(cell(e));
  }, "Click the place in the picture.");
  if (!cell) return;
  const { things } = await ask(shown.file, "inspect", { ...shown.query(), ...shown.inspectQuery(), x: cell[0] + 0.5, y: cell[1] + 0.5 });
  const top = things.map((o) => o.place?.at.node).find(Boolean);
  const third = top ? top[axes[0]] + (ghost && axes[0] === 1 ? 1 : 0) : 0;
  if (!top) context.say(`Nothing is there: ${space[axes[0]]} is 0.`);
  return joined(axes, cells(view, cell), third).join(",");
}

// boxOfNodes returns the box that the user draws: "x1,y1,z1:x2,y2,z2". The coordinate that the view does not show is that of
// the given box, or everything.
export async function boxOfNodes(context, given) {
  const { view } = context.shown, axes = flat(view);
  if (!axes) return unfit(context);
  const text = await box(context);
  if (!text) return;
  const old = /^\s*(-?\d+),(-?\d+),(-?\d+):(-?\d+),(-?\d+),(-?\d+)\s*$/.exec(given)?.slice(1).map(Number);
  const third = old ? [old[axes[0]], old[axes[0] + 3]] : whole;
  const corners = text.split(":").map((p, i) => joined(axes, cells(view, p.split(",").map(Number)), third[i]));
  return [Math.min, Math.max].map((f) => space.map((_, k) => f(corners[0][k], corners[1][k])).join(",")).join(":");
}

// box returns the box that the user draws: "x1,y1:x2,y2", both corners inside.
export const box = (context) => over(context, (surface, cell, end) => {
  const { map, at } = context.shown;
  let from, frame;
  const sorted = (to) => [0, 1].map((i) => [Math.min(from[i], to[i]), Math.max(from[i], to[i])]);
  surface.onpointerdown = (e) => {
    surface.setPointerCapture(e.pointerId);
    from = cell(e);
  };
  surface.onpointermove = (e) => {
    if (!from) return;
    const [[l, r], [t, b]] = sorted(cell(e)), corners = [map.latLngToContainerPoint(at(l, t)), map.latLngToContainerPoint(at(r + 1, b + 1))];
    frame ??= surface.appendChild(el("div", { className: "frame" }));
    Object.assign(frame.style, { left: `${corners[0].x}px`, top: `${corners[0].y}px`, width: `${corners[1].x - corners[0].x}px`, height: `${corners[1].y - corners[0].y}px` });
  };
  surface.onpointerup = (e) => {
    if (!from) return;
    const [[l, r], [t, b]] = sorted(cell(e));
    end(`${l},${t}:${r},${b}`);
  };
  surface.onpointercancel = () => end();
}, "Draw the box in the picture.");
