// Icons, drawn here: lines in a square of 16 x 16.
import { el, svg } from "./dom.js";

const lines = {
  left: "M2.5 3h11v10h-11zM6.5 3v10", right: "M2.5 3h11v10h-11zM9.5 3v10",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M10 4v8M12 5.5v5",
  help: "M5.6 5.8a2.4 2.4 0 1 1 3.5 2.1c-.8.4-1.1.9-1.1 1.7M8 12.3v.2", close: "M4 4l8 8M12 4l-8 8",
  folder: "M2 4.5V13h12V5.5H8L6.5 3.5H2z", file: "M4 2h5l3 3v9H4zM9 2v3h3", picture: "M2 3h12v10H2zM2 11l3.5-4 3 3.2L10.5 8 14 11.6M10.5 5.5h.1",
  text: "M3 4h10M3 7h7M3 10h10M3 13h5", search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3.3 3.3",
  error: "M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM8 5v3.5M8 10.8v.2", warning: "M8 2.5L14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2", info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.3v3.7M8 5v.2",
  more: "M6 4l4 4-4 4", down: "M4 6l4 4 4-4", play: "M5 3l8 5-8 5z", pause: "M5.5 3v10M10.5 3v10",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11", back: "M7 3L2.5 8 7 13M2.5 8h11",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3", eye: "M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6",
  camera: "M2 5h3l1-1.5h4L11 5h3v8H2zM8 6.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6", link: "M6.5 9.5l3-3M7 4.5l1.6-1.6a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.6 1.6a2.8 2.8 0 0 1-4-4L5 7.5",
  turn: "M8 1.8l5.5 3v6.4l-5.5 3-5.5-3V4.8zM2.5 4.8L8 7.9l5.5-3.1M8 7.9v6.3",
  brush: "M13.5 2.5L7 9M6.2 9.2c-2 0-2 3-4.2 3.3 1.4 1.3 5.8 1.3 6-1.5 0-1-.8-1.8-1.8-1.8z", flag: "M4 14V2.5h8.5L10.5 6l2 3.5H4",
  list: "M6 4h7M6 8h7M6 12h7M3 4h.1M3 8h.1M3 12h.1", changes: "M8 2.5v6M5 5.5h6M5 12.5h6",
  film: "M2 3h12v10H2zM5 3v10M11 3v10M2 8h12",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
};

// icon draws an icon. It is hidden from screen readers, so it needs text next to it or a label.
export const icon = (name) => svg("svg", { viewBox: "0 0 16 16", class: "icon icon-" + name, "aria-hidden": "true" }, svg("path", { d: lines[name] }));

// severity returns the icon and the text for "error", "warning" or "info".
export const severity = (name) => el("span", { className: "severity sev-" + name }, icon(name), " " + name);
