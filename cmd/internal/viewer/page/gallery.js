// Many files, with a small picture of each.
//
// Keys of the state read here: sort (name, size, findings, format or modified, with a leading minus for
// descending order), find (part of a name), kind (a format), rules (by which maps are checked, too).
import { get, ask, json, url } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { on } from "./live.js";
import { paper, watchPaper } from "./paper.js";

const step = 120; // cards made at a time
const background = 2000; // files that are checked although they are not visible
const files = []; // by number, kept while one of them is open
let more = true, last, scrolled = 0;

const grades = ["error", "warning", "info"];
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const findings = (f) => (f.error ? 1e12 : !f.counts ? -1 : grades.reduce((sum, g) => sum * 1e4 + Math.min(f.counts[g], 9999), 0));
const orders = {
  name: ["Name", () => 0],
  size: ["Size", (a, b) => b.size - a.size],
  findings: ["Findings", (a, b) => findings(b) - findings(a)],
  format: ["Format", (a, b) => collator.compare(a.title, b.title)],
  modified: ["Last changed", (a, b) => b.modified - a.modified],
};

const sizes = (n) => { let i = 0; for (; n >= 1000 && i < 4; i++) n /= 1000; return `${i && n < 10 ? n.toFixed(1) : Math.round(n)} ${["B", "kB", "MB", "GB", "TB"][i]}`; };
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

export const panel = {
  async open(node, context) {
    const { signal } = context;
    const find = el("input", { type: "search", placeholder: "Part of a name", "aria-label": "Show files whose name has", value: state().find ?? "", oninput: () => set({ find: find.value }) });
    const kind = el("select", { "aria-label": "Show files of the format", onchange: () => set({ kind: kind.value }) });
    const sort = el("select", { "aria-label": "Sort by", onchange: () => set({ sort: sort.value === "name" ? undefined : sort.value }) }, Object.entries(orders).map(([name, [title]]) => el("option", { value: name }, title)));
    const turn = el("button", { type: "button", title: "The other way round", "aria-label": "The other way round", onclick: () => set({ sort: (state().sort?.startsWith("-") ? "" : "-") + (state().sort?.replace("-", "") ?? "name") }) }, icon("down"));
    const told = el("span", { className: "muted", role: "status" });
    const grid = el("ul", { className: "plain gallery", "aria-label": "Files" });
    const end = el("div", { className: "end" });
    fill(node, el("div", { className: "bar" }, find, kind, el("label", { className: "row" }, el("span", { className: "muted" }, "Sort by"), sort), turn, told), grid, end);

    const cards = new Map(), seen = new Set();
    let list = [], limit = step, done = false, note = "", timer;

    // choose selects and sorts the files to show.
    const choose = () => {
      const { sort: order = "name", find: part, kind: only } = state();
      const other = order.startsWith("-"), [, compare] = orders[order.replace("-", "")] ?? orders.name, small = part?.toLowerCase();
      list = files.filter((f) => (!small || f.name.toLowerCase().includes(small)) && (!only || f.format === only));
      list.sort((a, b) => compare(a, b) || collator.compare(a.name, b.name));
      if (other) list.reverse();
    };
    const draw = () => {
      timer = undefined;
      choose();
      const formats = new Map(files.map((f) => [f.format, f.title]));
      formats.delete("");
      if (kind.options.length !== formats.size + 1) fill(kind, el("option", { value: "" }, "All formats"), [...formats].map(([name, title]) => el("option", { value: name }, title)));
      kind.value = state().kind ?? "";
      sort.value = state().sort?.replace("-", "") ?? "name";
      turn.setAttribute("aria-pressed", Boolean(state().sort?.startsWith("-")));
      if (document.activeElement !== find) find.value = state().find ?? "";
      const n = files.length.toLocaleString();
      told.textContent = (list.length === files.length ? `${n} ${files.length === 1 ? "file" : "files"}` : `${list.length.toLocaleString()} of ${n} files`) + (done ? "" : ", still looking …");
      const focused = document.activeElement?.closest?.(".gallery") && document.activeElement;
      const shown = list.slice(0, limit).map((f) => card(f).box);
      if (shown.length !== grid.children.length || shown.some((box, i) => grid.children[i] !== box)) grid.replaceChildren(...shown);
      focused?.focus({ preventScroll: true });
      end.hidden = limit >= list.length;
      const first = cards.get(last)?.box.isConnected ? last : list[0]?.id;
      for (const [id, c] of cards) c.button.tabIndex = id === first ? 0 : -1;
      grid.hidden = !list.length;
      node.querySelector(":scope > .empty")?.remove();
      if (!list.length && done) node.append(el("p", { className: "empty" }, files.length ? "No file is called so." : "There are no game files in it."));
      if (note) told.append(" ", el("span", { className: "wrong" }, note));
    };
    const redraw = () => (timer ??= setTimeout(draw, 60));

    function card(f) {
      let c = cards.get(f.id);
      if (c) return c;
      c = { f, picture: el("span", { className: "thumb" }, icon(f.folder ? "folder" : "file")), found: el("span", { className: "found" }) };
      const facts = [!f.folder && sizes(f.size), f.modified && days.format(f.modified)].filter(Boolean).join(" · ");
      const cut = f.name.lastIndexOf("/") + 1;
      c.button = el("button", { type: "button", className: "card", title: f.name, tabIndex: -1, onclick: () => open(f), onfocus: () => (last = f.id) },
        c.picture, cut > 0 && el("span", { className: "muted in" }, "\u200e" + f.name.slice(0, cut - 1)), el("span", { className: "name" }, f.name.slice(cut)), el("span", { className: "muted" }, f.title), el("span", { className: "muted" }, facts), c.found);
      c.box = el("li", { dataset: { id: f.id } }, c.button);
      cards.set(f.id, c);
      tellFound(c);
      eye.observe(c.box);
      return c;
    }
    const tellFound = ({ f, found }) => {
      const some = grades.filter((g) => f.counts?.[g]);
      fill(found, f.error ? el("span", { className: "severity sev-error", title: f.error }, icon("error"), " ", f.error)
        : f.counts?.binding ? el("span", { className: "severity sev-warning" }, icon("warning"), ` ${f.counts.binding.toLocaleString()} against binding rules`)
        : some.length ? some.map((g) => el("span", { className: `severity sev-${g}` }, icon(g), ` ${f.counts[g].toLocaleString()} ${g}${f.counts[g] > 1 && g !== "info" ? "s" : ""}`))
        : el("span", { className: "muted" }, f.counts ? "nothing found" : f.checked ? "…" : "not checked"));
    };
    function open(f) {
      last = f.id;
      scrolled = node.scrollTop;
      context.go({ file: f.id });
    }

    // Cards have a picture while they are visible.
    const eye = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const c = cards.get(Number(target.dataset.id));
        if (isIntersecting) seen.add(c);
        else seen.delete(c), c.stop?.abort();
      }
      work();
    }, { root: node, rootMargin: "150px" });
    const far = new IntersectionObserver(([e]) => {
      if (!e.isIntersecting || limit >= list.length) return;
      limit += step;
      draw();
    }, { root: node, rootMargin: "800px" });
    far.observe(end);

    let drawing = 0, checking = false;
    function work() {
      while (drawing < 3) {
        const c = [...seen].find((c) => !c.f.error && c.drawn !== c.f.generation);
        if (!c) break;
        c.drawn = c.f.generation;
        drawing++;
        draws(c).finally(() => (drawing--, work()));
      }
      if (!checking) check();
    }
    async function draws(c) {
      c.stop = new AbortController();
      const stop = AbortSignal.any([c.stop.signal, signal]);
      try {
        if (!c.f.picture) return await reads(c, stop);
        const answer = await get(url(c.f.id, `thumb/${c.f.generation}`, { side: devicePixelRatio > 1 ? 512 : 256, paper: paper() }), { signal: stop });
        if (answer.status === 410) return;
        if (!answer.ok || answer.headers.get("Content-Type")?.includes("json")) throw new Error((await answer.json()).error);
        const data = await answer.blob();
        if (!data.size) return await reads(c, stop);
        const img = el("img", { alt: "", src: URL.createObjectURL(data) });
        await img.decode();
        URL.revokeObjectURL(img.src);
        fill(c.picture, img);
      } catch (err) {
        if (err.name === "AbortError") c.drawn = undefined;
        else fail(c.f, err);
      }
    }
    // reads shows the first lines of a text, or the entries of a file.
    async function reads(c, stop) {
      const { lines } = await ask(c.f.id, "head", {}, stop);
      if (lines.length) fill(c.picture, el("span", { className: "sheet data", "aria-hidden": "true" }, lines.join("\n")));
    }
    function fail(f, err) {
      f.error = err.message;
      if (cards.has(f.id)) tellFound(cards.get(f.id));
    }

    // Files are checked one at a time, visible ones first.
    async function check() {
      const wanted = (f) => f.checked && !f.error && !f.counts;
      const all = state().sort?.endsWith("findings") ? list : list.slice(0, background);
      const f = [...seen].find((c) => wanted(c.f))?.f ?? (!drawing && all.find(wanted));
      if (!f || signal.aborted) return;
      checking = true;
      const { generation } = f;
      try {
        const c = await ask(f.id, "count", { "check.rules": state().rules }, signal);
        if (c.state === "done" && f.generation === generation) f.counts = c;
        else if (c.state === "large") f.checked = false;
        else if (c.state === "broken") fail(f, new Error(c.error));
      } catch (err) {
        if (!signal.aborted) fail(f, err);
      }
      checking = false;
      if (cards.has(f.id)) tellFound(cards.get(f.id));
      if (state().sort?.endsWith("findings")) redraw();
      check();
    }

    grid.addEventListener("keydown", (e) => {
      const boxes = [...grid.children], i = boxes.indexOf(e.target.closest("li"));
      if (i < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
      const row = boxes.findIndex((b) => b.offsetTop > boxes[0].offsetTop), wide = row > 0 ? row : boxes.length;
      const rows = Math.max(1, Math.floor(node.clientHeight / boxes[0].offsetHeight)) * wide;
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: i + wide, ArrowUp: i - wide, Home: 0, End: list.length - 1, PageDown: i + rows, PageUp: i - rows }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      const next = Math.min(Math.max(to, e.key.startsWith("Page") ? 0 : -1), list.length - 1);
      if (next < 0 || (e.key === "ArrowDown" && to >= list.length && Math.floor(i / wide) === Math.floor((list.length - 1) / wide))) return;
      if (next >= limit) (limit = next + step), draw();
      boxes[i].firstChild.tabIndex = -1;
      const button = grid.children[next].firstChild;
      button.tabIndex = 0;
      button.focus();
    });

    // fetchMore fetches files found since the last request.
    let fetching;
    const fetchMore = () => (fetching ??= (async () => {
      for (let total = Infinity; files.length < total; ) {
        const part = await json(`/gallery?after=${files.length}`, signal);
        files.push(...part.files);
        ({ total, done, note } = part);
        more = !done;
        redraw();
        if (!part.files.length) break;
      }
    })().finally(() => (fetching = undefined)));
    const stops = [
      watchPaper(() => {
        for (const c of cards.values()) c.drawn = undefined;
        work();
      }),
      on("gallery", () => (fetching ?? Promise.resolve()).then(fetchMore).catch((err) => signal.aborted || context.failed(node, err))),
      on("changed", (e) => {
        const f = files[e.file];
        if (!f) return;
        Object.assign(f, { generation: e.generation, counts: undefined, error: "" });
        work();
      }),
    ];
    await fetchMore();
    limit = Math.max(step, list.findIndex((f) => f.id === last) + step);
    draw();
    node.scrollTop = scrolled;
    cards.get(last)?.button.focus({ preventScroll: true });
    return {
      update: (changed) => {
        if (changed.has("rules")) for (const f of files) f.counts = undefined;
        if (!["rules", "sort", "find", "kind"].some((k) => changed.has(k))) return;
        limit = step;
        node.scrollTop = 0;
        draw();
        check();
      },
      focus: () => grid.querySelector("[tabindex='0']")?.focus(),
      close() {
        eye.disconnect();
        far.disconnect();
        for (const stop of stops) stop();
      },
    };
  },
};
