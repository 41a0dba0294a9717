// Bytes next to fields.
//
// Keys of the state read here: dump (a path as for the verb dump; default: the current choice), space (the
// inflated data that contains the bytes), offset and length (the selection).
import { get, ask, url } from "./api.js";
import { state, set, watch } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { Rows, count } from "./rows.js";

const gone = { dump: undefined, space: undefined, offset: undefined, length: undefined };

// A selection is not valid in another file.
watch((changed) => {
  if ((changed.has("path") || changed.has("file")) && !["dump", "offset"].some((k) => changed.has(k))) set(gone);
});

const hex = (n, digits = 2) => n.toString(16).padStart(digits, "0");
const place = (n) => `0x${hex(n, 1)} (${count.format(n)})`;
const bytesOf = (n) => `${count.format(n)} ${n === 1 ? "byte" : "bytes"}`;
const letter = (b) => (b === undefined ? " " : b > 32 && b < 127 ? String.fromCharCode(b) : b === 32 ? "\u00a0" : "·");

export const panel = {
  async open(node, context) {
    const { signal } = context;
    const path = () => state().dump ?? context.entry.path;
    const query = (q) => ask(context.doc.id, "fields", { path: path(), ...q }, signal);
    let about, width = 16, cursor = 0, active = 0, spaceNow, pathNow;

    // The fields: a tree of which only the visible rows are in the page.
    const list = el("div", { className: "fields data", tabIndex: 0, role: "tree", "aria-label": "Fields", onkeydown: treeKey });
    const items = el("div", { role: "none" });
    const note = el("p", { className: "wrong", hidden: true });
    list.append(items);
    let root;
    const branch = (row, level) => ({ ...row, level, of: 0, rows: [], inner: new Map() });
    const shownIn = (b) => b.of + [...b.inner.values()].reduce((n, c) => n + shownIn(c), 0);
    async function load(b, start) {
      const part = await query({ space: spaceNow, from: b.from, to: b.to, skip: b.skip, start, n: 250 });
      part.rows.forEach((row, i) => (b.rows[start + i] = row));
      b.of = part.of;
      return part;
    }
    // find returns the branch that contains the ith visible row, and the index of the row in it.
    function find(i, b = root) {
      for (const [at, inner] of [...b.inner].sort((x, y) => x[0] - y[0])) {
        if (i <= at) break;
        const n = shownIn(inner);
        if (i <= at + n) return find(i - at - 1, inner);
        i -= n;
      }
      return { b, at: i };
    }
    const fieldRows = new Rows(list, {
      signal, fail: (err) => context.failed(node, err),
      async get(from, n) {
        const want = [];
        for (let i = from; i < Math.min(from + n, shownIn(root)); i++) want.push({ ...find(i), i });
        const parts = new Map();
        for (const { b, at } of want) if (!b.rows[at]) parts.set(`${b.from} ${b.skip} ${at - (at % 250)}`, [b, at - (at % 250)]);
        await Promise.all([...parts.values()].map(([b, start]) => load(b, start)));
        return want.map(({ b, at, i }) => ({ row: b.rows[at], level: b.level, open: b.inner.has(at), at, of: b.of, i }));
      },
      draw(from, rows, before, after) {
        items.style.padding = `${before}px 0 ${after}px`;
        fill(items, rows.map((r, k) => r?.row ? item(r) : el("div", { className: "field", role: "none", dataset: { row: from + k } })));
        list.setAttribute("aria-activedescendant", `field-${active}`);
      },
    });
    const isGroup = (row) => row.to - row.from > 1;
    const selected = (row) => !isGroup(row) && row.offset === Number(state().offset) && row.length === Number(state().length);
    function item({ row, level, open, at, of, i }) {
      const on = selected(row), group = isGroup(row);
      const div = el("div", { className: `field${on ? " chosen" : ""}${i === active ? " active" : ""}${row.gap ? " gap" : ""}`, id: `field-${i}`, role: "treeitem", "aria-level": level, "aria-setsize": of, "aria-posinset": at + 1, "aria-selected": on, "aria-expanded": group ? String(open) : undefined, title: `${row.path ?? row.name}\n${place(row.offset)}, ${bytesOf(row.length)}`, onclick: () => pick(i) },
        el("span", { className: "turn" }, group ? icon(open ? "down" : "more") : []), el("span", { className: "key" }, row.name),
        row.value && el("span", { className: "value" }, row.value), row.meaning && el("span", { className: "muted" }, row.meaning),
        group && el("span", { className: "count" }, count.format(row.to - row.from)),
        row.opens && el("button", { type: "button", className: "link", tabIndex: -1, onclick: (e) => (e.stopPropagation(), inside(row)) }, "inside"));
      div.style.setProperty("--level", level);
      return div;
    }
    const again = () => fieldRows.reset(shownIn(root));
    async function toggle(i, open) {
      const { b, at } = find(i), row = b.rows[at];
      if (!row || !isGroup(row) || b.inner.has(at) === open) return;
      if (b.inner.has(at)) b.inner.delete(at);
      else {
        const inner = branch(row, b.level + 1);
        await context.busy("fields", load(inner, 0));
        b.inner.set(at, inner);
      }
      again();
    }
    function pick(i) {
      const { b, at } = find(i), row = b.rows[at];
      active = i;
      if (!row) return;
      if (isGroup(row)) return toggle(i);
      select(row, true);
    }
    const inside = (row) => context.go({ space: row.opens, offset: 0, length: undefined });
    function treeKey(e) {
      const { b, at } = find(active), row = b.rows[at], open = b.inner.has(at), last = shownIn(root) - 1;
      const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: last, PageDown: active + fieldRows.seen, PageUp: active - fieldRows.seen }[e.key];
      if (to !== undefined) walk(Math.max(0, Math.min(last, to)));
      else if (e.key === "ArrowRight" && row) isGroup(row) ? (open ? walk(active + 1) : toggle(active, true)) : row.opens && inside(row);
      else if (e.key === "ArrowLeft") open ? toggle(active, false) : b === root ? up() : walk(indexOf(b) - 1);
      else if (e.key === "Enter" || e.key === " ") row?.opens ? inside(row) : pick(active);
      else return;
      e.preventDefault();
      e.stopPropagation();
    }
    // indexOf returns the index of the first row of a branch among the visible rows.
    function indexOf(b, from = root, before = 0) {
      if (b === from) return before;
      for (const [at, inner] of [...from.inner].sort((x, y) => x[0] - y[0])) {
        const found = indexOf(b, inner, before + at + 1);
        if (found >= 0) return found;
        before += shownIn(inner);
      }
      return -1;
    }
    async function walk(i) {
      active = i;
      fieldRows.show(i, true);
      const { b, at } = find(i);
      if (!b.rows[at]) await load(b, at - (at % 250));
      if (active !== i) return;
      const row = b.rows[at];
      if (!isGroup(row)) return select(row, true);
      context.say(`${row.name}, ${count.format(row.to - row.from)} fields`);
      fieldRows.refresh();
    }
    // reveal opens the groups that contain a field and scrolls to the field.
    async function reveal(trail) {
      let b = root;
      for (const at of trail.slice(0, -1)) {
        if (!b.rows[at]) await load(b, at - (at % 250));
        if (!b.inner.has(at)) {
          const inner = branch(b.rows[at], b.level + 1);
          await load(inner, 0);
          b.inner.set(at, inner);
        }
        b = b.inner.get(at);
      }
      const at = trail.at(-1);
      active = indexOf(b) + at + [...b.inner].reduce((n, [i, inner]) => (i < at ? n + shownIn(inner) : n), 0);
      again();
      fieldRows.show(active, true);
    }

    // The bytes.
    const table = el("table", { role: "grid", "aria-label": "Bytes" }), head = el("thead"), body = el("tbody");
    table.append(head, body);
    const box = el("div", { className: "bytes data", tabIndex: 0, role: "group", "aria-label": "Bytes; the arrow keys go through them", onkeydown: byteKey, onclick: (e) => {
      const o = e.target.closest("[data-o]")?.dataset.o;
      if (o !== undefined) goTo(Number(o));
    } }, table);
    const byteRows = new Rows(box, {
      signal, fail: (err) => context.failed(node, err),
      async get(from, n) {
        const start = from * width, end = Math.min(start + n * width, about.size), data = new Array(Math.max(0, end - start));
        for (let at = start; at < end; ) {
          const answer = await get(url(context.doc.id, "bytes", { path: path(), space: spaceNow, offset: at, length: Math.min(end - at, 65536) }), { signal });
          if (!answer.ok) throw new Error((await answer.json()).error);
          const part = new Uint8Array(await answer.arrayBuffer());
          part.forEach((b, i) => (data[at - start + i] = b));
          const next = Number(answer.headers.get("Next-Known"));
          if (!next && !part.length) break; // the remaining bytes are unknown
          at = part.length ? at + part.length : next;
        }
        return Array.from({ length: Math.ceil(data.length / width) }, (_, i) => ({ offset: start + i * width, bytes: data.slice(i * width, (i + 1) * width) }));
      },
      draw(from, rows, before, after) {
        const digits = Math.max(4, hex(about.size, 1).length), first = Number(state().offset ?? -1), end = first + Number(state().length ?? 1);
        const mark = (o) => (o === cursor ? "cur " : "") + (o >= first && o < end ? "sel" : "");
        const gap = (h) => el("tr", { className: "space", role: "none", "aria-hidden": "true" }, el("td", { colSpan: width + 2 }));
        const [top, bottom] = [gap(), gap()];
        top.firstChild.style.height = before + "px";
        bottom.firstChild.style.height = after + "px";
        fill(body, top, rows.map((row, k) => {
          const offset = (from + k) * width;
          if (!row) return el("tr", { role: "row" }, el("th", { scope: "row" }, hex(offset, digits)));
          const text = row.bytes.length ? Array.from(row.bytes, letter) : [];
          return el("tr", { role: "row", "aria-rowindex": from + k + 2 }, el("th", { scope: "row", role: "rowheader" }, hex(offset, digits)),
            Array.from({ length: width }, (_, i) => el("td", { role: "gridcell", id: offset + i === cursor ? "byte" : undefined, className: i < row.bytes.length ? mark(offset + i) : "", dataset: i < row.bytes.length ? { o: offset + i } : {} }, i < row.bytes.length ? (row.bytes[i] === undefined ? "··" : hex(row.bytes[i])) : "")),
            el("td", { role: "gridcell", className: "letters" }, text.map((c, i) => el("span", { className: mark(offset + i), dataset: { o: offset + i } }, c))));
        }), bottom);
        table.setAttribute("aria-rowcount", Math.ceil(about.size / width) + 1);
        box.setAttribute("aria-activedescendant", "byte");
      },
    });
    function heads() {
      fill(head, el("tr", { role: "row" }, el("th", { scope: "col", role: "columnheader" }, "Offset"), Array.from({ length: width }, (_, i) => el("th", { scope: "col", role: "columnheader" }, hex(i))), el("th", { scope: "col", role: "columnheader" }, "Text")));
    }
    const fit = new ResizeObserver(() => {
      const beside = list.getBoundingClientRect().right <= box.getBoundingClientRect().left + 1, size = parseFloat(getComputedStyle(box).fontSize);
      const wide = node.clientWidth / size - (beside ? 18 : 0) > 45 ? 16 : 8;
      if (!about || (wide === width && head.firstChild)) return;
      width = wide;
      heads();
      byteRows.reset(Math.ceil(about.size / width));
      byteRows.show(Math.floor(cursor / width));
    });
    fit.observe(node);
    signal.addEventListener("abort", () => fit.disconnect());
    function byteKey(e) {
      const line = cursor - (cursor % width), pageful = width * Math.max(1, byteRows.seen - 2);
      const to = { ArrowRight: cursor + 1, ArrowLeft: cursor - 1, ArrowDown: cursor + width, ArrowUp: cursor - width, PageDown: cursor + pageful, PageUp: cursor - pageful, Home: e.ctrlKey ? 0 : line, End: e.ctrlKey ? about.size - 1 : line + width - 1 }[e.key];
      if (to === undefined) {
        if (e.key !== "Enter" || !field?.opens) return;
        inside(field);
      } else goTo(Math.max(0, Math.min(about.size - 1, to)), 80);
      e.preventDefault();
      e.stopPropagation();
    }

    // The selection, in both.
    let field, turn = 0;
    const told = el("div", { className: "told", "aria-live": "polite" });
    function tell() {
      const offset = Number(state().offset), length = Number(state().length);
      fill(told, field ? [el("strong", {}, field.path), field.value && el("span", {}, field.value), field.meaning && el("span", { className: "muted" }, field.meaning)] : el("span", { className: "muted" }, Number.isFinite(offset) && about.total ? "no field" : ""),
        Number.isFinite(offset) && el("span", { className: "muted where" }, `${place(offset)}, ${bytesOf(length || 1)}`),
        field?.opens && el("button", { type: "button", onclick: () => inside(field) }, "Open what is inside"));
    }
    // goTo moves the cursor to a byte and selects the innermost field there.
    async function goTo(o, wait = 0) {
      cursor = o;
      byteRows.show(Math.floor(o / width), true);
      const mine = ++turn;
      if (wait) await new Promise((r) => setTimeout(r, wait));
      if (mine !== turn) return;
      try {
        const { field: found, trail } = await query({ space: spaceNow, at: o });
        if (mine !== turn) return;
        field = found;
        set({ offset: found?.offset ?? o, length: found?.length ?? 1 });
        byteRows.refresh();
        tell();
        if (trail) await reveal(trail);
        else fieldRows.refresh();
      } catch (err) {
        if (err.name !== "AbortError") context.say(err.message);
      }
    }
    // select selects a field of the list.
    function select(row, mine) {
      turn++;
      field = row;
      cursor = row.offset;
      set({ offset: row.offset, length: row.length });
      byteRows.show(Math.floor(cursor / width), mine);
      fieldRows.refresh();
      tell();
    }
    async function follow() {
      const { offset, length } = state();
      if (offset === undefined) return (byteRows.refresh(), fieldRows.refresh(), tell());
      cursor = Math.max(0, Math.min(about.size - 1, Number(offset) || 0));
      const mine = ++turn;
      const { field: found, trail } = await query({ space: spaceNow, at: cursor, length });
      if (mine !== turn) return;
      field = found?.offset === Number(offset) && (!length || found.length === Number(length)) ? found : undefined;
      if (!field && found) field = { ...found, path: `in ${found.path}` };
      if (length === undefined && found) set({ length: found.offset === cursor ? found.length : 1 });
      byteRows.show(Math.floor(cursor / width));
      if (trail) await reveal(trail);
      tell();
    }

    // The path to the current space: the file, and the inflated data in it.
    const way = el("ol", { className: "plain way", "aria-label": "Space" });
    const jump = el("input", { type: "text", className: "jump", placeholder: "Offset", "aria-label": "Go to offset: 0x1f0, or 496", spellcheck: false, autocomplete: "off", onchange: (e) => {
      const text = e.target.value.trim(), [, sign, digits] = text.match(/^([+-]?)((?:0x)?[0-9a-f]+)$/i) ?? [];
      const n = Number(/^(0x)|^[0-9]+$/i.test(digits ?? "") ? digits : "0x" + digits), o = sign === "+" ? cursor + n : sign === "-" ? cursor - n : n;
      if (!Number.isFinite(o) || o < 0 || o >= about.size) return context.say(`${text}: expected an offset up to ${place(about.size - 1)}, such as 0x1f0 or 496`);
      goTo(o);
    } });
    fill(context.tools, way, jump);
    function drawWay() {
      const name = path() || context.doc.name;
      const crumb = (title, go) => el("li", {}, go ? el("button", { type: "button", className: "link", onclick: go }, title) : el("span", { "aria-current": "page" }, title));
      const last = about.space === about.base ? name : about.space;
      fill(way, about.parents.map((p, i) => crumb(i ? p.opens : name, () => context.go({ space: p.opens === about.base ? undefined : p.opens, offset: p.offset, length: p.length }))), crumb(last), el("li", { className: "muted" }, bytesOf(about.size)));
    }
    function up() {
      const p = about.parents.at(-1);
      if (p) context.go({ space: p.opens === about.base ? undefined : p.opens, offset: p.offset, length: p.length });
    }
    signal.addEventListener("abort", bind("Backspace", "out of what is inflated", up, { group: "Bytes", when: () => context.visible && about?.parents.length > 0 }));

    async function begin() {
      pathNow = path();
      spaceNow = state().space;
      const top = branch({ from: undefined, to: undefined, skip: undefined }, 1);
      try {
        about = await load(top, 0);
      } catch (err) {
        if (err.status !== 404 || spaceNow === undefined) throw err;
        set({ space: undefined, offset: undefined, length: undefined });
        return begin();
      }
      spaceNow = about.space;
      root = top;
      field = undefined;
      active = cursor = 0;
      note.hidden = !about.error && !about.left;
      note.textContent = about.error ? `Here it breaks: ${about.error}` : about.left ? `${count.format(about.left)} more fields are not listed: there are too many.` : "";
      list.hidden = !about.total;
      heads();
      drawWay();
      again();
      byteRows.reset(Math.ceil(about.size / width));
      await follow();
    }
    fill(node, el("div", { className: "hex" }, el("div", { className: "side" }, note, list, el("p", { className: "empty none" }, "No fields are known of this: these are its bytes.")), box, told));
    await begin();
    return {
      async update(changed) {
        if (changed.has("doc") || path() !== pathNow || (state().space ?? about.base) !== spaceNow) return begin();
        if (changed.has("visible")) return (again(), byteRows.refresh());
        const known = field && Number(state().offset) === field.offset && Number(state().length) === field.length;
        if ((changed.has("offset") || changed.has("length")) && !known && Number(state().offset) !== cursor) await follow();
      },
      focus: () => (about.total ? list : box).focus(),
    };
  },
};
