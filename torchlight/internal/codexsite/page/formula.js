// The formulas of the codex, as in torchlight/internal/codex/values.go and chance.go. A test compares both.

// at returns the value of a graph at x, or undefined if there is no graph.
export function at(graph, x) {
  if (!graph) return undefined;
  const p = graph.points, last = p.length - 1;
  let i = p.findIndex((q) => q[0] >= x);
  if (i === 0) return p[0][1];
  if (i < 0) {
    if (!graph.past || last === 0) return p[last][1];
    i = last;
  }
  const a = p[i - 1], b = p[i];
  if (a[0] === b[0]) return b[1];
  return a[1] + (x - a[0]) * ((b[1] - a[1]) / (b[0] - a[0]));
}

export const difficulties = ["easy", "normal", "hard", "veryhard"];
const suffixes = ["_EASY", "", "_HARD", "_VERYHARD"];
const stats = {
  health: ["HEALTH_MONSTER_BYLEVEL", "HEALTH_CHAMPIONMONSTER_BYLEVEL"],
  damage: ["DAMAGE_MONSTER", "DAMAGE_CHAMPIONMONSTER"],
  armor: ["ARMOR_MONSTER_BYLEVEL", "ARMOR_CHAMPIONMONSTER_BYLEVEL"],
  experience: ["EXPERIENCE_MONSTER", "EXPERIENCE_CHAMPIONMONSTER"],
};

// number reads a number of a file; everything else is 0.
export function number(s) {
  const v = Number(String(s ?? "").trim() || 0);
  return Number.isFinite(v) ? v : 0;
}

// stat returns a property of a monster, of which the files have a percent of a graph: of its own, or the usual one if there is none.
// Graphs is a Map by names in upper case.
export function stat(graphs, percent, name, own, champion, difficulty, level) {
  const v = at(graphs.get(own ? own.toUpperCase() : stats[name][champion ? 1 : 0] + suffixes[difficulty]), level);
  return v === undefined ? undefined : (percent / 100) * v;
}

const up = (v) => Math.ceil(v - 1e-9);
const bounded = (v) => Math.min(Math.max(v, -2147483648), 2147483647);

// round rounds to a number of decimals, halves away from 0.
export function round(v, decimals = 0) {
  const scale = 10 ** decimals, r = Math.floor(Math.abs(v) * scale + 0.5 + 1e-9) / scale;
  return (v < 0 ? -r : r) + 0;
}

// damage returns the damage of a weapon: { exact, low, high }, or undefined.
export function damage(graphs, w, level) {
  const base = at(graphs.get("BASE_WEAPON_DAMAGE"), level);
  if (base === undefined || w.max === 0) return undefined;
  const f = (((base * w.rarity) / 100) * w.speed) / 100, exact = [(f * w.min) / 100, (f * w.max) / 100], top = up(exact[1]);
  return { exact, low: bounded(round((top * w.min) / w.max)), high: bounded(top) };
}

export function armor(graphs, physical, rarity, special, level) {
  const base = at(graphs.get("ARMOR_PLAYER_BYLEVEL_FORSET"), level);
  if (base === undefined) return undefined;
  if (physical === 0) return 0;
  return bounded(Math.max(up((((((base * physical) / 100) * rarity) / 100) * special) / 100), 1));
}

const truth = (s) => /^true$/i.test(String(s ?? "").trim()) || number(s) !== 0;

// effectRange returns the values of an effect, which are equal unless it has a graph.
export function effectRange(graphs, keys, type, level) {
  let low = number(keys.MIN);
  const high = number(keys.MAX);
  const name = keys.GRAPHOVERRIDE || (truth(keys.NOGRAPH) ? "" : type.graph ?? "");
  const v = name ? at(graphs.get(name.toUpperCase()), level) : undefined;
  if (v !== undefined) return [(low * v) / 100, (high * v) / 100];
  low += ((high - low) * Math.min(level, 500)) / 500;
  return [low, low];
}

const plain = (v) => (Math.abs(v) < 1e21 ? v.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 6 }) : String(v));

// effectText returns the text of an effect.
export function effectText(graphs, keys, type, level) {
  if (!type) return "";
  const [low, high] = effectRange(graphs, keys, type, level), duration = number(keys.DURATION);
  let form = type.good;
  if (high < 0) form = (duration > 0 && type.badOver) || type.bad || type.good;
  else if (duration > 0) form = type.goodOver || type.good;
  if (!form) return "";
  const shown = (v) => plain(round(Math.abs(v), type.maxExact > 0 && Math.abs(v) > type.maxExact ? 0 : Math.min(Math.max(type.precision ?? 0, 0), 6)));
  let value = shown(low);
  if (shown(high) !== value) value += " - " + shown(high);
  const numbered = (n) => {
    const key = type.values?.[n - 1];
    return key === undefined ? "" : plain(round(Math.abs(number(keys[key.toUpperCase()])), 2));
  };
  return form.replace(/\[(VALUE_OT|VALUE([1-5])ASDURATION|VALUE3AND4|VALUE([1-5])|VALUE|DURATION|DMGTYPE|NAME)\]/g, (_, word, as, n) => {
    if (as || n) return numbered(as || n);
    if (word === "VALUE" || word === "VALUE_OT") return value;
    if (word === "VALUE3AND4") return numbered(3) + " - " + numbered(4);
    if (word === "DURATION") return plain(round(duration, 2));
    if (word === "DMGTYPE") return (keys.DAMAGE_TYPE ?? "").toLowerCase();
    return keys.NAME ?? "";
  });
}

function ordered(least, most) {
  least = Math.max(least, 0), most = Math.max(most, 0);
  return [Math.min(least, most), Math.max(least, most)];
}

// any returns the chance that a thing of chance q comes at least once in a number of tries between least and most.
export function any(q, least, most) {
  [least, most] = ordered(least, most);
  if (q <= 0 || most === 0) return 0;
  if (least === 1 && most === 1) return q;
  if (q >= 1) return least === 0 ? 1 - 1 / (most + 1) : 1;
  const stay = Math.log1p(-q), n = most - least + 1;
  return 1 - (Math.exp(least * stay) * Math.expm1(n * stay)) / (-q * n);
}

export function mean(least, most) {
  [least, most] = ordered(least, most);
  return (least + most) / 2;
}

// odds returns a function that computes { chance, expected, best } of a thing in a roll of a class. Classes is a Map by ID;
// gives returns the chance that an entry for a unit or a type gives the thing. Only, if given, are the classes that can give it.
export function odds(classes, gives, only) {
  const known = new Map();
  const of = (id) => {
    if (known.has(id)) return known.get(id);
    const o = { chance: 0, expected: 0, best: undefined };
    known.set(id, o);
    let chosen = 0, most = 0, miss = 1;
    for (const e of classes.get(id)?.entries ?? []) {
      if (e.cut || !e.share) continue;
      let one;
      if (e.to.kind === "class") one = e.to.id && classes.has(e.to.id) && (!only || only.has(e.to.id)) ? of(e.to.id) : undefined;
      else if (e.to.id) {
        const q = gives(e);
        one = { chance: q, expected: q };
      }
      if (!one?.chance) continue;
      const q = any(one.chance, e.min, e.max);
      o.expected += e.share * one.expected * mean(e.min, e.max);
      if (e.always) miss *= 1 - q;
      else chosen += e.share * q;
      if (e.share * q > most) most = e.share * q, o.best = e;
    }
    o.chance = 1 - (1 - chosen) * miss;
    return o;
  };
  return of;
}

// path returns the likeliest path of classes from a class to the thing.
export function path(of, classes, id) {
  const list = [];
  while (classes.has(id) && list.length < 64) {
    list.push(id);
    id = of(id).best?.to.id;
  }
  return list;
}

// fits reports whether an item can appear at a level.
export const fits = (item, level) => level >= item.min && (!item.max || level <= item.max);

// ofType returns the chances of the items that "some item of a type" can be at a level, a Map by ID. Below are the IDs of the type
// and the types below it.
export function ofType(graphs, items, below, level) {
  const low = at(graphs.get("ITEM_SPAWN_RANGE_MINIMUM"), level), high = at(graphs.get("ITEM_SPAWN_RANGE_MAXIMUM"), level), list = new Map();
  let sum = 0;
  for (const v of items) {
    if (!below.has(v.type) || !v.created || !(v.rarity > 0) || !fits(v, level)) continue;
    if (low !== undefined && high !== undefined && (v.level < low || v.level > high)) continue;
    list.set(v.id, v.rarity);
    sum += v.rarity;
  }
  for (const [id, rarity] of list) list.set(id, rarity / sum);
  return list;
}
