// What the page is waiting for, shown at the top of the middle: at first, the opening of the file.
import { fill } from "./dom.js";

const box = document.getElementById("busy"), what = document.getElementById("busy-what"), bar = box.querySelector("progress");
const jobs = new Map([["start", {}]]); // the last one is shown; its initial text is in the page

// working shows an activity and, if known, its progress; without a text, the activity is over.
export function working(key, text, done, of) {
  if (text) jobs.set(key, { text, done, of });
  else jobs.delete(key);
  const last = [...jobs.values()].pop();
  box.hidden = !last;
  if (!last?.text) return;
  if (what.textContent !== last.text) fill(what, last.text); // screen readers announce changes
  bar.hidden = !(last.of > 1);
  if (last.of > 1) Object.assign(bar, { max: last.of, value: last.done });
}
