// Coordinates, as people say them. An axis that grows the other way than the picture has a minus
// before its name: the cell from v to v+1 of it is the one that people call -v-1.
const back = (axis) => axis.startsWith("-");
const nameOf = (axis) => axis.replace("-", "");

const cellOf = (axis, v) => (back(axis) ? -1 - Math.floor(v) : Math.floor(v)) + 0;

// say names the cell at a point of a view: "x 161  y 37", or shorter "161,37".
export const say = ({ axes }, point) => axes.map((axis, i) => `${nameOf(axis)} ${cellOf(axis, point[i])}`).join("  ");
export const brief = ({ axes }, point) => axes.map((axis, i) => cellOf(axis, point[i])).join(",");

// pointOf is the inverse: the middle of a cell, or what a number with a fraction means. Of three
// numbers it takes those of the axes that the view has. It returns a text that says what is wrong.
export function pointOf({ axes }, text) {
  const numbers = text.replace(/[()]/g, "").trim().split(/\s*[,;\s]\s*/).map((t) => (t === "" ? NaN : Number(t)));
  const names = axes.map(nameOf);
  const usual = `${names.join(",")} such as 161,37`;
  if (numbers.length < 2 || numbers.length > 3 || !numbers.every((n) => Math.abs(n) < 2 ** 31)) return `Expected ${usual}${names.every((n) => "xyz".includes(n)) ? ", or x,y,z" : ""}.`;
  const own = numbers.length === 3 ? names.map((n) => numbers["xyz".indexOf(n)]) : numbers;
  if (own.includes(undefined)) return `This view has no x, y and z: expected ${usual}.`;
  return own.map((n, i) => (back(axes[i]) ? -1 : 1) * (Number.isInteger(n) ? n + 0.5 : n));
}
