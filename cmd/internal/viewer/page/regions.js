// Connected tiles of two files as one change: those of a layer that touch each other, also at a corner.

const into = (map, key, value) => (map.get(key) ?? map.set(key, []).get(key)).push(value);

// regions returns the changes with those of connected tiles as one, at the place of the first. It has the parts, the number of its
// tiles, its box, and its border in units of the picture: lines of x1,y1,x2,y2.
export function regions(changes) {
  const layers = new Map(), first = new Map();
  for (const c of changes) {
    if (c.data.change !== "tiles" || c.new.length !== 1) continue;
    into(layers, `${c.data.path} ${c.data.area.x - c.new[0][0]} ${c.data.area.y - c.new[0][1]}`, c);
  }
  for (const all of layers.values()) {
    for (const parts of connected(all)) if (parts.length > 1) for (const c of parts) first.set(c, c === parts[0] ? region(parts) : undefined);
  }
  return changes.flatMap((c) => (first.has(c) ? first.get(c) ?? [] : [c]));
}

// runsOf returns the rows of rectangles: for each y, the list of [left, right, rectangle] from left to right.
function runsOf(list) {
  const rows = new Map();
  for (const c of list) {
    const { x, y, width, height } = c.data.area;
    for (let j = y; j < y + height; j++) into(rows, j, [x, x + width, c]);
  }
  for (const row of rows.values()) row.sort((a, b) => a[0] - b[0]);
  return rows;
}

function connected(list) {
  const parent = new Map(list.map((c) => [c, c])), rows = runsOf(list);
  const root = (c) => {
    while (parent.get(c) !== c) parent.set(c, parent.get(parent.get(c))), (c = parent.get(c));
    return c;
  };
  for (const [y, row] of rows) {
    for (let i = 1; i < row.length; i++) if (row[i - 1][1] === row[i][0]) parent.set(root(row[i][2]), root(row[i - 1][2]));
    const below = rows.get(y + 1) ?? [];
    for (let i = 0, j = 0; i < row.length && j < below.length; ) {
      if (row[i][0] <= below[j][1] && below[j][0] <= row[i][1]) parent.set(root(below[j][2]), root(row[i][2]));
      row[i][1] < below[j][1] ? i++ : j++;
    }
  }
  const sets = new Map();
  for (const c of list) into(sets, root(c), c);
  return sets.values();
}

function region(parts) {
  const areas = parts.map((c) => c.data.area), { path, part } = parts[0].data, [dx, dy] = [parts[0].new[0][0] - areas[0].x, parts[0].new[0][1] - areas[0].y];
  const [l, t] = [Math.min(...areas.map((a) => a.x)), Math.min(...areas.map((a) => a.y))];
  const [r, b] = [Math.max(...areas.map((a) => a.x + a.width)), Math.max(...areas.map((a) => a.y + a.height))];
  const where = [[l + dx, t + dy, r + dx, b + dy]], count = parts.reduce((n, c) => n + c.count, 0);
  return { text: `${path}: ${count.toLocaleString()} tiles at ${l},${t} to ${r - 1},${b - 1}`, parts, count, old: where, new: where, spot: [areas[0].x + dx + 0.5, areas[0].y + dy + 0.5],
    border: border(parts).map(([x, y, u, v]) => [x + dx, y + dy, u + dx, v + dy]), data: { path, part, change: "tiles", area: { x: l, y: t, width: r - l, height: b - t } } };
}

// border returns the lines between the tiles of a region and others.
function border(parts) {
  const rows = new Map([...runsOf(parts)].map(([y, row]) => [y, row.reduce((list, [l, r]) => (list.at(-1)?.[1] === l ? (list.at(-1)[1] = r) : list.push([l, r]), list), [])]));
  const lines = [];
  for (const [y, row] of rows) {
    for (const x of row.flat()) lines.push([x, y, x, y + 1]);
    for (const [next, at] of [[y - 1, y], [y + 1, y + 1]]) {
      for (const [l, r] of row) {
        let x = l;
        for (const [from, to] of rows.get(next) ?? []) {
          if (to <= x || from >= r) continue;
          if (from > x) lines.push([x, at, from, at]);
          x = Math.max(x, to);
        }
        if (x < r) lines.push([x, at, r, at]);
      }
    }
  }
  return lines;
}
