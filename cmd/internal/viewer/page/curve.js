// Values that change over time, as lines.
import { el, svg } from "./dom.js";

const [wide, high, left, below] = [300, 96, 34, 16];
const dashes = ["", "6 3", "2 3", "8 3 2 3"]; // lines differ not only by color

// plot draws the curve of an inspector's fact. moment(ms) of the result marks a time.
export function plot(label, { unit, lines, points }, now) {
  const times = lines.flatMap((l) => l.times), values = lines.flatMap((l) => l.values).filter(Number.isFinite);
  const [t0, t1] = [Math.min(...times, 0), Math.max(...times, 1)];
  let [low, top] = [Math.min(...values), Math.max(...values)];
  if (!(top > low)) [low, top] = [(low || 0) - 1, (low || 0) + 1];
  const x = (t) => left + ((t - t0) / (t1 - t0)) * (wide - left - 4), y = (v) => 4 + ((top - v) / (top - low)) * (high - below - 8);
  const short = (v) => Number(v.toPrecision(3));
  const text = (at, attributes) => svg("text", attributes, String(at));
  const bar = svg("line", { y1: 4, y2: high - below - 4, class: "now" });
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${label}: ${lines.map((l) => l.name).join(", ")}, from ${short(low)} to ${short(top)} ${unit}, ${points.length} points in ${short((t1 - t0) / 1000)} seconds` },
    svg("path", { class: "axis", d: `M${left} 4V${high - below - 4}H${wide - 4}` }),
    text(short(top), { x: left - 4, y: 10, class: "end" }), text(short(low), { x: left - 4, y: high - below - 4, class: "end" }),
    text(short(t0 / 1000), { x: left, y: high - 4 }), text(`${short(t1 / 1000)} s`, { x: wide - 4, y: high - 4, class: "end" }),
    ...(low < 0 && top > 0 ? [svg("path", { class: "axis", d: `M${left} ${y(0)}H${wide - 4}` })] : []),
    ...points.map((t) => svg("path", { class: "point", d: `M${x(t)} ${high - below - 7}v6` })),
    ...lines.flatMap((l, i) => [
      svg("path", { class: `line line-${i}`, "stroke-dasharray": dashes[i % 4], d: l.times.map((t, j) => `${j ? "L" : "M"}${x(t).toFixed(1)} ${y(l.values[j]).toFixed(1)}`).join("") }),
      ...points.map((t) => [t, at(l, t)]).filter(([, v]) => v !== undefined).map(([t, v]) => svg("circle", { class: `line-${i}`, cx: x(t), cy: y(v), r: 2 })),
    ]), bar);
  const legend = lines.map((l, i) => el("span", { className: "row" }, svg("svg", { viewBox: "0 0 18 6", class: "key", "aria-hidden": "true" }, svg("path", { class: `line line-${i}`, "stroke-dasharray": dashes[i % 4], d: "M0 3H18" })), l.name));
  const node = el("figure", { className: "curve" }, el("figcaption", {}, el("span", {}, label, unit ? el("span", { className: "muted" }, ` in ${unit}`) : ""), legend), picture);
  node.moment = (ms) => {
    const t = t0 + ((ms - t0) % (t1 - t0 || 1));
    bar.setAttribute("x1", x(t));
    bar.setAttribute("x2", x(t));
  };
  node.moment(now);
  return node;
}

// at returns the value of a line at a time.
function at({ times, values }, t) {
  const i = times.findIndex((u) => u >= t);
  if (i < 0) return values.at(-1);
  if (i === 0 || times[i] === t) return values[i];
  return values[i - 1] + ((values[i] - values[i - 1]) * (t - times[i - 1])) / (times[i] - times[i - 1]);
}
