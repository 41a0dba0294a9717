// The codex: lists and pages of things. Everything that is shown is set as text, never as markup. The state is in the address:
// #item=ID is a thing, #list=item a list with its filters and its order, #search=WORDS a search.

import * as f from "./formula.js";

const kinds = {
  item: ["Items", "item"], unit: ["Monsters and units", "unit"], set: ["Sets", "set"], affix: ["Affixes", "affix"], skill: ["Skills", "skill"],
  recipe: ["Recipes", "recipe"], class: ["Spawn classes", "spawn class"], type: ["Unit types", "unit type"], place: ["Places", "place"],
};
const $ = (id) => document.getElementById(id);
const main = $("main");
let site, words = {}, language = "", state = new URLSearchParams(), turn = 0;

// el makes an element: properties that begin with "on" are listeners, "class" and others attributes.
function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.flat(9).filter((c) => c !== undefined && c !== null && c !== false).map((c) => (c instanceof Node ? c : String(c))));
  return e;
}

// Files are read once.
const files = new Map();
function read(name) {
  if (!files.has(name)) {
    files.set(name, fetch(`${name}.gz`).then(async (r) => {
      if (!r.ok) throw new Error(`${name}: ${r.status}`);
      const data = await r.arrayBuffer(), [a, b] = new Uint8Array(data); // some servers already decompress
      return (a === 0x1f && b === 0x8b ? new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))) : new Response(data)).json();
    }));
    files.get(name).catch(() => files.delete(name));
  }
  return files.get(name);
}

const list = async (kind) => (site.counts[kind] ? read(`list/${kind}.json`) : []);
const indexes = new Map();
async function index(kind) {
  if (!indexes.has(kind)) indexes.set(kind, new Map((await list(kind)).map((r) => [r.id, r])));
  return indexes.get(kind);
}
let graphs, effects, classes, within;
async function readGraphs() {
  if (graphs) return;
  const d = await read("data/graphs.json");
  graphs = new Map(d.graphs.map((g) => [g.name.toUpperCase(), g]));
  effects = new Map(d.effects.map((e) => [e.name.toUpperCase(), e]));
}
async function readClasses() {
  if (classes) return;
  const found = new Map((await read("data/classes.json")).map((c) => [c.id, c]));
  within = new Map();
  for (const c of found.values()) {
    for (const e of c.entries) {
      if (!e.to.id || e.cut) continue;
      const key = `${e.to.kind}=${e.to.id}`;
      if (!within.has(key)) within.set(key, new Set());
      within.get(key).add(c.id);
    }
  }
  classes = found;
}

// above returns the classes that can give a thing.
function above(keys) {
  const found = new Set(), next = [...keys];
  while (next.length) for (const id of within.get(next.pop()) ?? []) if (!found.has(id)) found.add(id), next.push(`class=${id}`);
  return found;
}

const own = (o, key) => (Object.hasOwn(o, key) ? o[key] : undefined);
const plain = (s) => s.replace(/\|c([0-9a-f]{8}|[0-9a-f]{6})|\|u|\\n/gi, " ").trim();
const letter = (title) => plain(title).toLowerCase().match(/[a-z]/)?.[0] ?? "0";
const said = (s) => (Object.hasOwn(words, s) ? words[s] : s);

// rich returns a text of the game with its colors and lines.
function rich(s) {
  const out = el("span", { dir: "auto" });
  let color = "";
  for (const part of said(s ?? "").split(/(\|c(?:[0-9a-f]{8}|[0-9a-f]{6})|\|u|\\n)/i)) {
    if (/^\|c[0-9a-f]{6,8}$/i.test(part)) color = "#" + part.slice(-6);
    else if (/^\|u$/i.test(part)) color = "";
    else if (part === "\\n") out.append(el("br"));
    else if (part && color) {
      const span = el("span", { class: "tint" }, part);
      span.style.setProperty("--c", color);
      out.append(span);
    } else if (part) out.append(part);
  }
  return out;
}

function icon(row, side = 32) {
  if (!row?.icon) return row && ["item", "skill"].includes(row.kind) ? el("span", { class: "icon blank", "aria-hidden": true }) : undefined;
  const [sheet, x, y, w, h] = row.icon, scale = side / Math.max(w, h), e = el("span", { class: "icon", "aria-hidden": true });
  e.style.backgroundImage = `url("icons/${sheet}.png")`;
  e.style.backgroundSize = `${1024 * scale}px auto`;
  e.style.backgroundPosition = `${-x * scale}px ${-y * scale}px`;
  e.style.width = `${w * scale}px`;
  e.style.height = `${h * scale}px`;
  return e;
}

// address returns the address of a state, with the level, the difficulty and the language of this one.
function address(params) {
  const next = new URLSearchParams(params);
  for (const key of ["level", "difficulty", "lang"]) if (state.has(key) && !next.has(key)) next.set(key, state.get(key));
  return "#" + next;
}

function change(params) {
  const next = new URLSearchParams(state);
  for (const [key, value] of Object.entries(params)) value ? next.set(key, value) : next.delete(key);
  history.replaceState(null, "", "#" + next);
  show(false);
}

const level = (own) => Number(state.get("level")) || own;
const difficulty = () => Math.max(f.difficulties.indexOf(state.get("difficulty") ?? "normal"), 0);

// link returns the link to a thing, or its name if the files do not contain it.
function link(l, rows, withIcon) {
  if (l.kind === "none") return el("span", { class: "dim" }, "nothing");
  if (!l.id) return el("span", { class: "missing", title: "not in these files" }, `${l.name ?? kinds[l.kind]?.[1] ?? l.kind} (not in these files)`);
  const row = rows?.get(l.kind)?.get(l.id);
  return el("a", { href: address({ [l.kind]: l.id }), class: "name" }, withIcon && icon({ ...row, kind: l.kind }), row ? rich(row.title) : l.name ?? l.id);
}

async function rowsOf(...names) {
  const all = new Map();
  await Promise.all(names.map(async (k) => all.set(k, await index(k))));
  return all;
}

const number = (v, digits = 0) => v.toLocaleString("en", { maximumFractionDigits: digits });
function percent(q) {
  const p = q * 100;
  return (p >= 10 ? p.toFixed(1) : p >= 0.01 ? p.toPrecision(3) : p.toPrecision(2)).replace(/\.?0+$/, "") + " %";
}
const oneIn = (q) => (q >= 0.995 ? "always" : `1 in ${q > 0.1 ? number(1 / q, 1) : number(Math.round(1 / q))}`);

function table(head, rows, attributes) {
  return el("div", { class: "wide", tabindex: rows.length ? "0" : undefined, role: "region", "aria-label": attributes?.label ?? "Table" },
    el("table", null, head && el("thead", null, el("tr", null, head.map((h) => el("th", { scope: "col", class: h.class, "aria-sort": h.sort }, h.text ?? h)))), el("tbody", null, rows)));
}
const tr = (...cells) => el("tr", null, cells.map((c) => (c instanceof HTMLTableCellElement ? c : el("td", null, c))));
const n = (...c) => el("td", { class: "n" }, ...c);
const facts = (pairs) => el("table", { class: "facts" }, el("tbody", null, pairs.filter((p) => p && p[1] !== undefined && p[1] !== "").map(([k, v]) => el("tr", null, el("th", { scope: "row" }, k), el("td", null, v)))));

const cited = new Set();
function cite(id) {
  const i = site.notes.findIndex((x) => x.id === id);
  if (i < 0) return undefined;
  cited.add(id);
  return el("sup", null, el("a", { href: address({ notes: id }), title: site.notes[i].text }, String(i + 1)));
}
// marks cites the footnotes of a thing, as far as they concern what is shown.
const marks = (v, ...ids) => ids.map((id) => v.notes?.includes(id) && cite(id));
function footnotes() {
  if (!cited.size) return undefined;
  return el("div", { class: "notes" }, "Guesses, not facts:", el("ol", { class: "guesses" }, site.notes.map((x, i) => cited.has(x.id) && el("li", { value: i + 1 }, x.text))));
}

const modOf = (i) => site.mods[i]?.title ?? "";

/* Lists */

const text = (r) => `${r.title} ${said(r.title)} ${r.name ?? ""} ${r.text ?? ""}`;
function matcher(q) {
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  return (r) => {
    r.low ??= new Map();
    if (!r.low.has(language)) r.low.set(language, plain(text(r)).toLowerCase());
    return parts.every((p) => r.low.get(language).includes(p));
  };
}

function percents(r) {
  return r.stats && { hp: r.stats.slice(0, 2), damage: r.stats.slice(2, 4), armor: r.stats[4], xp: r.stats[5] };
}
const statOf = (r, name, p) => f.stat(graphs, p, name, r.graphs?.[name], r.champion, difficulty(), level(r.min || 1));
function spread(a, b) {
  if (a === undefined || b === undefined) return "–";
  const x = number(f.round(a)), y = number(f.round(b));
  return x === y ? x : `${x} – ${y}`;
}

function columns(kind, types) {
  const title = ["Name", (r) => el("td", null, el("a", { href: address({ [kind]: r.id }), class: "name" }, icon({ ...r, kind }), rich(r.title))), (r) => plain(said(r.title)).toLowerCase()];
  const mod = ["Mod", (r) => el("td", { class: "low dim" }, modOf(r.mod)), (r) => r.mod, "low"];
  const type = ["Type", (r) => el("td", null, types?.get(r.type) ? rich(types.get(r.type).title) : ""), (r) => types?.get(r.type)?.title ?? ""];
  const levels = ["Levels", (r) => n(r.min || r.max ? `${r.min ?? 0} – ${r.max || "∞"}` : ""), (r) => r.min ?? 0, "n"];
  const lev = ["Level", (r) => n(r.level ?? ""), (r) => r.level ?? 0, "n"];
  const count = (head) => [head, (r) => n(r.count ?? 0), (r) => r.count ?? 0, "n"];
  const stat = (head, name, pick) => [head, (r) => n(r.stats ? spread(...pick(percents(r)).map((p) => statOf(r, name, p))) : ""), (r) => (r.stats ? statOf(r, name, pick(percents(r))[1]) ?? 0 : -1), "n low"];
  const weapon = (r) => r.weapon && f.damage(graphs, { min: r.weapon[0], max: r.weapon[1], rarity: r.weapon[2], speed: r.weapon[3] }, level(r.level ?? 0));
  const armor = (r) => r.armor && f.armor(graphs, ...r.armor, level(r.level ?? 0));
  switch (kind) {
    case "item": return [title, type, lev, levels,
      ["Damage", (r) => n(weapon(r) ? spread(weapon(r).low, weapon(r).high) : ""), (r) => weapon(r)?.high ?? -1, "n"],
      ["Armor", (r) => n(armor(r) ?? ""), (r) => armor(r) ?? -1, "n low"],
      ["Source", (r) => el("td", { class: "low dim" }, r.source ? "known" : "none known"), (r) => (r.source ? 0 : 1), "low"], mod];
    case "unit": return [title, ["Rank", (r) => el("td", null, r.role), (r) => r.role], type, levels, stat("Health", "health", (p) => p.hp), stat("Damage", "damage", (p) => p.damage),
      stat("XP", "experience", (p) => [p.xp, p.xp]), mod];
    case "set": return [title, count("Members"), lev, mod];
    case "affix": return [title, levels, ["Effects", (r) => el("td", { class: "dim" }, r.text ?? ""), (r) => r.text ?? ""], mod];
    case "skill": return [title, count("Levels"), mod];
    case "recipe": return [title, count("Results"), ["Contains", (r) => el("td", { class: "dim low" }, r.text ?? ""), (r) => r.text ?? "", "low"], mod];
    case "class": return [title, count("Entries"), mod];
    case "place": return [title, count("Strata"), mod];
    default: return [title, mod];
  }
}

async function showList(kind) {
  if (kind === "type" && !state.get("q")) return showTypes();
  const [all, types] = await Promise.all([list(kind), index("type"), readGraphs()]);
  const cols = columns(kind, types), q = state.get("q") ?? "", match = matcher(q);
  const filters = { type: "type", role: "role", mod: "mod", source: "source" };
  const has = { type: kind === "item" || kind === "unit", role: kind === "unit", mod: site.mods.length > 1, source: kind === "item" };
  const at = Number(state.get("level"));
  let rows = all.filter((r) => match(r) && (!state.get("type") || r.type === state.get("type")) && (!state.get("role") || r.role === state.get("role")) &&
    (!state.get("mod") || String(r.mod) === state.get("mod")) && (!state.get("source") || (state.get("source") === "known") === Boolean(r.source)) &&
    (!state.get("fits") || !at || f.fits({ min: r.min ?? 0, max: r.max }, at)));
  const sort = state.get("sort") ?? "Name", down = sort.startsWith("-"), by = cols.find((c) => c[0] === sort.replace(/^-/, "")) ?? cols[0];
  const keys = new Map(rows.map((r) => [r, by[2](r)]));
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
  rows.sort((a, b) => (down ? -1 : 1) * compare(keys.get(a), keys.get(b)) || compare(a.id, b.id));
  const choose = (key, label, options) => el("label", null, el("span", { class: "hidden" }, label), el("select", { onchange: (e) => change({ [key]: e.target.value }), "aria-label": label },
    el("option", { value: "" }, `${label}: all`), options.map(([v, t]) => el("option", { value: v, selected: state.get(key) === v }, t))));
  const used = [...new Set(all.map((r) => r.type).filter(Boolean))].filter((t) => types.has(t)).map((t) => [t, plain(said(types.get(t).title))]).sort((a, b) => compare(a[1], b[1]));
  let input;
  const bar = el("div", { class: "filters" },
    (input = el("input", { type: "search", value: q, placeholder: "Filter", "aria-label": "Filter", oninput: (e) => later(() => change({ q: e.target.value })) })),
    has.type && choose(filters.type, "Type", used),
    has.role && choose(filters.role, "Rank", [...new Set(all.map((r) => r.role))].sort().map((r) => [r, r])),
    has.mod && choose(filters.mod, "Mod", site.mods.map((m, i) => [String(i), m.title])),
    has.source && choose(filters.source, "Source", [["known", "known"], ["none", "none known"]]),
    (kind === "item" || kind === "unit") && el("label", null, el("input", { type: "checkbox", checked: state.get("fits") === "1", onchange: (e) => change({ fits: e.target.checked ? "1" : "" }) }), " fits the level"),
    el("span", { class: "dim", role: "status" }, `${number(rows.length)} of ${number(all.length)}`));
  const page = 200;
  let shown = 0;
  const body = el("tbody");
  const more = el("button", { class: "more", type: "button", onclick: () => fill() }, "Show more");
  const fill = () => {
    body.append(...rows.slice(shown, shown + page).map((r) => tr(...cols.map((c) => c[1](r)))));
    shown = Math.min(shown + page, rows.length);
    more.hidden = shown === rows.length;
  };
  fill();
  const head = el("thead", null, el("tr", null, cols.map((c) => el("th", { scope: "col", class: c[3], "aria-sort": by === c ? (down ? "descending" : "ascending") : undefined },
    el("button", { type: "button", onclick: () => change({ sort: by === c && !down ? `-${c[0]}` : c[0] }) }, c[0], by === c ? (down ? " ↓" : " ↑") : "")))));
  return [kinds[kind][0], [el("h1", { tabindex: -1 }, kinds[kind][0]), bar, el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": kinds[kind][0] }, el("table", null, head, body)), more], input];
}

async function showTypes() {
  const types = await read("data/types.json"), below = new Map(), byID = new Map(types.map((t) => [t.id, t]));
  for (const t of types) for (const p of t.parents ?? [{}]) {
    const key = byID.has(p.id) ? p.id : "";
    if (!below.has(key)) below.set(key, []);
    below.get(key).push(t);
  }
  const branch = (id, seen) => {
    const list = (below.get(id) ?? []).filter((t) => !seen.has(t.id));
    return list.length ? el("ul", { class: seen.size ? "" : "tree" }, list.map((t) => el("li", null, el("a", { href: address({ type: t.id }) }, rich(t.title)), branch(t.id, new Set([...seen, t.id]))))) : undefined;
  };
  return ["Unit types", [el("h1", { tabindex: -1 }, "Unit types"), branch("", new Set()) ?? el("p", null, "These files have no unit types.")]];
}

async function showSearch(q) {
  const match = matcher(q), found = [];
  await Promise.all(Object.keys(kinds).map((k) => list(k)));
  let total = 0;
  for (const kind of Object.keys(kinds)) {
    const hits = (await list(kind)).filter(match);
    total += hits.length;
    const first = plain(q).toLowerCase(), rank = (r) => (plain(said(r.title)).toLowerCase().startsWith(first) ? 0 : plain(said(r.title)).toLowerCase().includes(first) ? 1 : 2);
    hits.sort((a, b) => rank(a) - rank(b));
    if (hits.length) found.push(el("h2", null, kinds[kind][0]), el("ul", { class: "plain" }, hits.slice(0, 12).map((r) => el("li", null, el("a", { href: address({ [kind]: r.id }), class: "name" }, icon({ ...r, kind }), rich(r.title))))),
      hits.length > 12 && el("p", null, el("a", { href: address({ list: kind, q }) }, `All ${number(hits.length)}`)));
  }
  return [`${q} – search`, [el("h1", { tabindex: -1 }, `${number(total)} results for “${q}”`), found], "search"];
}

/* Things */

const get = (v, key) => v.values?.find((x) => x.key === key)?.value;
const getNumber = (v, key, otherwise) => (get(v, key) === undefined ? otherwise : f.number(get(v, key)));

function effectList(effectsOf, at) {
  if (!effectsOf?.length) return undefined;
  return el("ul", { class: "plain" }, effectsOf.map((e) => {
    const type = effects.get((e.keys.TYPE ?? "").trim().toUpperCase()), t = type && f.effectText(graphs, e.keys, { ...type, good: said(type.good ?? ""), bad: said(type.bad ?? ""), goodOver: said(type.goodOver ?? ""), badOver: said(type.badOver ?? "") }, at);
    return el("li", null, t ? rich(t) : el("span", { class: "dim" }, `${e.keys.TYPE ?? "effect"} ${e.keys.MIN ?? ""} ${e.keys.MAX && e.keys.MAX !== e.keys.MIN ? "– " + e.keys.MAX : ""}`));
  }));
}

const section = (title, ...content) => (content.flat(9).some(Boolean) ? el("section", null, el("h2", null, title), content) : undefined);
const linkList = (links, rows) => links?.length && el("ul", { class: "plain" }, links.slice(0, 400).map((l) => el("li", null, link(l, rows, true))), links.length > 400 && el("li", { class: "dim" }, `and ${links.length - 400} more`));

// chances returns the loots that can give something, with the chance for a kill: { loot, chance, expected, path }.
async function sourcesOf(keys, gives) {
  const only = above(keys), of = f.odds(classes, gives, only), found = [];
  for (const l of await read("data/loots.json")) {
    if (!only.has(l.class)) continue;
    const o = of(l.class), chance = f.any(o.chance, l.min, l.max);
    if (chance > 0) found.push({ ...l, chance, expected: o.expected * f.mean(l.min, l.max), path: f.path(of, classes, l.class) });
  }
  return found;
}

function combine(list, key) {
  const by = new Map();
  for (const x of list) {
    const y = by.get(key(x));
    if (!y) by.set(key(x), { ...x });
    else {
      y.path = x.chance > y.chance ? x.path : y.path;
      y.chance = 1 - (1 - y.chance) * (1 - x.chance), y.expected += x.expected;
    }
  }
  return [...by.values()].sort((a, b) => b.chance - a.chance);
}

const pathOf = (ids, rows) => ids.map((id, i) => [i > 0 && " → ", link({ kind: "class", id }, rows)]);

// limited shows the first rows of a long table, and the others on request.
function limited(head, list, row, label, most = 60) {
  const body = el("tbody"), more = el("button", { class: "more", type: "button", onclick: () => fill(Infinity) }, `Show all ${number(list.length)}`);
  let shown = 0;
  const fill = (n) => {
    body.append(...list.slice(shown, n).map(row));
    shown = n, more.hidden = n >= list.length;
  };
  fill(most);
  return [el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, el("table", null, el("thead", null, el("tr", null, head.map((h) => el("th", { scope: "col", class: h[1] }, h[0])))), body)), more];
}
const chanceHead = (what) => [[what], ["per kill", "n"], ["odds", "n"], ["pieces", "n"], ["by", "low"]];

function possible(e, item, at) {
  if (item.rarity === 0 && !e.flags?.some((x) => /^RARITY_OVERRIDE=(1|true)$/i.test(x))) return 0;
  return at && !f.fits(item, at) && !e.flags?.some((x) => /^IGNORE_RANGE=(1|true)$/i.test(x)) ? 0 : 1;
}

async function dropsOf(item, row) {
  await readClasses();
  const rows = await rowsOf("unit", "class", "recipe"), at = Number(state.get("level")) || 0, me = { min: item.minLevel, max: item.maxLevel, rarity: item.rarity };
  const spread = (found) => combine(found.flatMap((x) => (x.units ?? []).map((unit) => ({ ...x, unit }))), (x) => x.unit);
  const show = (title, list, sup) => list.length && section([title, sup?.()], limited(chanceHead("From"), list, (x) =>
    tr(link({ kind: "unit", id: x.unit }, rows, true), n(percent(x.chance)), n(el("span", { class: "dim" }, oneIn(x.chance))), n(number(x.expected, 4)), el("td", { class: "low dim" }, pathOf(x.path, rows))), title));
  const found = spread(await sourcesOf([`item=${item.id}`], (e) => (e.to.kind === "item" && e.to.id === item.id ? possible(e, me, at) : 0)));
  const merchant = (x) => rows.get("unit").get(x.unit)?.role === "merchant";
  const out = [show("Dropped by", found.filter((x) => !merchant(x)), item.rarity === 0 ? () => cite("rarity") : undefined), show("Sold by", found.filter(merchant))];
  if (item.type.id) {
    const types = await read("data/types.json"), mine = [item.type.id, ...(types.find((t) => t.id === item.type.id)?.all ?? []).map((l) => l.id)];
    const items = (await list("item")).map((r) => ({ ...r, created: r.created, min: r.min ?? 0, level: r.level ?? 0 })), own = at || item.level || 1, share = new Map();
    for (const t of mine) share.set(t, f.ofType(graphs, items, new Set([t, ...types.filter((x) => x.all?.some((l) => l.id === t)).map((x) => x.id)]), own).get(item.id) ?? 0);
    const also = spread(await sourcesOf(mine.map((t) => `type=${t}`), (e) => (e.to.kind === "type" ? share.get(e.to.id) ?? 0 : 0)));
    out.push(show(`As some item of its type, at level ${own}`, also, () => cite("type")));
  }
  const only = above([`item=${item.id}`]), of = f.odds(classes, (e) => (e.to.kind === "item" && e.to.id === item.id ? possible(e, me, at) : 0), only);
  const named = [...only].map((id) => classes.get(id)).filter((c) => c.namedBy && of(c.id).chance > 0);
  out.push(named.length && section(["Named by quests and layouts", cite("named")], limited([["class"], ["a roll", "n"], ["odds", "n"], ["named by"]], named, (c) =>
    tr(link({ kind: "class", id: c.id }, rows), n(percent(of(c.id).chance)), n(el("span", { class: "dim" }, oneIn(of(c.id).chance))), el("td", null, mentions(c.namedBy))), "Named by")));
  if (!found.length && !item.source) out.unshift(el("p", { class: "dim" }, "No source is known: nothing in these files gives this item by name, by its exact type, by a recipe, a quest or a layout."));
  else if (!found.length && at) out.unshift(el("p", { class: "dim" }, `Nothing drops this item by name at level ${at}.`));
  return out;
}

async function item(v, row) {
  await readGraphs();
  const rows = await rowsOf("type", "affix", "set", "class", "recipe", "item", "unit", "skill"), at = level(v.level), num = (k, o) => getNumber(v, k, o);
  const w = get(v, "MAXDAMAGE") !== undefined && f.damage(graphs, { min: num("MINDAMAGE", 0), max: num("MAXDAMAGE", 0), rarity: num("RARITY_DMG_MOD", 100), speed: num("SPEED_DMG_MOD", 100) }, at);
  const shares = w && ["PHYSICAL", "FIRE", "ICE", "ELECTRIC", "POISON"].filter((e) => num("DAMAGE_" + e, 0)).map((e) => [`${e.toLowerCase()} damage (${num("DAMAGE_" + e)} %)`, spread(...w.exact.map((x) => (x * num("DAMAGE_" + e)) / 100))]);
  const armor = num("ARMOR_PHYSICAL", 0) ? f.armor(graphs, num("ARMOR_PHYSICAL"), num("RARITY_AMR_MOD", 100), num("SPECIAL_AMR_MOD", 100), at) : undefined;
  const needs = ["STRENGTH", "DEXTERITY", "MAGIC", "DEFENSE"].filter((k) => num(k + "_REQUIRED", 0)).map((k) => {
    const g = f.at(graphs.get(`ITEM_${k}_REQUIREMENTS`), at), name = { MAGIC: "focus", DEFENSE: "vitality" }[k] ?? k.toLowerCase();
    return [`requires ${name}`, [`${num(k + "_REQUIRED")} %`, g !== undefined && [` ≈ ${number(f.round((g * num(k + "_REQUIRED")) / 100))}`, cite("required")]]];
  });
  return [el("div", { class: "columns" }, el("div", null, section([`At level ${at}`, marks(v, "curve")], facts([
    ["type", link(v.type, rows)], ["level", String(v.level)], ["drops at levels", v.minLevel >= 500 ? "never by level" : v.minLevel || v.maxLevel ? `${v.minLevel} – ${v.maxLevel || "∞"}` : undefined],
    ["rarity", v.rarity ?? undefined], ["damage before shares", w ? spread(w.low, w.high) : get(v, "MAXDAMAGE") !== undefined ? "? (graph not in these files)" : undefined], ...(shares || []),
    ["armor", armor !== undefined ? [String(armor), cite("armor")] : num("ARMOR_PHYSICAL", 0) ? "? (graph not in these files)" : undefined], ["ARMORMIN – ARMORMAX", get(v, "ARMORMIN") && `${get(v, "ARMORMIN")} – ${get(v, "ARMORMAX") ?? ""}`],
    ...needs, ["requires level", get(v, "LEVEL_REQUIRED")], ["speed", get(v, "SPEED")], ["sockets", get(v, "SOCKETS") ?? get(v, "MAX_SOCKETS")], ["value", get(v, "VALUE")], ["set", v.set && link(v.set, rows)]]))),
  el("div", null, section(["Effects", marks(v, "effect", "over")], effectList(v.effects, at)), section("Affixes", v.affixes && linkList(v.affixes, rows)))),
  await dropsOf(v, row), section("Used by", linkList((v.usedBy ?? []).filter((l) => l.kind !== "unit"), rows))];
}

async function unit(v, row) {
  await Promise.all([readGraphs(), readClasses()]);
  const rows = await rowsOf("type", "affix", "class", "item", "unit", "skill", "place"), own = v.minLevel || 1, at = level(own), num = (k, o) => getNumber(v, k, o);
  const line = (name, stat, a, b) => el("tr", null, el("th", { scope: "row" }, name), f.difficulties.map((_, d) => el("td", { class: "n" }, spread(...[a, b].map((p) => f.stat(graphs, p, stat, v.graphs?.[stat], v.champion, d, at))))));
  const fights = get(v, "MAXHP") !== undefined || get(v, "MAXDAMAGE") !== undefined;
  const armors = ["FIRE", "ICE", "ELECTRIC", "POISON"];
  const numbers = fights && [el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Values" }, el("table", null, el("thead", null, el("tr", null, el("th", { scope: "col" }, "Difficulty"), ["Easy", "Normal", "Hard", "Very hard"].map((d, i) => el("th", { scope: "col", class: "n", "aria-current": i === difficulty() ? "true" : undefined }, d)))),
    el("tbody", null, line("health", "health", num("MINHP", 0), num("MAXHP", 0)), line("damage", "damage", num("MINDAMAGE", 0), num("MAXDAMAGE", 0)), get(v, "ARMOR") !== undefined && line("armor", "armor", num("ARMOR"), num("ARMOR")),
      armors.map((e) => line(`${e.toLowerCase()} armor`, "armor", num("ARMOR_" + e, 100), num("ARMOR_" + e, 100))), get(v, "XP") !== undefined && line("experience", "experience", num("XP"), num("XP"))))),
    f.difficulties.some((_, d) => f.stat(graphs, 1, "health", v.graphs?.health, v.champion, d, at) === undefined) && el("p", { class: "dim" }, "– : the graph is not in these files.")];
  const drops = [];
  for (const t of v.treasure ?? []) {
    if (!t.class.id) continue;
    for (const what of below(t.class.id)) {
      const entry = rows.get(what.kind)?.get(what.id), a = Number(state.get("level")) || 0;
      const gives = (e) => (e.to.kind === what.kind && e.to.id === what.id ? (what.kind === "item" ? possible(e, { min: entry?.min ?? 0, max: entry?.max, rarity: entry?.rarity }, a) : 1) : 0);
      const of = f.odds(classes, gives, above([`${what.kind}=${what.id}`])), o = of(t.class.id), chance = f.any(o.chance, t.min, t.max);
      if (chance > 0) drops.push({ what, chance, expected: o.expected * f.mean(t.min, t.max), path: f.path(of, classes, t.class.id) });
    }
  }
  const sells = v.role === "merchant", all = combine(drops, (x) => x.what.kind + x.what.id);
  return [el("div", { class: "columns" }, el("div", null, section([`At level ${at}`, marks(v, "graph", "curve")], numbers)), el("div", null, section("Facts", facts([["rank", v.role], ["type", v.type.id ? link(v.type, rows) : undefined], ["levels", v.minLevel || v.maxLevel ? `${v.minLevel} – ${v.maxLevel || "∞"}` : undefined],
    ["graphs", fights ? [v.champion ? "of champions" : "of monsters", Object.entries(v.graphs ?? {}).map(([stat, g]) => `; ${stat}: ${g}`)] : undefined], ["walks, runs", get(v, "WALKINGSPEED") && `${get(v, "WALKINGSPEED")}, ${get(v, "RUNNINGSPEED") ?? "?"}`], ["attack speed", get(v, "ATTACKSPEED")], ["scale", get(v, "SCALE")]])))),
  section([sells ? "Sells" : "Drops", marks(v, "treasure")], all.length && limited(chanceHead("What"), all, (x) =>
    tr([link(x.what, rows, true), x.what.kind === "type" && [el("span", { class: "dim" }, " (some item of this type)"), cite("type")]], n(percent(x.chance)), n(el("span", { class: "dim" }, oneIn(x.chance))), n(number(x.expected, 4)), el("td", { class: "low dim" }, pathOf(x.path, rows))), "Drops"),
    (v.treasure ?? []).some((t) => !t.class.id) && el("p", { class: "dim" }, "And from ", (v.treasure ?? []).filter((t) => !t.class.id).map((t, i) => [i > 0 && ", ", link(t.class, rows)]), ".")),
  section("Skills", v.skills?.length && table(["Skill", "Level", "Chance"], v.skills.map((s) => tr(link(s.skill, rows, true), s.values.LEVEL ?? "", s.values.CHANCE ? `${s.values.CHANCE} %` : s.values.CAST_ODDS ?? "")), { label: "Skills" })),
  section(["Traits", marks(v, "effect", "over")], effectList(v.effects, at)), section("Affixes", linkList(v.affixes, rows)), section("Found in", linkList(v.foundIn, rows)), section("Used by", linkList(v.usedBy, rows))];
}

// below returns what a class can give.
function below(id) {
  const seen = new Set(), out = [];
  const visit = (id) => {
    for (const e of classes.get(id)?.entries ?? []) {
      const key = e.to.kind + e.to.id;
      if (e.cut || !e.share || !e.to.id || seen.has(key)) continue;
      seen.add(key);
      if (e.to.kind === "class") visit(e.to.id);
      else out.push(e.to);
    }
  };
  visit(id);
  return out;
}

async function spawnClass(v) {
  const rows = await rowsOf("type", "class", "item", "unit", "recipe", "place");
  const rolls = below(v.id).map((what) => {
    const of = f.odds(classes, (e) => (e.to.kind === what.kind && e.to.id === what.id ? 1 : 0), above([`${what.kind}=${what.id}`])), o = of(v.id);
    return { what, chance: o.chance, expected: o.expected };
  }).filter((x) => x.chance > 0).sort((a, b) => b.chance - a.chance);
  return [section(["Entries", marks(v, "zero", "level", "rarity")], table([{ text: "What" }, { text: "Weight", class: "n" }, { text: "Chance", class: "n" }, { text: "Count", class: "n" }, { text: "Flags", class: "low" }], v.entries.map((e) =>
    tr([link(e.to, rows, true), e.cut && el("span", { class: "dim" }, " (leads back: counts as nothing)")], n(e.weight), n(e.always ? "always" : e.share ? percent(e.share) : "0 %"), n(e.min === e.max ? e.min : [`${e.min} – ${e.max}`, cite("count")]), el("td", { class: "low dim" }, (e.flags ?? []).join(", ")))), { label: "Entries" })),
  section("One roll gives", rolls.length && limited([["What"], ["chance", "n"], ["odds", "n"], ["pieces", "n"]], rolls, (x) => tr(link(x.what, rows, true), n(percent(x.chance)), n(el("span", { class: "dim" }, oneIn(x.chance))), n(number(x.expected, 4))), "One roll")),
  section("Used by", linkList(v.usedBy, rows)), v.namedBy && section(["Named by", cite("named")], mentions(v.namedBy))];
}

// mentions lists quests and layouts.
function mentions(list) {
  const by = new Map();
  for (const m of list ?? []) by.set(`${m.kind} ${m.title ?? ""}`, [...(by.get(`${m.kind} ${m.title ?? ""}`) ?? []), m]);
  return by.size && el("ul", { class: "plain" }, [...by.values()].map(([m, ...others]) =>
    el("li", null, `${m.kind} `, m.title && rich(m.title), others.length > 0 && ` × ${others.length + 1}`, m.file && el("span", { class: "dim" }, ` ${m.file}`))));
}

async function set(v) {
  await readGraphs();
  const rows = await rowsOf("item", "affix"), at = level(v.level);
  return [section("Members", linkList(v.members, rows) || el("p", { class: "dim" }, "These files have no member of this set.")),
    section(`Bonuses at level ${at}`, v.bonuses.length && table(["Pieces", "Bonus", "Affix"], v.bonuses.map((b) => tr(String(b.count), effectList(b.effects, at) ?? "", link(b.affix, rows))), { label: "Bonuses" }))];
}

async function affix(v) {
  await readGraphs();
  const rows = await rowsOf("type", "item", "unit", "skill", "set"), at = level(Math.max(v.minLevel, 1));
  return [section([`Effects at level ${at}`, marks(v, "effect", "over", "curve")], effectList(v.effects, at)), section("Facts", facts([["rank", v.rank], ["levels of items", v.minLevel || v.maxLevel ? `${v.minLevel} – ${v.maxLevel || "∞"}` : undefined], ["weight", v.weight ? v.weight : "0: never at random"],
    ["on", v.types?.map((t, i) => [i > 0 && ", ", link(t, rows)])], ["not on", v.notTypes?.map((t, i) => [i > 0 && ", ", link(t, rows)])]])), section("Used by", linkList(v.usedBy, rows))];
}

async function skill(v) {
  const rows = await rowsOf("affix", "unit");
  const keys = [...new Set((v.levels ?? []).flatMap((l) => Object.keys(l.values)))].filter((k) => /^-?[\d.]+$/.test(v.levels.find((l) => l.values[k])?.values[k] ?? ""));
  return [section("Facts", facts([["requires level", get(v, "LEVEL_REQUIRED")], ["levels to invest", get(v, "MAX_INVEST_LEVEL")], ["mana", get(v, "MANACOST")], ["cooldown", get(v, "COOLDOWNMS") && `${f.number(get(v, "COOLDOWNMS")) / 1000} s`], ["range", get(v, "RANGE")]])),
    section("Tiers", v.tiers?.length && el("ol", null, v.tiers.map((t) => el("li", null, rich(t))))),
    section("Levels", v.levels?.length && table([{ text: "Level" }, ...keys.map((k) => ({ text: k.toLowerCase().replaceAll("_", " "), class: "n" })), { text: "Affixes" }], v.levels.map((l) => tr(String(l.level), ...keys.map((k) => n(l.values[k] ?? "")), (l.affixes ?? []).map((a, i) => [i > 0 && ", ", link(a, rows)]))), { label: "Levels" })),
    section("Used by", linkList(v.usedBy, rows))];
}

async function recipe(v) {
  const rows = await rowsOf("item", "unit", "type", "class");
  return [v.hidden && el("p", { class: "dim" }, "The game does not list this recipe."), !v.resultShown && el("p", { class: "dim" }, "The game shows “?” as its result."),
    section("Ingredients", table([{ text: "What" }, { text: "Count", class: "n" }, { text: "How" }], v.ingredients.map((i) => tr([link(i.what, rows, true), i.description && el("span", { class: "dim" }, " ", rich(i.description))], n(i.count), (i.flags ?? []).join(", ").toLowerCase())), { label: "Ingredients" })),
    section("Result", v.results.length && table([{ text: "What" }, { text: "Chance", class: "n" }, { text: "Pieces", class: "n" }], v.results.map((x) => tr([link(x.what, rows, true), x.kinds && el("span", { class: "dim" }, ` × ${x.kinds} kinds`)], n(percent(x.chance)), n(number(x.expected, 3)))), { label: "Results" }),
      v.result && !v.result.id && el("p", null, link(v.result, rows)), v.nothing > 1e-9 && v.result?.id && el("p", { class: "dim" }, `Nothing: ${percent(v.nothing)}.`),
      v.meanLevel && el("p", { class: "dim" }, "The level of the result is the mean of the ingredients."), v.socket && el("p", { class: "dim" }, "Adds a socket.")), section("Used by", linkList(v.usedBy, rows))];
}

async function unitType(v) {
  const rows = await rowsOf("type", "item", "unit", "class", "recipe"), types = await read("data/types.json");
  const mine = async (k) => (await list(k)).filter((r) => r.type === v.id).map((r) => ({ kind: k, id: r.id }));
  return [section("Above", linkList(v.all, rows)), section("Below", linkList(types.filter((t) => t.parents?.some((p) => p.id === v.id)).map((t) => ({ kind: "type", id: t.id })), rows)),
    section("Items", linkList(await mine("item"), rows)), section("Monsters and units", linkList(await mine("unit"), rows)), section("Used by", linkList(v.usedBy, rows))];
}

async function place(v) {
  const rows = await rowsOf("class", "unit"), units = (await rowsOf("unit")).get("unit");
  await readClasses();
  const found = new Map();
  for (const s of v.strata) for (const c of s.classes) for (const w of below(c.id)) if (w.kind === "unit") found.set(w.id, w);
  return [section("Strata", table(["Part", "Levels", "Floors", "Classes"], v.strata.map((s) => tr(s.name, `${s.values.PLAYER_LVL_MATCH_MIN ?? ""} – ${s.values.PLAYER_LVL_MATCH_MAX ?? ""}`, s.values.FLOORS ?? "", s.classes.map((c, i) => [i > 0 && ", ", link(c, rows)]))), { label: "Strata" })),
    section("Found here", linkList([...found.values()].filter((w) => units.has(w.id)), rows))];
}

const pages = { item, unit, set, affix, skill, recipe, class: spawnClass, type: unitType, place };

// model returns the place of a model, which is read when it is seen. It stays while the page of the same thing is made again.
let seen;
function model(name) {
  if (seen?.name === name && seen.canvas.isConnected) return seen.canvas;
  const canvas = el("canvas", { class: "model", tabindex: "0", role: "img", "aria-label": "Its model. Arrow keys turn it, + and - change its size." });
  seen = { name, canvas };
  const eye = new IntersectionObserver(([e]) => {
    if (!e.isIntersecting) return;
    eye.disconnect();
    import("./model.js").then((m) => m.show(canvas, `models/${name}.glb`)).catch((err) => canvas.replaceWith(el("p", { class: "dim" }, `The model cannot be shown: ${err.message}.`)));
  });
  eye.observe(canvas);
  return canvas;
}

async function showThing(kind, id) {
  const row = (await index(kind)).get(id);
  if (!row) return ["Not found", [el("h1", { tabindex: -1 }, "This codex does not contain that"), el("p", null, `There is no ${kinds[kind][1]} with the ID ${id}.`)]];
  let v;
  if (kind === "class") await readClasses(), (v = classes.get(id));
  else if (kind === "type") v = (await read("data/types.json")).find((t) => t.id === id);
  else {
    const { pairs, things } = await read(`data/${kind}-${letter(row.title)}.json`), { thing, values } = things[id];
    v = { ...thing, values: values.flatMap((list, from) => list.map((i) => ({ key: pairs[i][0], value: pairs[i][1], from }))) };
  }
  const others = await Promise.all(site.languages.map(async (l) => [l, own(await read(`lang/${l}.json`), v.title)]));
  const more = await pages[kind](v, row);
  const paths = v.files?.length && !site.public ? el("details", null, el("summary", null, "File, internal name and all values"),
    facts([["name", v.name], ["ID", v.id], ["file", v.files[0]], ["based on", v.files.slice(1).map((p) => el("div", null, p))], ["same name in", v.twins?.map((p) => el("div", null, p))]]),
    v.values?.length && table(["Key", "Value", "From"], v.values.map((x) => tr(x.key, el("td", { dir: "auto" }, x.value), el("td", { class: "dim" }, x.from ? v.files[x.from] : "this file"))), { label: "Values" })) : undefined;
  return [plain(said(v.title)), [el("div", { class: "head" }, icon({ ...row, kind }, 64), el("div", null, el("h1", { tabindex: -1 }, rich(v.title)),
    el("div", { class: "dim" }, [kinds[kind][1], modOf(v.mod), ...others.filter(([l, t]) => t && l !== language).map(([l, t]) => `${l}: ${plain(t)}`)].filter(Boolean).join(" · ")),
    v.description && el("p", null, rich(v.description)))), row.model && model(row.model), more, paths]];
}

async function showHoles() {
  const holes = await read("data/holes.json"), q = (state.get("q") ?? "").toLowerCase(), kind = state.get("kind") ?? "";
  const rows = holes.filter((h) => (!kind || h.kind === kind) && `${h.message} ${h.file ?? ""}`.toLowerCase().includes(q));
  let input;
  return ["Holes", [el("h1", { tabindex: -1 }, "Holes"), el("p", { class: "dim" }, "What these files name and lack, or have twice. A mod usually needs the game's own files, too."),
    el("div", { class: "filters" }, (input = el("input", { type: "search", value: state.get("q") ?? "", placeholder: "Filter", "aria-label": "Filter", oninput: (e) => later(() => change({ q: e.target.value })) })),
      el("select", { "aria-label": "Kind", onchange: (e) => change({ kind: e.target.value }) }, el("option", { value: "" }, "Kind: all"), [...new Set(holes.map((h) => h.kind))].map((k) => el("option", { value: k, selected: k === kind }, k))),
      el("span", { class: "dim", role: "status" }, `${number(rows.length)} of ${number(holes.length)}`)),
    rows.length ? limited([["Kind"], ["What"], ["Mod", "low"], ["File"]], rows, (h) => tr(h.kind, h.message, el("td", { class: "low dim" }, modOf(h.mod)), el("td", { class: "dim" }, h.file ?? "", h.line ? `:${h.line}` : "")), "Holes", 300) : el("p", null, "Nothing is missing.")], input];
}

function showNotes() {
  return ["Guesses", [el("h1", { tabindex: -1 }, "Guesses"), el("p", { class: "dim" }, "Footnotes mark what is likely, and not measured in the game."), el("ol", null, site.notes.map((x) => el("li", { id: `note-${x.id}` }, x.text)))]];
}

function showHome() {
  return ["Codex", [el("h1", { tabindex: -1 }, site.mods.filter((m) => !m.base).map((m) => m.title).join(", ") || "Codex"),
    el("p", { class: "dim" }, site.mods.map((m) => (m.base ? `the game's own files (${m.title})` : m.author ? `${m.title} by ${m.author}` : m.title)).join(" · ")),
    el("div", { class: "cards" }, Object.keys(kinds).filter((k) => site.counts[k]).map((k) => el("a", { class: "card", href: address({ list: k }) }, el("b", null, number(site.counts[k])), kinds[k][0])),
      !site.public && el("a", { class: "card", href: address({ holes: "1" }) }, el("b", null, number(site.holes)), "Holes"), el("a", { class: "card", href: address({ notes: "1" }) }, el("b", null, number(site.notes.length)), "Guesses"))]];
}

/* The page */

let waiting;
function later(do_) {
  clearTimeout(waiting);
  waiting = setTimeout(do_, 150);
}

async function show(moved = true) {
  const mine = ++turn;
  state = new URLSearchParams(location.hash.slice(1));
  cited.clear();
  const kind = Object.keys(kinds).find((k) => state.has(k)), wanted = state.get("list");
  const typing = document.activeElement?.tagName === "INPUT" && main.contains(document.activeElement) ? [document.activeElement.selectionStart, document.activeElement.selectionEnd, document.activeElement.value] : undefined;
  $("shown").textContent = state.get("level") ?? "own";
  $("level").value = state.get("level") ?? 1;
  $("reset").disabled = !state.has("level");
  $("difficulty").value = state.get("difficulty") ?? "normal";
  if (document.activeElement !== $("q")) $("q").value = state.get("search") ?? "";
  let result;
  try {
    language = site.languages.includes(state.get("lang")) ? state.get("lang") : "";
    words = language ? await read(`lang/${language}.json`) : {};
    $("language").value = language;
    result = kind ? await showThing(kind, state.get(kind)) : wanted && Object.hasOwn(kinds, wanted) ? await showList(wanted) : state.get("search") ? await showSearch(state.get("search")) :
      state.has("holes") && !site.public ? await showHoles() : state.has("notes") ? showNotes() : showHome();
  } catch (e) {
    result = ["Codex", [el("h1", { tabindex: -1 }, "A part of this codex cannot be read"), el("p", null, e.message)]];
  }
  if (mine !== turn) return;
  const [title, content, input] = result;
  document.title = title === "Codex" ? showHome.title ?? "Codex" : `${title} – Codex`;
  main.replaceChildren(...content.flat(9).filter((c) => c instanceof Node), ...[footnotes()].filter(Boolean));
  for (const a of $("kinds").children) a.toggleAttribute("aria-current", a.dataset.kind === (kind ?? wanted ?? (state.has("holes") ? "holes" : "")));
  for (const a of $("kinds").children) a.href = address(a.dataset.kind === "holes" ? { holes: "1" } : { list: a.dataset.kind });
  $("home").href = address({});
  if (typing && input instanceof HTMLElement) {
    input.value = typing[2];
    input.focus();
    input.setSelectionRange(typing[0], typing[1]);
  } else if (moved) {
    scrollTo(0, 0);
    if (input !== "search") main.querySelector("h1")?.focus({ preventScroll: true });
  }
}

async function start() {
  try {
    site = await read("data/site.json");
  } catch (e) {
    main.replaceChildren(el("p", null, location.protocol === "file:" ? "Browsers do not open these pages from a folder. Put the folder on a web server, such as: python3 -m http.server" : `The data cannot be read: ${e.message}`));
    return;
  }
  $("home").textContent = site.mods.filter((m) => !m.base).map((m) => m.title).join(", ") || "Codex";
  for (const k of Object.keys(kinds)) if (site.counts[k]) $("kinds").append(el("a", { "data-kind": k, href: `#list=${k}` }, kinds[k][0], " ", el("small", null, number(site.counts[k]))));
  if (!site.public && site.holes) $("kinds").append(el("a", { "data-kind": "holes", href: "#holes=1" }, "Holes ", el("small", null, number(site.holes))));
  if (site.languages.length) {
    $("language").hidden = false;
    $("language").append(el("option", { value: "" }, "Original"), ...site.languages.map((l) => el("option", { value: l }, l)));
  }
  $("level").addEventListener("input", (e) => change({ level: e.target.value }));
  $("reset").addEventListener("click", () => change({ level: "" }));
  $("difficulty").addEventListener("change", (e) => change({ difficulty: e.target.value === "normal" ? "" : e.target.value }));
  $("language").addEventListener("change", (e) => change({ lang: e.target.value }));
  $("find").addEventListener("submit", (e) => e.preventDefault());
  $("q").addEventListener("input", (e) => later(() => {
    const q = e.target.value.trim(), was = state.has("search");
    if (!q) return was && history.back();
    if (was) change({ search: q });
    else location.hash = address({ search: q });
  }));
  addEventListener("hashchange", () => show());
  addEventListener("keydown", (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (e.key === "/" && !typing) e.preventDefault(), $("q").focus();
    else if (e.key === "Escape" && typing) document.activeElement.blur();
    else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && (document.activeElement === $("q") || main.contains(document.activeElement)) && document.activeElement.tagName !== "SELECT") {
      const links = [...main.querySelectorAll("a.name")], i = links.indexOf(document.activeElement), next = links[i + (e.key === "ArrowDown" ? 1 : -1)];
      if (next) e.preventDefault(), next.focus();
    }
  });
  show();
}

start();
