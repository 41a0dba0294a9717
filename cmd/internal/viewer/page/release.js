// What is against the release of a file, by the written rules of a community.
//
// Keys of the state read here: rules (the name of the rules), type (of the file, for the rules).
import { ask } from "./api.js";
import { state, set } from "./state.js";
import { el, fill } from "./dom.js";
import { severity } from "./icons.js";
import { on } from "./live.js";
import { count } from "./rows.js";
import { sceneOf, visit } from "./findings.js";
import { dialog } from "./help.js";
import { give } from "./save.js";

const chips = 12; // places of a finding that are listed
const order = ["error", "warning", "info"];

export const panel = {
  async open(node, context) {
    const { checks } = context.doc;
    const rules = () => state().rules ?? checks.rules[0];
    let answer, scene = {}, again, chosen, wanted, list = [];
    const head = el("div"), body = el("div", { className: "kinds" });
    fill(node, head, body);

    async function load() {
      clearTimeout(again);
      scene = sceneOf(context);
      const asked = { ...scene, run: 1, "check.rules": rules(), ...(state().type ? { "check.type": state().type } : {}) };
      const asking = ask(context.doc.id, "check", asked, context.signal);
      answer = await (answer ? asking : context.waits(asking));
      list = (answer.findings ?? []).filter((f) => f.rule).sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
      const broken = list.filter((f) => f.rule.binds && f.severity !== "info").length;
      context.count(answer.state === "done" ? broken || undefined : undefined, "warning");
      draw();
      const found = wanted && scene.where && list.find((f) => f.message === wanted[0]);
      if (found) choose(found, wanted[1]);
      if (answer.state === "running") again = setTimeout(() => load().catch((err) => context.failed(node, err)), 1000);
    }
    const select = (title, key, values, usual) => el("label", {}, title, el("select", { name: key, onchange: (e) => set({ [key]: e.target.value }) }, usual !== undefined && el("option", { value: "" }, usual), values.map((v) => el("option", { value: v, selected: v === (key === "rules" ? rules() : state()[key]) }, v))));
    function draw() {
      const focused = head.contains(document.activeElement) ? document.activeElement.name : undefined;
      fill(head, select("Rules", "rules", checks.rules), checks.type && select("Type", "type", checks.type, "as its settings say"));
      if (focused) head.querySelector(`[name=${focused}]`)?.focus();
      const named = list.filter((f) => f.rule.name), persons = list.filter((f) => !f.rule.name);
      const binds = named.filter((f) => f.rule.binds), broken = binds.filter((f) => f.severity !== "info");
      fill(body,
        answer.state === "running" ? el("p", { className: "running" }, el("span", { className: "spin" }), el("span", {}, "Checking")) : el("p", {}, el("strong", {}, broken.length ? `${count.format(broken.length)} ${broken.length === 1 ? "finding" : "findings"} against a binding rule.` : "As far as a program can see, no binding rule is broken; a person must still check the map.")),
        context.doc.ready && el("p", {}, button("Make it ready …", () => ready().catch((err) => context.say(err.message)), { className: "ready" })),
        part("Against binding rules", binds), part("Against advice", named.filter((f) => !f.rule.binds)),
        persons.length > 0 && [el("h3", {}, "For a person to check"), el("ul", { className: "notes" }, persons.flatMap((f) => f.message.replace(/^[^:]*: /, "").split("; ")).map((text) => el("li", {}, text)))]);
      mark();
    }
    // ready shows what would make the file smaller, and offers the new file.
    async function ready() {
      const made = await context.busy("the new file", ask(context.doc.id, "ready", {}, context.signal));
      const done = el("p", {}, made.file ? ["The file has ", el("strong", {}, `${count.format(made.after)} bytes`), ` instead of ${count.format(made.before)}. It looks the same, to the pixel; how it plays was compared.`] : "The file is as small as this program can make it.");
      const box = dialog("Make it ready", done, el("ul", { className: "notes" }, [...made.changes.slice(0, -1), ...made.notes].map((text) => el("li", {}, text))),
        el("p", { className: "muted" }, "What stands against its release stays: only you can change that."),
        el("div", { className: "row" }, made.file && button("Download", () => {
          give(new Blob([Uint8Array.from(atob(made.file), (c) => c.charCodeAt(0))]), context.doc.name);
          box.close();
        }, { className: "strong yes" }), button(made.file ? "Cancel" : "Close", () => box.close())));
      box.querySelector(".row button").focus();
    }
    const button = (text, onclick, more) => el("button", { type: "button", onclick, ...more }, text);
    const part = (title, findings) => findings.length > 0 && [el("h3", {}, title), el("ul", { className: "plain" }, findings.map(item))];
    const item = (f) => el("li", { className: f === chosen ? "chosen" : "" },
      el("button", { type: "button", className: "link what", "aria-current": f === chosen ? "true" : undefined, onclick: () => choose(f, 0) }, severity(f.severity), el("span", {}, " " + f.message)),
      el("span", { className: "muted" }, f.rule.name),
      f.places.length > 1 && el("span", { className: "places" }, f.places.slice(0, chips).map((p, i) => el("button", { type: "button", className: "link data", onclick: () => choose(f, i) }, p.text)), f.count > chips && el("span", { className: "muted" }, `of ${count.format(f.count)}`)));
    function choose(f, i) {
      chosen = f;
      const place = f.places[i];
      wanted = place && !visit(context, scene, place) ? [f.message, i] : undefined; // the picture is not there yet
      context.say(`${f.severity}: ${f.message}${place?.text ? `, at ${place.text}` : ""}`);
      draw();
    }
    // mark marks the places of the chosen finding in the picture, or those of all warnings.
    function mark() {
      const marks = [];
      for (const f of chosen ? [chosen] : list.filter((f) => f.severity !== "info")) {
        for (const p of f.places) if (p.where) marks.push({ where: p.where, kind: f.severity, label: `${f.severity}: ${f.message}`.slice(0, 200) });
      }
      context.shown?.mark?.("release", marks);
    }
    const stop = on("findings", (e) => e.file === context.doc.id && load().catch(() => {}));
    await load();
    let before = JSON.stringify(scene);
    return {
      update(changed) {
        const now = JSON.stringify(sceneOf(context));
        if (changed.has("doc") || changed.has("rules") || changed.has("type") || (context.shown && now !== before)) {
          before = now;
          chosen = undefined;
          return load();
        }
        if (changed.has("shown")) mark();
      },
      close() {
        clearTimeout(again);
        stop();
        context.shown?.mark?.("release", []);
      },
    };
  },
};
