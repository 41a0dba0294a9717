// A text of the tree, row by row: a line is one, or several if it is very long.
import { ask } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { Rows, count } from "./rows.js";

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
      return el("div", { className: chosen ? "line chosen" : "line", "aria-current": chosen ? "true" : undefined }, number, el("span", { className: "code" }, row[1]));
    }
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
    return {
      async update(changed) {
        if (changed.has("doc")) await load();
        if (changed.has("line")) await go();
        else rows.refresh();
      },
      focus: () => box.focus(),
    };
  },
};
