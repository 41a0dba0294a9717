// What helps to find one's way in a picture: a scale bar, a compass, an overview of the whole picture, and what is
// visible under the pointer.
import { ask } from "./api.js";
import { el, svg, fill } from "./dom.js";
import { load } from "./load.js";

const longest = 120; // pixels of the scale bar
const patience = 60; // milliseconds before the page asks what is under the pointer

// guide adds the helps to a Scene of map.js, in the node that contains its map.
export async function guide(shown, node) {
  await load("guide.css");
  if (!shown.map._container?.isConnected) return; // closed meanwhile
  const box = el("div", { className: "guide" });
  const helps = [scaleBar(shown, box), compass(shown, box), overview(shown, box), sight(shown)];
  node.append(box);
  for (const h of helps) h.draw?.();
  const draw = () => helps.forEach((h) => h.draw?.());
  shown.map.on("move zoomend resize", draw);
  shown.onDrawn.add(draw);
  const { close } = shown;
  shown.close = () => {
    shown.onDrawn.delete(draw);
    for (const h of helps) h.close?.();
    box.remove();
    close();
  };
}

// scaleBar is a length in the units of the picture: 1, 2 or 5 times a power of ten.
function scaleBar({ view, map }, box) {
  if (!view.unit) return {};
  const bar = el("div", { className: "scale-bar" });
  box.append(bar);
  return { draw() {
    const unit = view.scale * 2 ** map.getZoom(), most = longest / unit, ten = 10 ** Math.floor(Math.log10(most));
    const n = ten * [5, 2, 1].find((k) => k * ten <= most);
    bar.style.width = `${n * unit}px`;
    const text = `${n.toLocaleString("en", { maximumFractionDigits: 9 })} ${n === 1 ? view.unit.replace(/s$/, "") : view.unit}`;
    if (bar.textContent !== text) bar.textContent = text;
  } };
}

// compass shows the directions in which coordinates grow, and north.
function compass({ view }, box) {
  const arms = view.axes.flatMap((axis, i) => (/^-?[xyz]$/.test(axis) ? [{ name: axis.at(-1), x: i ? 0 : 1, y: i, back: axis.length > 1 }] : []))
    .map(({ name, x, y, back }) => ({ name, x: back ? -x : x, y: back ? -y : y }));
  const far = Math.hypot(...view.north), [nx, ny] = far ? view.north.map((v) => v / far) : [];
  if (!arms.length && !far) return {};
  const words = (x, y) => [y < -0.3 && "up", y > 0.3 && "down", x < -0.3 && "left", x > 0.3 && "right"].filter(Boolean).join(" and ");
  const text = [...arms.map((a) => `${a.name} grows ${words(a.x, a.y)}`), far && `north is ${words(nx, ny)}`].filter(Boolean).join(", ");
  const label = (text, x, y, className) => svg("text", { x, y, class: className }, text);
  box.append(svg("svg", { viewBox: "-32 -32 64 64", class: "compass", role: "img", "aria-label": text },
    svg("title", {}, text), svg("circle", { r: 31 }),
    ...arms.map((a) => svg("path", { class: "arm", d: `M0 0L${a.x * 8} ${a.y * 8}` })),
    ...(far ? [svg("path", { class: "north", d: `M${nx * 30} ${ny * 30}L${nx * 22 - ny * 5} ${ny * 22 + nx * 5}L${nx * 22 + ny * 5} ${ny * 22 - nx * 5}Z` }), label("N", nx * 20 - ny * 12, ny * 20 + nx * 12, "north")] : []),
    ...arms.map((a) => label(a.name, a.x * 14, a.y * 14))));
  return {};
}

// overview loads overview.js when a part of the picture is outside of the map.
function overview(shown, box) {
  const { map, units } = shown;
  let one;
  return {
    draw() {
      const [l, t, r, b] = shown.view.bounds, seen = map.getBounds(), a = units(seen.getNorthWest()), z = units(seen.getSouthEast());
      const hidden = !(r > l && b > t) || (a[0] <= l && a[1] <= t && z[0] >= r && z[1] >= b);
      if (!hidden) one ??= import("./overview.js").then((m) => box.isConnected && m.overview(shown, box));
      one?.then((o) => o && o.draw(hidden));
    },
    close: () => one?.then((o) => o && o.close()),
  };
}

// sight shows what is visible under the pointer, in the bottom line. One request is made at a time, for the last
// point.
function sight(shown) {
  const out = document.getElementById("sight");
  if (!shown.scene.sights) return {};
  let wanted, known, timer, asking;
  const look = async () => {
    if (asking || !wanted) return;
    const at = wanted, cell = String(at.map(Math.floor));
    if (cell === known) return;
    asking = new AbortController();
    const answer = await ask(shown.file, "sight", { ...shown.query(false), ...shown.inspectQuery(), x: at[0], y: at[1] }, asking.signal).catch(() => undefined);
    asking = undefined;
    if (wanted) fill(out, (known = cell, answer?.text ?? ""));
    if (wanted !== at) later();
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(look, patience);
  };
  shown.onPoint = (point) => {
    wanted = point;
    if (point) return later();
    known = undefined;
    fill(out);
  };
  return { close() {
    wanted = shown.onPoint = undefined;
    clearTimeout(timer);
    asking?.abort();
    fill(out);
  } };
}
