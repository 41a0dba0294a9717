// What a file is, for a picture in which no place is chosen.
import { ask } from "./api.js";
import { set } from "./state.js";
import { el, plural } from "./dom.js";
import { icon } from "./icons.js";

// The facts that people ask for first.
const first = ["title", "name", "author", "description", "credits", "license", "modVersion", "mapVersion", "game", "width", "height", "extent", "files", "players"];

// brief returns the most important facts of the file, the number of its findings, and three things to try.
export async function brief(context) {
  const { doc, shown, entry } = context;
  const known = doc.info.filter((f) => first.includes(f.key) && ["string", "number"].includes(typeof f.value) && f.value !== "").sort((a, b) => first.indexOf(a.key) - first.indexOf(b.key));
  const { counts } = context.session.edit === undefined ? await ask(doc.id, "check", {}, context.signal).catch(() => ({})) : {};
  const found = counts && Object.entries(counts).filter(([, n]) => n).map(([severity, n]) => plural(n, severity === "info" ? "note" : severity)).join(", ");
  const tries = [
    shown?.toCamera && ["camera", shown.scene.sights ? "See it from the ground" : "See it as in the game", () => shown.toCamera()],
    shown?.toTurn && ["turn", "Turn it", () => shown.toTurn()],
    shown?.player && ["play", "Let it play", () => shown.player.toggle()],
    entry.table && context.mode !== "table" && ["text", "Read its table", () => context.go({ mode: "table" })],
    ["search", "Search in it", () => set({ tab: "search" })],
    !shown && ["picture", "See its picture", () => context.go({ mode: "picture" })],
    shown && ["download", "Keep what is seen as PNG", async () => (await import("./save.js")).save(context, shown)],
  ].filter(Boolean).slice(0, 3);
  const button = (name, text, onclick) => el("button", { type: "button", onclick }, name && icon(name), text);
  return el("div", { className: "brief" }, el("h2", {}, doc.name), el("p", { className: "muted" }, doc.title), el("dl", {}, known.flatMap((f) => [el("dt", {}, f.label), el("dd", {}, String(f.value))])),
    el("p", { className: "row" }, counts && button(undefined, found || "No findings", () => set({ tab: "findings" })), button("info", "All about it", () => set({ tab: "about" }))),
    el("h3", {}, "Three things to try"), shown && el("p", { className: "muted" }, "Click into the picture, or press Enter in it: all that is at that place is reported here."),
    el("p", { className: "tries" }, tries.map((t) => button(...t))));
}
