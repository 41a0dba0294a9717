// Events of the program: the file has changed or is broken, or the program has ended.
import { events } from "./door.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";

const banners = { lost: document.getElementById("lost"), broken: document.getElementById("broken"), damage: document.getElementById("damage") };
const banner = (name, ...content) => fill(banners[name], content.length ? el("div", { className: "banner" }, icon(name === "lost" ? "error" : "warning"), ...content) : []);

// broken shows that the displayed edition is older than the file on the disk, and the reason.
export function broken(context, message) {
  banner("broken", ...(message ? [el("p", {}, el("strong", {}, `${context.doc?.name ?? "The file"} cannot be read now. `), "What was there before is still shown. ", el("span", { className: "data" }, message))] : []));
}

// damage shows the first loss, in the sentence of the command line.
export function damage(doc, show) {
  banner("damage", ...(doc?.damage ? [el("p", {}, el("strong", {}, `Not all of ${doc.name} can be read. `), "The rest is shown. ", el("span", { className: "data" }, doc.damage)), el("button", { type: "button", className: "link", onclick: show }, "Findings")] : []));
}

let source;
const listeners = new Map();

// on calls back with the data of an event: "findings", "tile" and others.
export function on(name, f) {
  const call = (e) => f(JSON.parse(e.data));
  listeners.set(f, [name, call]);
  source?.addEventListener(name, call);
  return () => {
    listeners.delete(f);
    source?.removeEventListener(name, call);
  };
}

// listen connects to the program and calls reload when the shown file has changed.
export function listen(context, reload) {
  let tries = 0, lost = false;
  // The first event contains the changes so far: after an interruption, or before the page connected.
  on("hello", (e) => {
    const { doc } = context;
    if (!doc) return;
    if (lost || (e.generations[doc.id] ?? 1) !== doc.generation) reload();
    else broken(context, e.broken[doc.id]);
    lost = false;
  });
  const mine = (e) => e.file === context.doc?.id;
  on("changed", (e) => {
    if (!mine(e)) return;
    if (e.file !== context.session.edit) context.say(`${context.doc.name} has changed`);
    reload();
  });
  on("broken", (e) => mine(e) && broken(context, e.message));
  const connect = () => {
    source = events();
    for (const [name, call] of listeners.values()) source.addEventListener(name, call);
    source.onopen = () => {
      banner("lost");
      tries = 0;
    };
    source.onerror = async () => {
      source.close();
      lost = true;
      if (++tries === 1) await new Promise((r) => setTimeout(r, 500));
      else banner("lost", el("p", {}, "The connection to the program is lost. Trying again …"));
      if (tries > 1) await new Promise((r) => setTimeout(r, 1000 * tries));
      if (tries < 4) return connect();
      banner("lost", el("p", {}, el("strong", {}, "The program has ended. "), "What is here stays, but nothing more can be loaded: start it again, and it opens a new page."),
        el("button", { type: "button", onclick: () => { tries = 1; connect(); } }, "Try again"));
    };
  };
  connect();
  addEventListener("pagehide", () => source.close());
}
