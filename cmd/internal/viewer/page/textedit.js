// A text of the edited file in a field: its difference becomes a change of the list.
import { ask } from "./api.js";
import { el, fill } from "./dom.js";
import { severity } from "./icons.js";
import { dialog } from "./help.js";
import { on } from "./live.js";

// difference returns the first line that differs, how many lines are replaced, and by which.
export function difference(old, now) {
  let at = 0, end = 0;
  const least = Math.min(old.length, now.length);
  while (at < least && old[at] === now[at]) at++;
  while (end < least - at && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { at, count: old.length - at - end, lines: now.slice(at, now.length - end) };
}

// linesOf returns the lines of a text without empty ones at its end.
export const linesOf = (text) => text.replace(/\s+$/, "").split("\n").filter((line, i, all) => all.length > 1 || line !== "");

export async function edit(context, list, { path, title, command, options = [] }) {
  const read = async () => {
    await list.idle();
    const lines = [];
    try {
      for (;;) {
        const { rows, total } = await ask(list.file, "text", { path, from: lines.length, n: 1000 });
        lines.push(...rows.map((row) => row[1]));
        if (!rows.length || lines.length >= total) return lines;
      }
    } catch (err) {
      if (err.status === 404) return [];
      throw err;
    }
  };
  let old = await read();
  const field = el("textarea", { id: "whole-text", className: "data", rows: 14, spellcheck: false, wrap: "off", value: old.join("\n") });
  const found = el("ul", { className: "plain found-in", "aria-label": "Findings" }), wrong = el("p", { className: "wrong", role: "alert" }), state = el("p", { className: "muted", role: "status" });
  const mark = async () => {
    await list.idle();
    await ask(list.file, "check"); // starts it
    const { marks } = await ask(list.file, "marks", { path });
    fill(found, marks.map((m) => el("li", {}, el("button", { type: "button", className: "link", onclick: () => select(m.line) }, `Line ${m.line}`), " ", severity(m.severity), `: ${m.message}`)));
    state.textContent = marks.length ? "" : "No findings in these lines.";
  };
  const select = (line) => {
    const lines = field.value.split("\n"), from = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
    field.focus();
    field.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  };
  const apply = async () => {
    const { at, count, lines } = difference(old, linesOf(field.value));
    wrong.textContent = "";
    if (!count && !lines.length) return;
    try {
      await list.act({ do: "add", words: [command, ...options, String(at), String(count), ...(lines.some((l) => l.startsWith("--")) ? ["--"] : []), ...lines] });
      const last = list.now.list.at(-1);
      if (last?.error) {
        wrong.textContent = last.error;
        await list.act({ do: "undo" });
        return;
      }
      old = await read();
      state.textContent = "Added to the list of changes.";
      await mark();
    } catch (err) {
      wrong.textContent = err.message;
    }
  };
  const stop = on("findings", (e) => e.file === list.file && mark().catch(() => {}));
  const box = dialog(title, el("label", { htmlFor: "whole-text" }, "One on each line"), field, wrong, el("div", { className: "row" }, el("button", { type: "button", className: "strong apply", onclick: apply }, "Apply"), el("button", { type: "button", onclick: () => box.close() }, "Close")), state, found);
  box.classList.add("wide");
  box.addEventListener("close", stop);
  field.focus();
  field.setSelectionRange(0, 0);
  mark().catch((err) => (wrong.textContent = err.message));
}
