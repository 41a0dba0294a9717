// A file of the tree as a table. In the address: table, the number of the table in the file; sort, the name of
// a column, with a leading minus for descending order; filter, a text in the rows.
import { ask } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { Rows, count } from "./rows.js";

const isNumber = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i;

export const panel = {
  async open(node, context) {
    const path = context.entry.path;
    let answer, numbers, current = 0, focused = false;
    const get = (query) => {
      const { table, sort = "", filter } = state();
      const down = sort.startsWith("-");
      const by = answer && sort ? answer.columns.indexOf(sort.slice(down)) : -1;
      return ask(context.doc.id, "table", { path, table, q: filter, by: by < 0 ? undefined : by, down: down ? 1 : undefined, ...query }, context.signal);
    };
    const columns = el("colgroup"), head = el("tr"), body = el("tbody");
    const table = el("table", {}, el("caption", {}, path), columns, el("thead", {}, head), body);
    const box = el("div", { className: "grid", tabIndex: 0, role: "region", "aria-label": `Table of ${path}` }, table);
    const which = el("select", { "aria-label": "Table", onchange: () => set({ table: which.value === "0" ? undefined : which.value, sort: undefined }) });
    let typing;
    const filter = el("input", { type: "search", "aria-label": "Rows with", placeholder: "Filter rows", value: state().filter ?? "", oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => set({ filter: filter.value }), 200);
    } });
    const size = el("span", { className: "muted", role: "status" });
    fill(context.tools, which, size, filter);
    fill(node, box);

    const rows = new Rows(box, {
      signal: context.signal, fail: (err) => context.failed(node, err),
      get: async (from, n) => (await get({ from, n })).rows,
      draw(from, list, before, after) {
        const gap = (height) => el("tr", { className: "gap", "aria-hidden": "true" }, el("td", { colSpan: answer.columns.length + 1 }));
        const above = gap(), below = gap();
        above.firstChild.style.height = before + "px";
        below.firstChild.style.height = after + "px";
        fill(body, before ? above : [], list.map((row, i) => drawRow(row, from + i)), after ? below : []);
        if (focused) body.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
      },
    });
    function drawRow(row, i) {
      const [line, cells] = row ?? ["", []];
      const open = () => context.go({ mode: "text", line });
      return el("tr", { "aria-rowindex": i + 2, tabIndex: i === current ? 0 : -1, onfocus: () => (current = i) },
        el("th", { scope: "row" }, line && el("button", { type: "button", className: "link", tabIndex: -1, "aria-label": `Line ${line} of the text`, onclick: open }, line)),
        answer.columns.map((_, k) => el("td", { className: numbers[k] ? "number" : undefined, title: cells[k]?.length > 30 ? cells[k] : undefined }, cells[k] ?? "")));
    }
    function drawHead() {
      const { sort = "" } = state();
      fill(which, answer.tables.map((t, i) => el("option", { value: i }, `${t.name || "all"} (${count.format(t.total)})`)));
      which.hidden = answer.tables.length < 2;
      which.value = state().table ?? "0";
      numbers = answer.columns.map((_, k) => answer.rows.some((r) => r[1][k]) && answer.rows.every((r) => !r[1][k] || isNumber.test(r[1][k])));
      const width = (k) => Math.min(42, Math.max(answer.columns[k].length + 3, ...answer.rows.map((r) => r[1][k].length)) + 2);
      fill(columns, el("col"), answer.columns.map((_, k) => {
        const c = el("col");
        c.style.width = width(k) + "ch";
        return c;
      }));
      fill(head, el("th", { scope: "col" }, "Line"), answer.columns.map((name, k) => {
        const how = sort === name ? "ascending" : sort === "-" + name ? "descending" : "none";
        const next = { none: name, ascending: "-" + name, descending: undefined }[how];
        return el("th", { scope: "col", "aria-sort": how, className: numbers[k] ? "number" : undefined },
          el("button", { type: "button", className: "quiet", onclick: () => set({ sort: next }) }, name, el("span", { "aria-hidden": "true" }, { none: "", ascending: " ▲", descending: " ▼" }[how])));
      }));
      table.setAttribute("aria-rowcount", answer.total + 1);
    }
    async function load() {
      if (!answer) answer = await get({ n: 1 }); // fetches the names of the columns
      answer = await get({ n: 250 });
      const all = answer.tables[Number(state().table ?? 0)].total;
      size.textContent = answer.total === all ? `${count.format(all)} ${all === 1 ? "row" : "rows"}` : `${count.format(answer.total)} of ${count.format(all)} rows`;
      const at = head.contains(document.activeElement) ? [...head.children].indexOf(document.activeElement.parentNode) : -1;
      drawHead();
      if (at >= 0) head.children[at].firstChild.focus();
      current = Math.min(current, Math.max(0, answer.total - 1));
      rows.reset(answer.total, 0, answer.rows);
    }
    box.addEventListener("focusin", (e) => (focused = body.contains(e.target)));
    box.addEventListener("focusout", (e) => { if (e.relatedTarget) focused = body.contains(e.relatedTarget); });
    box.addEventListener("keydown", (e) => {
      if (head.contains(e.target) || e.ctrlKey || e.altKey || e.metaKey) return;
      if (e.key === "Enter" && e.target.tagName === "TR") return e.target.querySelector("button")?.click();
      const page = Math.max(1, rows.seen - 2);
      const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page, Home: 0, End: answer.total - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      e.stopPropagation();
      current = Math.min(Math.max(0, to), answer.total - 1);
      focused = true;
      rows.show(current, true);
    });
    await load();
    return {
      async update(changed) {
        if (changed.has("table")) answer = undefined;
        if (["doc", "table", "sort", "filter"].some((k) => changed.has(k))) {
          if (document.activeElement !== filter) filter.value = state().filter ?? "";
          if (!changed.has("doc")) current = box.scrollTop = 0;
          await load();
        } else rows.refresh();
      },
      focus: () => (body.querySelector("[tabindex='0']") ?? box).focus(),
    };
  },
};
