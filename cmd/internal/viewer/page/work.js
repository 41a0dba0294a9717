// What the page waits for, in sight at the top of the middle: at first that the file is opened.
import { fill } from "./dom.js";

const box = document.getElementById("busy"), what = document.getElementById("busy-what"), bar = box.querySelector("progress");
const jobs = new Map([["start", {}]]); // the last one is shown; what it says at first is in the page

// working says what is going on, and how much of it is done if somebody knows; without a text it is over.
export function working(key, text, done, of) {
  if (text) jobs.set(key, { text, done, of });
  else jobs.delete(key);
  const last = [...jobs.values()].pop();
  box.hidden = !last;
  if (!last?.text) return;
  if (what.textContent !== last.text) fill(what, last.text); // it is read out loud
  bar.hidden = !(last.of > 1);
  if (last.of > 1) Object.assign(bar, { max: last.of, value: last.done });
}
