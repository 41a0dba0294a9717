// Dialogs: the list of keys, and "go to".
import { el } from "./dom.js";
import { bound } from "./keys.js";
import { icon } from "./icons.js";
import { load } from "./load.js";

await load("dialog.css");

const shown = { " ": "Space", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

// dialog shows content over the page until it is closed, then restores the focus.
export function dialog(title, ...children) {
  const head = el("header", {}, el("h2", { id: "dialog-title" }, title), el("button", { type: "button", className: "quiet", "aria-label": "Close", onclick: () => box.close() }, icon("close")));
  const box = el("dialog", { "aria-labelledby": "dialog-title" }, head, ...children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (e) => e.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}

const key = (k) => el("kbd", {}, shown[k] ?? k);

export function help() {
  const all = (keys) => (keys.length > 4 ? [key(keys[0]), " – ", key(keys.at(-1))] : keys.flatMap((k, i) => [i ? " " : "", key(k)]));
  const groups = [...bound()].map(([name, list]) => el("section", {}, el("h3", {}, name),
    el("dl", { className: "keys" }, list.flatMap(({ keys, help }) => [el("dt", {}, all(keys)), el("dd", {}, help)]))));
  dialog("Keys", el("div", { className: "columns", tabIndex: 0, role: "group", "aria-label": "List of keys" }, groups));
}

// askPlace asks for coordinates. go(text) goes there or returns an error message.
export function askPlace(go) {
  const field = el("input", { type: "text", id: "coordinates", name: "coordinates", autocomplete: "off", spellcheck: false, inputMode: "text", placeholder: "161,37", "aria-describedby": "coordinates-wrong" });
  const wrong = el("p", { id: "coordinates-wrong", className: "wrong", role: "alert" });
  const form = el("form", { method: "dialog", onsubmit: (e) => {
    e.preventDefault();
    const message = go(field.value.trim());
    if (message) wrong.textContent = message;
    else box.close();
  } }, el("label", { htmlFor: "coordinates" }, "Coordinates: x,y or x,y,z"), el("div", { className: "row" }, field, el("button", { type: "submit", className: "strong" }, "Go")), wrong);
  const box = dialog("Go to", form);
  field.focus();
}
