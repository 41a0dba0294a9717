// Coordinates as users know them. An axis that points the other way than in the picture has a minus before its
// name: the cell from v to v+1 has the coordinate -v-1 there.
const back = (axis) => axis.startsWith("-");
const nameOf = (axis) => axis.replace("-", "");

const cellOf = (axis, v) => (back(axis) ? -1 - Math.floor(v) : Math.floor(v)) + 0;

// say returns the coordinates of the cell at a point of a view: "x 161  y 37", or short "161,37".
export const say = ({ axes }, point) => axes.map((axis, i) => `${nameOf(axis)} ${cellOf(axis, point[i])}`).join("  ");
export const brief = ({ axes }, point) => axes.map((axis, i) => cellOf(axis, point[i])).join(",");

// pointOf is the inverse of say: the middle of a cell, or the exact point for numbers with fractions. Of three
// numbers, it uses those of the view's axes. If the text is invalid, it returns an error message.
export function pointOf({ axes }, text) {
  const numbers = text.replace(/[()]/g, "").trim().split(/\s*[,;\s]\s*/).map((t) => (t === "" ? NaN : Number(t)));
  const names = axes.map(nameOf);
  const usual = `${names.join(",")} such as 161,37`;
  if (numbers.length < 2 || numbers.length > 3 || !numbers.every((n) => Math.abs(n) < 2 ** 31)) return `Expected ${usual}${names.every((n) => "xyz".includes(n)) ? ", or x,y,z" : ""}.`;
  const own = numbers.length === 3 ? names.map((n) => numbers["xyz".indexOf(n)]) : numbers;
  if (own.includes(undefined)) return `This view has no x, y and z: expected ${usual}.`;
  return own.map((n, i) => (back(axes[i]) ? -1 : 1) * (Number.isInteger(n) ? n + 0.5 : n));
}
