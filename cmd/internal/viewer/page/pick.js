// Boxes and places that the user points at in the picture. Coordinates are whole units of the view.
import { el } from "./dom.js";

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

// place returns the place that the user clicks: "x,y".
export const place = (context) => over(context, (surface, cell, end) => {
  surface.onpointerup = (e) => end(cell(e).join(","));
}, "Click the place in the picture.");

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
