// A file of the tree as a table, or the hits of a query as one. In the address: table, the number of the table in
// the file; sort, the name of a column, with a leading minus for descending order; filter, a text in the rows; where,
// conditions such as "DAMAGE above 60", a line each; columns, further columns that are shown, and with a minus usual ones that are
// not, a line each; icons, whether the rows are shown as icons with names.
import { ask, get as load, url } from "./api.js";
import { state, set, optionsNow } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { Rows, count } from "./rows.js";

const isNumber = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i;
const cell = [112, 116]; // width and height of an icon with its name, in pixels
const comparisons = ["is", "not", "has", "above", "below"];

// small returns a small picture, or nothing in its place. Pictures are kept by their addresses; those that are still in the page are
// fetched, a few at a time and the newest first.
const kept = 500, together = 6, known = new Map(), wanted = [];
let fetching = 0;
function small(address) {
  const img = el("img", { alt: "" });
  if (known.has(address)) img.src = known.get(address);
  else {
    wanted.push([img, address]);
    setTimeout(next);
  }
  return img;
}
async function next() {
  if (fetching >= together || !wanted.length) return;
  const [img, address] = wanted.pop();
  fetching++;
  try {
    if (img.isConnected && !known.has(address)) {
      const answer = await load(address);
      if (!answer.ok) throw new Error();
      known.set(address, URL.createObjectURL(await answer.blob()));
    }
    if (known.has(address)) img.src = known.get(address);
    if (known.size > kept) {
      const [[oldest, data]] = known;
      known.delete(oldest);
      URL.revokeObjectURL(data);
    }
  } catch {
    img.remove();
  }
  fetching--;
  next();
}
const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const listOf = (text) => (text ? text.split("\n") : []);

export const panel = {
  async open(node, context) {
    const path = context.entry.path;
    let answer, numbers, order, title, choosing = false, current = 0, focused = false; // order: the shown columns; title: the column of the names of rows, or -1
    const get = (query) => {
      const { table, sort = "", filter, where, columns } = state();
      const down = sort.startsWith("-"), by = sort.slice(down);
      return ask(context.doc.id, "table", { path, table, q: filter, where, columns, by: answer?.all.includes(by) ? by : undefined, down: down ? 1 : undefined, ...optionsNow(), ...query }, context.signal);
    };
    const columns = el("colgroup"), head = el("tr"), body = el("tbody");
    const table = el("table", {}, el("caption", {}, path || context.doc.name), columns, el("thead", {}, head), body);
    const box = el("div", { className: "grid", tabIndex: 0, role: "region", "aria-label": `Table of ${path || context.doc.name}` }, table);
    const which = el("select", { "aria-label": "Table", onchange: () => set({ table: which.value === "0" ? undefined : which.value, sort: undefined, where: undefined, columns: undefined }) });
    let typing;
    const filter = el("input", { type: "search", "aria-label": "Rows with", placeholder: "Filter rows", value: state().filter ?? "", oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => set({ filter: filter.value }), 200);
    } });
    const size = el("span", { className: "muted", role: "status" });
    const conditions = el("form", { className: "conditions row", "aria-label": "Conditions", onsubmit: (e) => {
      e.preventDefault();
      const [column, word, value] = [...conditions.querySelectorAll("select, input")].map((field) => field.value.trim());
      const shown = answer.columns.includes(column) ? state().columns : [...listOf(state().columns), column].join("\n");
      set({ where: [...listOf(state().where), `${column} ${word} ${value}`].join("\n"), columns: shown }, { push: true });
    } });
    // drawConditions shows the conditions, and the fields of a new one.
    function drawConditions() {
      const all = listOf(state().where);
      const without = (list, i) => list.filter((_, k) => k !== i).join("\n") || undefined;
      const column = el("select", { "aria-label": "Column" }, answer.all.map((name) => el("option", {}, name)));
      fill(conditions, column, el("select", { "aria-label": "Comparison" }, comparisons.map((word) => el("option", {}, word))),
        el("input", { "aria-label": "Value", size: 10 }), el("button", { type: "submit" }, "Add condition"),
        answer.all.length > 1 && choice(),
        all.map((text, i) => el("button", { type: "button", className: "quiet", "aria-label": `Remove the condition ${text}`, onclick: () => set({ where: without(all, i) }, { push: true }) }, text, icon("close"))));
    }
    // choice lists the columns, of which the user chooses those to show.
    function choice() {
      const list = el("div", { className: "card", role: "group", "aria-label": "Columns" });
      const shown = (name) => name === answer.columns[title] || order.some((k) => answer.columns[k] === name);
      const change = (name, on) => {
        const others = listOf(state().columns).filter((n) => n !== name && n !== "-" + name), usual = answer.all.indexOf(name) < answer.first && !repeats(name);
        set({ columns: (on === usual ? others : [...others, (on ? "" : "-") + name]).join("\n") });
      };
      return el("details", { className: "columns", open: choosing, ontoggle: (e) => (choosing = e.target.open) && fill(list, answer.all.filter((name) => name !== answer.columns[title]).map((name) =>
        el("label", { className: "check" }, el("input", { type: "checkbox", checked: shown(name), onchange: (e) => change(name, e.target.checked) }), name))) }, el("summary", {}, "Columns"), list);
    }
    // repeats reports whether a column only repeats the names of the rows or of their files.
    const repeats = (name) => {
      const k = answer.columns.indexOf(name);
      return name === "NAME" && title >= 0 && answer.rows.length > 0 && answer.rows.every(([, cells, part = ""]) => [cells[title], part.split("/").pop().replace(/\.\w+$/, "")].some((other) => letters(other) === letters(cells[k])));
    };
    // arrange finds the columns that are shown, and their order: in a table of things, numbers are first.
    function arrange() {
      const { columns, first, rows } = answer, wanted = listOf(state().columns), chosen = (k) => k >= first;
      numbers = columns.map((_, k) => rows.some((r) => r[1][k]) && rows.every((r) => !r[1][k] || isNumber.test(r[1][k])));
      title = path ? -1 : columns.indexOf("DISPLAYNAME");
      const left = columns.map((_, k) => k).filter((k) => k !== title && !wanted.includes("-" + columns[k]) && (wanted.includes(columns[k]) || !repeats(columns[k])));
      order = title < 0 ? left : left.sort((a, b) => chosen(a) - chosen(b) || (!chosen(a) && numbers[b] - numbers[a]) || a - b);
    }
    const sheet = el("div", { className: "sheet", role: "list", "aria-label": `Icons of ${context.doc.name}` });
    const asIcons = el("button", { type: "button", hidden: true, onclick: () => set({ icons: icons() ? undefined : 1 }, { push: true }) }, "Icons");
    const icons = () => Boolean(state().icons) && !asIcons.hidden;
    const inside = () => (icons() ? sheet : body);
    // level are the options of the query, such as a level of which the values are shown.
    const level = el("span", { className: "row" });
    const drawLevel = ({ options }) => fill(level, options.map((o) => {
      const label = o.name[0].toUpperCase() + o.name.slice(1), name = `o.${o.name}`, value = state()[name] ?? o.default;
      const common = { "aria-label": label, title: label, onchange: (e) => set({ [name]: e.target.value && e.target.value !== o.default ? e.target.value : undefined }, { push: true }) };
      return o.choices ? el("select", common, o.choices.map((c) => el("option", { selected: c === value }, c))) : el("input", { type: "number", min: 1, size: 4, placeholder: label, value, ...common });
    }));
    fill(context.tools, which, level, size, asIcons, filter);
    fill(node, conditions, box);

    const rows = new Rows(box, {
      signal: context.signal, fail: (err) => context.failed(node, err),
      get: async (from, n) => (await get({ from, n })).rows,
      draw(from, list, before, after) {
        if (icons()) {
          Object.assign(sheet.style, { paddingTop: before + "px", paddingBottom: after + "px", gridTemplateColumns: `repeat(${rows.across}, 1fr)` });
          fill(sheet, list.map((row, i) => drawIcon(row, from + i)));
          if (focused) sheet.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
          return;
        }
        const gap = (height) => el("tr", { className: "gap", "aria-hidden": "true" }, el("td", { colSpan: order.length + 1 }));
        const above = gap(), below = gap();
        above.firstChild.style.height = before + "px";
        below.firstChild.style.height = after + "px";
        fill(body, before ? above : [], list.map((row, i) => drawRow(row, from + i)), after ? below : []);
        if (focused) body.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
      },
    });
    const shape = () => (icons() ? rows.shape(Math.max(1, Math.floor(box.clientWidth / cell[0])), cell[1]) : rows.shape());
    const watch = new ResizeObserver(() => icons() && (shape(), rows.refresh()));
    watch.observe(box);
    context.signal.addEventListener("abort", () => watch.disconnect());
    const opener = (line, part) => () => context.go({ path: part, mode: part === path || line ? "text" : undefined, line: line || undefined });
    const pictureOf = (picture) => picture && small(url(context.doc.id, `still/${context.doc.generation}`, { ...picture, w: Math.min(picture.w, 128), h: Math.min(picture.h, 128), l: 0 }));
    const titleOf = (cells) => cells[title]?.replace(/\|c[0-9a-f]{8}|\|u/gi, ""); // without colours
    function drawIcon(row, i) {
      const [line, cells, part = path, picture] = row ?? ["", []], shown = titleOf(cells) || part.split("/").pop();
      return el("div", { role: "listitem" }, el("button", { type: "button", className: "quiet", title: shown, tabIndex: i === current ? 0 : -1, onfocus: () => (current = i), onclick: opener(line, part) },
        pictureOf(picture) ?? el("span", { className: "none" }), el("span", {}, shown)));
    }
    function drawRow(row, i) {
      const [line, cells, part = path, picture] = row ?? ["", []], open = opener(line, part);
      const name = part === path ? line : line ? `${part}:${line}` : part, shown = titleOf(cells) || (part === path ? line : part.split("/").pop());
      return el("tr", { "aria-rowindex": i + 2, tabIndex: i === current ? 0 : -1, onfocus: () => (current = i) },
        el("th", { scope: "row" }, pictureOf(picture),
          name && el("button", { type: "button", className: "link", tabIndex: -1, title: part === path ? undefined : part, "aria-label": part === path ? `Line ${line} of the text` : titleOf(cells) || name, onclick: open }, shown)),
        order.map((k) => el("td", { className: numbers[k] ? "number" : undefined, title: cells[k]?.length > 30 ? cells[k] : undefined }, cells[k] ?? "")));
    }
    function drawHead() {
      const { sort = "" } = state();
      fill(which, answer.tables.map((t, i) => el("option", { value: i }, t.total < 0 ? t.name : `${t.name || "all"} (${count.format(t.total)})`)));
      which.hidden = answer.tables.length < 2;
      which.value = state().table ?? "0";
      if (!level.contains(document.activeElement)) drawLevel(answer.tables[Number(which.value)]);
      arrange();
      const width = (k) => Math.min(42, Math.max(answer.columns[k].length + 3, ...answer.rows.map((r) => r[1][k].length)) + 2);
      fill(columns, el("col"), order.map((k) => {
        const c = el("col");
        c.style.width = width(k) + "ch";
        return c;
      }));
      const sorter = (k) => {
        const name = answer.columns[k], how = sort === name ? "ascending" : sort === "-" + name ? "descending" : "none";
        const next = { none: name, ascending: "-" + name, descending: undefined }[how];
        return el("th", { scope: "col", "aria-sort": how, className: numbers[k] ? "number" : undefined },
          el("button", { type: "button", className: "quiet", onclick: () => set({ sort: next }) }, name, el("span", { "aria-hidden": "true" }, { none: "", ascending: " ▲", descending: " ▼" }[how])));
      };
      fill(head, title < 0 ? el("th", { scope: "col" }, path ? "Line" : "Part") : sorter(title), order.map(sorter));
      table.setAttribute("aria-rowcount", answer.total + 1);
      table.classList.toggle("things", !path);
      if (!conditions.contains(document.activeElement) || document.activeElement.tagName === "BUTTON") drawConditions(); // not while the user chooses
    }
    async function load() {
      if (!answer && state().sort) answer = await get({ n: 1 }); // fetches the names of the columns
      answer = await get({ n: 250 });
      const all = answer.tables[Number(state().table ?? 0)].total;
      size.textContent = answer.total === all ? `${count.format(all)} ${all === 1 ? "row" : "rows"}` : `${count.format(answer.total)} of ${count.format(all)} rows`;
      if (answer.more) size.textContent += ", and more that are not shown";
      const at = head.contains(document.activeElement) ? [...head.children].indexOf(document.activeElement.parentNode) : -1;
      drawHead();
      if (at >= 0) head.children[at]?.firstChild.focus();
      current = Math.min(current, Math.max(0, answer.total - 1));
      asIcons.hidden = Boolean(path) || !answer.rows.some((r) => r[3]);
      asIcons.setAttribute("aria-pressed", String(icons()));
      const shown = icons() ? sheet : table;
      if (!box.contains(shown)) fill(box, shown); // else it keeps the focus
      shape();
      rows.reset(answer.total, 0, answer.rows);
    }
    box.addEventListener("focusin", (e) => (focused = inside().contains(e.target)));
    box.addEventListener("focusout", (e) => { if (e.relatedTarget) focused = inside().contains(e.relatedTarget); });
    box.addEventListener("keydown", (e) => {
      if (head.contains(e.target) || e.ctrlKey || e.altKey || e.metaKey) return;
      if (e.key === "Enter" && e.target.tagName === "TR") return e.target.querySelector("button")?.click();
      const { across } = rows, page = Math.max(1, rows.seen - 2) * across, beside = across > 1 && { ArrowRight: current + 1, ArrowLeft: current - 1 };
      const to = { ...beside, ArrowDown: current + across, ArrowUp: current - across, PageDown: current + page, PageUp: current - page, Home: 0, End: answer.total - 1 }[e.key];
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
        if ([...changed].some((k) => k.startsWith("o.")) || ["doc", "table", "sort", "filter", "where", "columns", "icons"].some((k) => changed.has(k))) {
          if (document.activeElement !== filter) filter.value = state().filter ?? "";
          if (!changed.has("doc")) current = box.scrollTop = 0;
          await load();
        } else rows.refresh();
      },
      focus: () => (inside().querySelector("[tabindex='0']") ?? box).focus(),
    };
  },
};
