// Search: for text, with a query, or for coordinates.
//
// Keys of the state read here: q (the words), as (the kind: "text", or "pattern" for a regular expression;
// default: detected from the words), case (1: case-sensitive), hit.
import { get, url } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { count } from "./rows.js";
import { sceneOf, visit } from "./findings.js";

const some = 200; // rows at a time

export const panel = {
  open(node, context) {
    let hits = [], kind = "", scene = {}, i = -1, shown = some, stop, ran, end;
    const { queries, title } = context.doc;
    const queryOf = (text) => queries.find((q) => q.name === text.trim().split(/\s/)[0]);
    const isPlace = (text) => /^\s*\(?\s*-?[\d.]+\s*[,;\s]\s*-?[\d.]+(\s*[,;\s]\s*-?[\d.]+)?\s*\)?\s*$/.test(text);
    const kindOf = (text, as = state().as) => (as ? "search" : isPlace(text) && context.shown?.goTo ? "place" : queryOf(text) ? "find" : "search");

    const more = new Map(queries.flatMap((q) => q.options.map((o) => [o.usage, o.help])));
    const list = el("datalist", { id: "queries" }, queries.map((q) => el("option", { value: q.example, label: `${q.usage}: ${q.title}` })));
    const field = el("input", { type: "search", id: "search", "aria-label": "Search", placeholder: queries.length ? `Text, ${queries[0].example}, or 161,37` : "Text", spellcheck: false, autocomplete: "off", "aria-describedby": "search-hint", oninput: hint });
    field.setAttribute("list", "queries");
    const form = el("form", { role: "search", className: "row", onsubmit: (e) => (e.preventDefault(), submit()), onkeydown: (e) => {
      if (e.key !== "Escape") return;
      if (field.value || ran) clear();
      else context.shown?.map?.getContainer().focus();
      e.preventDefault();
      e.stopPropagation();
    } }, field, el("button", { type: "submit", className: "strong", "aria-label": "Search" }, icon("search")));
    const box = (name, value, label) => el("label", { className: "check" }, el("input", { type: "checkbox", name, onchange: (e) => (set({ [name]: e.target.checked ? value : undefined }), hint(), ran && submit()) }), label);
    const options = el("div", { className: "row options" }, box("as", "pattern", "Expression"), box("case", 1, "Match case"));
    const about = el("p", { id: "search-hint", className: "muted" });
    const head = el("div", { role: "status" }), out = el("div", { className: "found" });
    const help = el("details", {}, el("summary", {}, el("h3", {}, `Queries of a ${title}`)),
      el("dl", {}, queries.flatMap((q) => [el("dt", {}, el("button", { type: "button", className: "link data", onclick: () => ((field.value = q.example), hint(), field.focus()) }, q.usage), el("span", { className: "data" }, q.options.map((o) => ` [${o.usage}]`).join(""))), el("dd", {}, q.title)])),
      more.size > 0 && [el("h3", {}, "Options of queries"), el("dl", {}, [...more].flatMap(([usage, help]) => [el("dt", { className: "data" }, usage), el("dd", {}, help)]))]);
    const own = el("div", { className: "row own" });
    fill(node, form, list, options, about, own, head, out, queries.length > 0 && help);
    // offer shows the queries that can be about the chosen part.
    function offer() {
      const part = context.entry?.path;
      fill(own, part && queries.filter((q) => q.about).map((q) => el("button", { type: "button", title: `${q.title}: ${part}`, onclick: () => {
        field.value = `${q.name} '${part.replaceAll("'", "'\\''")}'`;
        hint();
        submit();
      } }, `${q.name} of this file`)));
    }
    offer();

    function hint() {
      const text = field.value, kind = kindOf(text), query = queryOf(text);
      about.textContent = !text ? "Enter searches, Escape clears." : kind === "find" ? `${[query.usage, ...query.options.map((o) => `[${o.usage}]`)].join(" ")}: ${query.title}` : kind === "place" ? "Enter goes there." : state().as ? "An expression, as RE2 knows them." : "Text in all that is in the file.";
    }
    function restore() {
      field.value = state().q ?? "";
      for (const b of options.querySelectorAll("input")) b.checked = Boolean(state()[b.name]);
      hint();
    }
    function clear() {
      stop?.abort();
      set({ q: undefined, hit: undefined });
      [hits, i, ran, end] = [[], -1, undefined, undefined];
      restore();
      draw();
    }
    function submit() {
      const text = field.value.trim();
      if (!text) return clear();
      if (kindOf(text) === "place") {
        const wrong = context.shown.goTo(text);
        about.textContent = wrong ?? "";
        return set({ q: text });
      }
      set({ q: text, hit: undefined });
      i = -1;
      return run();
    }
    // run searches and shows hits as they arrive.
    async function run() {
      const text = state().q;
      stop?.abort();
      const mine = (stop = new AbortController());
      [hits, ran, end, kind, shown, scene] = [[], text, undefined, kindOf(text), some, sceneOf(context)];
      const query = { ...scene, q: text, ...(kind === "find" ? {} : { fixed: state().as === "pattern" ? undefined : 1, i: state().case ? undefined : 1 }) };
      let seen = 0, drawn = 0, failed;
      const tell = () => {
        drawn = performance.now();
        draw(seen, failed);
      };
      tell();
      try {
        const answer = await get(url(context.doc.id, kind, query), { signal: mine.signal });
        if (!answer.ok) throw new Error((await answer.json()).error);
        const lines = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = ""; ; ) {
          const { done, value } = await lines.read();
          if (done) break;
          const parts = (rest + value).split("\n");
          rest = parts.pop();
          for (const part of parts) {
            const one = JSON.parse(part);
            if (one.hit) hits.push(one.hit);
            else if (one.progress !== undefined) seen = one.progress;
            else if (one.end) end = one.end;
            else failed = one.error;
          }
          if (performance.now() - drawn > 250) tell();
        }
        end ??= {};
      } catch (err) {
        if (mine.signal.aborted) return;
        failed = err.message;
        end = {};
      }
      if (state().hit !== undefined) i = Math.min(Number(state().hit), hits.length - 1);
      tell();
    }
    function draw(seen, failed) {
      const running = ran !== undefined && !end;
      fill(head, ran !== undefined && [
        failed ? el("p", { className: "wrong" }, failed) : null,
        end?.failed?.map((text) => el("p", { className: "wrong" }, text)),
        (running || !failed || hits.length > 0) && el("div", { className: "bar" }, running && el("span", { className: "spin" }),
          el("span", {}, hits.length ? `${count.format(hits.length)}${end?.more ? " and more" : ""} ${hits.length === 1 ? "hit" : "hits"}` : running ? "Searching" : "Nothing was found", running && seen ? `, ${count.format(seen)} looked at` : ""),
          el("span", { className: "space" }),
          running && el("button", { type: "button", onclick: () => (stop.abort(), (end = {}), draw()) }, "Stop"),
          hits.length > 0 && [el("button", { type: "button", title: "Previous hit (P)", "aria-label": "Previous hit", onclick: () => step(-1) }, icon("back")),
            el("button", { type: "button", className: "next", title: "Next hit (N)", "aria-label": "Next hit", onclick: () => step(1) }, icon("back"))]),
        end?.more && el("p", { className: "muted" }, `Only the first ${count.format(hits.length)} are shown: other words find less.`)]);
      const within = out.contains(document.activeElement);
      fill(out, hits.length > 0 && (kind === "find" ? things() : lines()),
        hits.length > shown && el("button", { type: "button", onclick: () => ((shown += 5 * some), draw()) }, `More of ${count.format(hits.length)}`));
      mark();
      const current = out.querySelector("[aria-current=true]");
      current?.scrollIntoView({ block: "nearest" });
      if (within) current?.focus();
    }
    const link = (n, ...text) => el("button", { type: "button", className: "link", "aria-current": n === i ? "true" : undefined, onclick: () => choose(n) }, ...text);
    // lines shows matching lines by file.
    function lines() {
      const files = new Map();
      hits.slice(0, shown).forEach((h, n) => files.set(h.path, [...(files.get(h.path) ?? []), [h, n]]));
      return [...files].map(([path, list]) => el("section", {}, el("h3", { className: "data" }, path, el("span", { className: "count" }, count.format(list.length))),
        el("ul", { className: "plain" }, list.map(([h, n]) => el("li", { className: n === i ? "chosen" : "" }, link(n, el("span", { className: "data muted" }, h.line), el("span", { className: "data line-text" }, h.text.trim())))))));
    }
    // things shows the hits of a query as a table.
    function things() {
      const fields = hits[0].fields, at = hits.some((h) => h.at), path = hits.some((h) => h.path);
      const cell = (v) => (Array.isArray(v) ? v.map((x) => x?.label ? `${x.label} ${x.value}` : x).join(", ") : v?.css ? v.text : v === true ? "yes" : v === false ? "no" : v ?? "");
      return el("table", {}, el("thead", {}, el("tr", {}, at && el("th", { scope: "col" }, "Place"), path && el("th", { scope: "col" }, "Part"), fields.map((f) => el("th", { scope: "col", className: typeof f.value === "number" ? "number" : "" }, f.label)))),
        el("tbody", {}, hits.slice(0, shown).map((h, n) => el("tr", { className: n === i ? "chosen" : "" }, at && el("td", {}, link(n, h.at?.text || h.path || "whole")), path && el("td", {}, at ? h.path : link(n, h.path)), h.fields.map((f) => el("td", { className: typeof f.value === "number" ? "number" : "" }, String(cell(f.value))))))));
    }
    const placeOf = (h) => h.at ?? (h.path ? { at: { line: 0 }, line: { path: h.path } } : { at: {} });
    function choose(n) {
      i = n;
      shown = Math.max(shown, n + 1);
      const h = hits[n];
      if (!visit(context, scene, placeOf(h), { hit: n })) set({ hit: n });
      context.say(`Hit ${count.format(n + 1)} of ${count.format(hits.length)}${h.text ? `: ${h.text.trim()}` : h.at ? `: ${h.at.text}` : ""}`);
      draw();
    }
    const step = (by) => hits.length && choose(i < 0 ? (by > 0 ? 0 : hits.length - 1) : (i + by + hits.length) % hits.length);
    function mark() {
      const from = [], marks = [];
      let chosen;
      hits.forEach((h, n) => {
        if (!h.at?.where) return;
        if (n === i) chosen = marks.length;
        from.push(n);
        marks.push({ where: h.at.where, kind: "hit", label: h.text?.trim() ?? h.fields.map((f) => `${f.label} ${f.value}`).join(", ").slice(0, 200) });
      });
      context.shown?.mark?.("hits", marks, chosen, (n) => {
        i = from[n];
        shown = Math.max(shown, i + 1);
        set({ hit: i });
        draw();
      });
      context.count(hits.length || undefined);
    }
    const keys = [bind("N", "next hit of the search", () => step(1), { group: "Search", when: () => hits.length > 0 }), bind("P", "previous hit", () => step(-1), { group: "Search", when: () => hits.length > 0 })];
    restore();
    draw();
    let asked = "";
    const begin = () => {
      asked = JSON.stringify(sceneOf(context));
      if (state().q && kindOf(state().q) !== "place") run();
    };
    begin();
    return {
      update(changed) {
        if (changed.has("entry")) offer();
        if (changed.has("q") && state().q !== ran && !(state().q && kindOf(state().q) === "place")) {
          restore();
          return state().q ? run() : clear();
        }
        const now = JSON.stringify(sceneOf(context));
        if (changed.has("doc") || (context.shown && now !== asked)) return begin(); // the places in the picture have changed
        if (changed.has("shown")) mark();
      },
      close() {
        stop?.abort();
        for (const unbind of keys) unbind();
      },
      focus: () => field.select(),
    };
  },
};
