// A text of the tree, row by row: a row is a line or a part of a very long line.
import { ask } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { icon, severity } from "./icons.js";
import { on } from "./live.js";
import { Rows, count } from "./rows.js";

const grave = ["info", "warning", "error"];

export const panel = {
  async open(node, context) {
    const path = context.entry.path;
    const get = (query) => ask(context.doc.id, "text", { path, ...query }, context.signal);
    const lines = el("div", { className: "lines data" });
    const box = el("div", { className: "text", tabIndex: 0, role: "region", "aria-label": `Text of ${path}` }, lines);
    const where = el("input", { type: "number", min: 1, "aria-label": "Go to line", placeholder: "Line", onchange: (e) => e.target.value && set({ line: e.target.value }) });
    const size = el("span", { className: "muted" });
    fill(context.tools, size, where);
    fill(node, box);
    let marks = new Map(); // of lines, the most severe first
    const rows = new Rows(box, {
      signal: context.signal, fail: (err) => context.failed(node, err),
      get: async (from, n) => (await get({ from, n })).rows,
      draw(from, list, before, after) {
        let line = 0;
        lines.style.padding = `${before}px 0 ${after}px`;
        fill(lines, list.map((row) => {
          if (row?.[0]) line = row[0];
          return drawRow(row, line);
        }));
      },
    });
    function drawRow(row, line) {
      if (!row) return el("div", { className: "line" });
      const chosen = line && line === Number(state().line);
      const number = row[0] ? el("button", { type: "button", tabIndex: -1, className: "at", "aria-label": `Line ${line}`, onclick: () => set({ line: chosen ? undefined : line }) }, row[0]) : el("span", { className: "at" });
      const found = (row[0] && marks.get(line)) || [];
      const told = found.slice(0, 3).map((m) => button("lens", m, severity(m.severity), ": " + m.message));
      return el("div", { className: chosen ? "line chosen" : "line", "aria-current": chosen ? "true" : undefined },
        marks.size ? el("span", { className: "gutter" }, found.length ? button("", found[0], icon(found[0].severity)) : []) : [], number, el("span", { className: "code" }, row[1]), told);
    }
    const button = (className, m, ...what) => el("button", { type: "button", className: `${className} quiet sev-${m.severity}`, title: `${m.severity}: ${m.message}`, "aria-label": className ? undefined : `${m.severity}: ${m.message}`, tabIndex: className ? -1 : 0, onclick: () => context.go({ tab: "findings", line: m.line, finding: m.place ? `${m.finding}.${m.place}` : m.finding }) }, ...what);
    async function mark() {
      const next = new Map();
      for (const m of (await ask(context.doc.id, "marks", { path }, context.signal)).marks) next.set(m.line, [...(next.get(m.line) ?? []), m]);
      for (const list of next.values()) list.sort((a, b) => grave.indexOf(b.severity) - grave.indexOf(a.severity));
      marks = next;
      lines.classList.toggle("marked", marks.size > 0);
      rows.refresh();
    }
    const stop = on("findings", (e) => e.file === context.doc.id && mark().catch(() => {}));
    async function load() {
      const first = await get({ n: 250 });
      size.textContent = `${count.format(first.lines)} ${first.lines === 1 ? "line" : "lines"}`;
      where.max = first.lines;
      lines.style.setProperty("--digits", String(first.lines).length + "ch");
      rows.reset(first.total, 0, first.rows);
    }
    async function go() {
      const line = Number(state().line);
      where.value = line || "";
      if (line > 0) rows.show((await get({ line, n: 1 })).from);
      else rows.refresh();
    }
    await load();
    await go();
    await mark();
    return {
      close: stop,
      async update(changed) {
        if (changed.has("doc")) await Promise.all([load(), mark()]);
        if (changed.has("line")) await go();
        else rows.refresh();
      },
      focus: () => box.focus(),
    };
  },
};
