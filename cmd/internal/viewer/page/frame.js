// The sides of the page: their widths and visibility. On a narrow screen, they are drawers over the middle.
// Also the light and dark theme.
import { fill } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { turned } from "./paper.js";
import { recall, remember } from "./stash.js";

const body = document.body;
const low = matchMedia("(max-width: 64rem) and (max-height: 32rem)"); // as in phone.css
export const narrow = matchMedia("(max-width: 52rem), " + low.media); // as in style.css
const sideways = () => low.matches && import("./load.js").then((m) => m.load("phone.css"));
const all = []; // sides
const get = (id) => document.getElementById(id);

low.onchange = sideways;
await sideways();

// frame initializes the sides and returns a function that opens one.
export function frame() {
  const sides = ["left", "right"].map(side);
  const open = (name) => sides.find((s) => s.name === name).show(true);
  for (const name of ["left", "right"]) fill(get("toggle-" + name), icon(name));
  fill(get("help"), icon("help"));
  theme();
  bind("[", "left side: files and layers", () => sides[0].show(!sides[0].shown, true));
  bind("]", "right side: details", () => sides[1].show(!sides[1].shown, true));
  bind("Escape", undefined, () => {
    const one = narrow.matches && sides.find((s) => s.shown);
    if (!one) return false;
    one.show(false, true);
  });
  // A drawer closes when the user clicks in the middle.
  get("middle").addEventListener("pointerdown", () => narrow.matches && sides[0].shown && sides[0].show(false));
  get("skip").addEventListener("click", (e) => {
    e.preventDefault(); // the address holds the state
    (get("stage").querySelector("[tabindex='0'],button,input") ?? get("middle")).focus();
  });
  return { open };
}

function side(name) {
  const button = get("toggle-" + name), edge = get("edge-" + name), node = get(name);
  const self = {
    name, shown: true,
    // show opens or closes the side. If focus is requested, it moves to the side.
    show(shown, focus) {
      self.shown = shown;
      body.classList.toggle("no-" + name, !shown);
      button.setAttribute("aria-expanded", shown);
      if (!narrow.matches) remember(name, shown);
      else if (shown) for (const other of all) if (other !== self) other.show(false);
      if (focus) (shown ? node.querySelector("[role=treeitem][tabindex='0'],[role=tab][tabindex='0']") ?? node : button).focus();
      dispatchEvent(new Event("resize"));
    },
  };
  all.push(self);
  button.onclick = () => self.show(!self.shown, narrow.matches);
  const usual = () => self.show(narrow.matches ? false : recall(name) !== "false");
  narrow.addEventListener("change", usual);
  usual();

  // The edge is moved with the pointer and the arrow keys. Widths are in rem.
  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [least, most] = [12, 40];
  const resize = (width) => {
    width = Math.min(most, Math.max(least, width));
    body.style.setProperty(`--${name}`, width + "rem");
    edge.setAttribute("aria-valuenow", Math.round(width));
    remember(name + "-width", width);
    dispatchEvent(new Event("resize"));
  };
  const before = Number(recall(name + "-width")) || (name === "left" ? 16 : 22);
  edge.setAttribute("aria-valuemin", least);
  edge.setAttribute("aria-valuemax", most);
  resize(before);
  edge.onpointerdown = (e) => {
    edge.setPointerCapture(e.pointerId);
    const from = e.clientX, width = node.offsetWidth / rem();
    edge.onpointermove = (e) => resize(width + ((name === "left" ? 1 : -1) * (e.clientX - from)) / rem());
  };
  edge.onpointerup = edge.onpointercancel = () => (edge.onpointermove = null);
  edge.onkeydown = (e) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!by) return;
    e.preventDefault();
    resize(Number(edge.getAttribute("aria-valuenow")) + (name === "left" ? by : -by));
  };
  return self;
}

// theme lets the button choose light, dark or the system's theme.
function theme() {
  const names = { auto: "as the system", light: "light", dark: "dark" };
  const button = get("theme");
  const apply = (name) => {
    document.documentElement.dataset.theme = name;
    turned();
    fill(button, icon({ auto: "auto", light: "sun", dark: "moon" }[name]));
    button.setAttribute("aria-label", `Colours: ${names[name]}`);
    button.title = `Colours: ${names[name]}`;
  };
  apply(names[recall("theme")] ? recall("theme") : "auto");
  button.onclick = () => {
    const list = Object.keys(names);
    const next = list[(list.indexOf(document.documentElement.dataset.theme) + 1) % list.length];
    apply(next);
    remember("theme", next);
  };
}
