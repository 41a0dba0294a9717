// Cells as text, as the program reads and writes them: the number of a tile, the letters of its flags, and its numbers after a
// colon, such as 24r:7/5. "." is empty, and "_" leaves a cell as it is. A block is a list of rows, which are lists of cells.

export const kept = "_", empty = ".";

// parse returns the number of the tile of a cell, its letters, its numbers, and further characters.
export function parse(cell) {
  const [, id, flags, more, numbers] = /^(\d*)([a-z]*)([^:]*):?(.*)$/.exec(cell === empty || cell === kept ? "0" : cell);
  return { id: Number(id), flags, more, numbers: numbers ? numbers.split("/").map(Number) : [] };
}

// format is the inverse of parse.
export function format({ id, flags = "", more = "", numbers = [] }) {
  return id === 0 ? empty : id + flags + more + (numbers.length ? ":" + numbers.join("/") : "");
}

// cellsOf returns the cells of the text of a row.
export function cellsOf(text) {
  return text.split(" ").flatMap((word) => {
    const [cell, times] = word.split("*");
    return times ? Array(Number(times)).fill(cell) : cell ? [cell] : [];
  });
}

// textOf returns the text of a row of cells.
export function textOf(cells) {
  const words = [];
  for (let i = 0, n; i < cells.length; i = n) {
    for (n = i + 1; n < cells.length && cells[n] === cells[i]; ) n++;
    words.push(n - i > 1 ? `${cells[i]}*${n - i}` : cells[i]);
  }
  return words.join(" ");
}

// Sparse is cells at any places, of which the last one at a place counts.
export class Sparse {
  constructor(width, height) {
    Object.assign(this, { width, height, rows: new Map(), size: 0 });
  }

  // set puts a cell, unless it is outside or already there. It reports whether something has changed.
  set(x, y, cell) {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || cell === kept) return false;
    const row = this.rows.get(y) ?? this.rows.set(y, new Map()).get(y);
    if (row.get(x) === cell) return false;
    if (!row.has(x)) this.size++;
    row.set(x, cell);
    return true;
  }

  // each calls back for the cells in a box, or for all.
  each(call, [l, t, r, b] = [0, 0, this.width, this.height]) {
    for (const [y, row] of this.rows) {
      if (y < t || y >= b) continue;
      for (const [x, cell] of row) if (x >= l && x < r) call(x, y, cell);
    }
  }

  // box returns the first and the last place of the box around the cells, as texts: one if they are the same.
  box() {
    const ys = [...this.rows.keys()];
    let [left, right] = [Infinity, -Infinity];
    for (const row of this.rows.values()) for (const x of row.keys()) [left, right] = [Math.min(left, x), Math.max(right, x)];
    const [top, bottom] = ys.reduce(([t, b], y) => [Math.min(t, y), Math.max(b, y)], [Infinity, -Infinity]);
    return [...new Set([`${left},${top}`, `${right},${bottom}`])];
  }

  // drawing returns the place of the first cell and the text of all rows: the arguments of the command.
  drawing() {
    const ys = [...this.rows.keys()].sort((a, b) => a - b), xs = new Map();
    let left = Infinity;
    for (const y of ys) {
      const list = [...this.rows.get(y).keys()].sort((a, b) => a - b);
      xs.set(y, list);
      left = Math.min(left, list[0]);
    }
    const rows = [];
    for (let y = ys[0]; y <= ys.at(-1); y++) {
      const row = this.rows.get(y), cells = [];
      for (const x of xs.get(y) ?? []) {
        while (cells.length < x - left) cells.push(kept);
        cells.push(row.get(x));
      }
      rows.push(textOf(cells.length ? cells : [kept]));
    }
    return { x: left, y: ys[0], rows };
  }
}

// line calls back with the cells of a line, without the first one.
export function line([x, y], [toX, toY], call) {
  const dx = Math.abs(toX - x), dy = -Math.abs(toY - y), sx = x < toX ? 1 : -1, sy = y < toY ? 1 : -1;
  for (let err = dx + dy; x !== toX || y !== toY; ) {
    const twice = 2 * err;
    if (twice >= dy) {
      err += dy;
      x += sx;
    }
    if (twice <= dx) {
      err += dx;
      y += sy;
    }
    call(x, y);
  }
}

// pattern returns the cell of a block that is repeated from a place on.
export function pattern(block, [fromX, fromY], x, y) {
  const h = block.length, w = block[0].length, mod = (a, n) => ((a % n) + n) % n;
  return block[mod(y - fromY, h)][mod(x - fromX, w)];
}

// flood calls back with the places of a block that are connected to one of them, and have the same cell.
export function flood(block, x, y, call) {
  const h = block.length, w = block[0].length, wanted = block[y][x], seen = new Uint8Array(w * h), stack = [y * w + x];
  seen[stack[0]] = 1;
  while (stack.length) {
    const at = stack.pop(), cx = at % w, cy = (at - cx) / w;
    call(cx, cy);
    for (const [nx, ny] of [[cx - 1, cy], [cx + 1, cy], [cx, cy - 1], [cx, cy + 1]]) {
      const next = ny * w + nx;
      if (nx < 0 || ny < 0 || nx >= w || ny >= h || seen[next] || block[ny][nx] !== wanted) continue;
      seen[next] = 1;
      stack.push(next);
    }
  }
}
