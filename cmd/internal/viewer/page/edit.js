// The list of changes of the file, with buttons for each, and the form for a new one (editform.js).
//
// Nothing is written to the file before the user has confirmed the list. The program applies the list and shows the
// result as the second file of the page.
import { get, json } from "./api.js";
import { set } from "./state.js";
import { el, fill, plural } from "./dom.js";
import { bind } from "./keys.js";
import { edits } from "./edits.js";
import { form } from "./editform.js";
import { dialog } from "./help.js";
import { give } from "./save.js";
import { shots } from "./shots.js";

const most = 200; // changes that are shown at once

export const panel = {
  async open(node, context) {
    const list = await edits(context);
    if (list.now.offer) set({ tab: "edit" }); // it is decided first
    const { operations, texts } = await json(list.address("/operations"), context.signal);
    const head = el("div", { className: "bar" }), notes = el("div"), items = el("ol", { className: "plain edits", "aria-label": "Changes" }), fields = el("div");
    fill(node, head, notes, items, fields);
    const place = document.getElementById("acts");
    const pictures = shots(list);
    let all = false, stale = true;

    async function act(does, says, focus) {
      try {
        await list.act(does);
        if (says) context.say(says);
      } catch (err) {
        context.say(err.message);
        return err;
      }
      focus?.();
    }

    const button = (text, onclick, more = {}) => el("button", { type: "button", onclick, ...more }, text);
    const plainly = (e) => [...e.changes, e.count > e.changes.length && `and ${plural(e.count - e.changes.length, "other change")}`].filter(Boolean);

    // told says in words what a change of the list does.
    const told = (e) => e.title ?? (e.changes.length === 1 && e.count === 1 ? e.changes[0] : operations.find((o) => o.name === e.words?.[0])?.title ?? e.line);

    // draw shows the list when the panel is visible. Of a long list, it shows the end.
    function draw() {
      const { now } = list, wrong = now.list.some((e) => !e.off && e.error);
      context.count(now.list.length || undefined, wrong ? "error" : undefined);
      const ready = now.list.some((e) => !e.off) && !wrong && now.applied;
      const save = place.firstChild ?? place.appendChild(button("", confirm, { className: "strong save" }));
      save.textContent = now.saves ? "Save …" : "Download …";
      save.disabled = !ready || now.outdated;
      pictures.follow();
      if ((stale = !context.visible)) return;
      const from = all ? 0 : Math.max(0, now.list.length - most);
      fill(head,
        button("Undo", () => act({ do: "undo" }, "Undone"), { className: "undo", disabled: !now.undo, title: "Undo (Z)" }),
        button("Redo", () => act({ do: "redo" }, "Redone"), { className: "redo", disabled: !now.redo, title: "Redo (Y)" }),
        el("span", { className: "space" }),
        button("Copy as command", () => copy().catch((err) => context.say(err.message)), { className: "copy-command", disabled: !ready }));
      fill(notes,
        now.offer && el("div", { className: "card offer", role: "status" },
          el("p", {}, `An earlier session left ${plural(now.offer.count, "change")} (${new Date(now.offer.time).toLocaleString()}).`, !now.offer.same && " The file has changed since."),
          el("div", { className: "row" }, button("Continue", () => act({ do: "continue" }), { className: "strong" }), button("Discard", () => act({ do: "discard" })))),
        now.outdated && el("div", { className: "card outdated", role: "alert" }, el("p", {}, "Another program has changed the file. The list still applies to the file as it was."),
          button("Apply the list to the new file", () => act({ do: "reread" }))),
        now.unkept && el("p", { className: "wrong" }, now.unkept),
        from > 0 && button(`Show all ${now.list.length.toLocaleString()} changes`, () => ((all = true), draw())),
        now.saved && el("p", { className: "row" }, unsave()),
        !now.list.length && !now.offer && el("p", { className: "empty" }, `No changes yet. Nothing is written to ${now.name} before you save the list.`));
      const at = document.activeElement?.dataset?.key;
      fill(items, now.list.slice(from).map((e, n) => {
        const i = from + n;
        const key = (what) => ({ dataset: { key: `${e.id} ${what}` } });
        return el("li", { className: e.error && !e.off ? "failed" : e.off ? "off" : "" },
          pictures.of(e), el("label", { className: "check" }, el("input", { type: "checkbox", checked: !e.off, onchange: (x) => act({ do: "switch", id: e.id, off: !x.target.checked }), ...key("on") }), el("span", {}, told(e))),
          el("div", { className: "row" },
            el("span", { className: e.error ? "wrong" : "muted" }, e.off ? "off" : e.error ? e.error : e.title ? "" : plural(e.count, "change")),
            el("span", { className: "space" }),
            button("↑", () => act({ do: "move", id: e.id, to: i - 1 }), { "aria-label": `Earlier: ${e.name}`, title: "Earlier", disabled: i === 0, className: "quiet", ...key("up") }),
            button("↓", () => act({ do: "move", id: e.id, to: i + 1 }), { "aria-label": `Later: ${e.name}`, title: "Later", disabled: i === now.list.length - 1, className: "quiet", ...key("down") }),
            e.words && button("Edit", () => open(e), { "aria-label": `Edit: ${e.name}`, className: "quiet", ...key("edit") }),
            button("Remove", () => act({ do: "remove", id: e.id }, `${e.name} was removed`, () => (items.querySelector("input") ?? fields.querySelector("select"))?.focus()), { "aria-label": `Remove: ${e.name}`, className: "quiet", ...key("remove") })),
          el("details", {}, el("summary", {}, "The command, and what it changes"), el("p", { className: "data line" }, e.line),
            !e.off && el("ul", {}, plainly(e).map((c) => el("li", {}, c)), e.notes.map((c) => el("li", { className: "sev-warning" }, c)))));
      }));
      if (at) [...items.querySelectorAll("[data-key]")].find((b) => b.dataset.key === at && !b.disabled)?.focus();
    }

    // open opens the form: for a new change, perhaps with words to begin with, or for one of the list.
    function open(change, words = change?.words) {
      fill(fields, form(operations, context, words, {
        change: Boolean(change),
        preview: !change && preview,
        names: async (kind) => (await json(list.address("/names", { kind }))).names,
        ghost: (words, view) => json(list.address("/ghost", { words: JSON.stringify(words), view })),
        submit: async (words) => {
          const err = await act(change ? { do: "change", id: change.id, words } : { do: "add", words }, change ? "Changed" : "Added");
          if (err) return err.message;
          const wrong = (change ? list.now.list.find((e) => e.id === change.id) : list.now.list.at(-1))?.error;
          if (wrong) context.say(wrong);
          open();
        },
        cancel: words && (() => open()),
      }), texts.map((t) => button(`${t.title} as text …`, () => import("./textedit.js").then((m) => m.edit(context, list, t)).catch((err) => context.say(err.message)), { className: "as-text" })));
      if (words) fields.querySelector("select").focus();
    }

    // preview shows the picture with a change, which the user then keeps or discards.
    async function preview(words) {
      const err = await act({ do: "add", words });
      if (err) return err.message;
      const { id, error, count } = list.now.list.at(-1);
      if (error) {
        await act({ do: "undo" });
        return error;
      }
      const end = (says, does) => () => (trial.remove(), does ? act(does, says) : context.say(says), fields.querySelector("select").focus());
      const trial = el("div", { className: "card trial", role: "status" }, el("p", {}, `The picture shows ${plural(count, "change")}.`),
        el("div", { className: "row" }, button("Keep", end("Kept"), { className: "strong keep" }), button("Discard", () => end("Discarded", list.now.list.at(-1)?.id === id ? { do: "undo" } : { do: "remove", id })(), { className: "discard" })));
      fields.querySelector(".trial")?.remove();
      fields.prepend(trial);
      trial.querySelector(".keep").focus();
    }

    list.propose = (words) => {
      set({ tab: "edit" }, { push: true });
      open(undefined, words);
    };

    const lines = () => el("ol", { className: "confirm" }, list.now.list.filter((e) => !e.off).map((e) => el("li", {}, pictures.of(e), told(e), !e.title && el("span", { className: "muted" }, ` ${plural(e.count, "change")}`),
      el("details", {}, el("summary", {}, "The command"), el("p", { className: "data line" }, e.line)))));

    // unsave returns a button that restores the file as it was before the save, with the list that was saved.
    const unsave = () => button("Undo the save", async (e) => {
      e.target.disabled = true;
      try {
        list.set((await list.post("/unsave", {})).edit);
        context.say(`${list.now.name} is again as before the save`);
      } catch (err) {
        context.say(err.message);
        e.target.disabled = false;
      }
    }, { className: "unsave" });

    function confirm() {
      const { now } = list;
      const wrong = el("p", { className: "wrong", role: "alert" });
      const yes = button(now.saves ? "Save" : "Download", async () => {
        yes.disabled = true;
        try {
          if (now.saves) {
            const saved = await list.post("/save", {});
            list.set(saved.edit);
            box.close();
            open();
            context.say(`Saved: ${saved.message}`, unsave());
          } else {
            await download();
            box.close();
          }
        } catch (err) {
          wrong.textContent = err.message;
          yes.disabled = false;
        }
      }, { className: "strong yes" });
      const box = dialog(now.saves ? `Save ${now.name}` : `Download ${now.name}`, lines(),
        el("p", { className: "muted" }, now.folder ? "The folder is changed in place, and what changes is kept next to it as a backup." : now.saves ? "The file is replaced, and the old one is kept next to it as a backup." : "The file on the disk stays as it is."), wrong,
        el("div", { className: "row" }, yes, button("Cancel", () => box.close())));
      yes.focus();
    }

    async function download() {
      const answer = await get(list.address("/result"));
      if (!answer.ok) throw new Error((await answer.json()).error);
      give(await answer.blob(), list.now.name);
      dispatchEvent(new Event("downloaded")); // for the page around this one
    }

    async function copy() {
      const { command, script } = await json(list.address("/command"));
      const part = (id, title, help, text) => {
        const area = el("textarea", { id, readOnly: true, rows: Math.min(8, text.split("\n").length + 1), className: "data", value: text });
        return el("section", {}, el("label", { htmlFor: id }, title), el("p", { className: "muted" }, help), area, button("Copy", async (e) => {
          area.select();
          await navigator.clipboard.writeText(text).catch(() => document.execCommand("copy"));
          e.target.textContent = "Copied";
        }));
      };
      dialog("Copy as command", part("command-line", "Command line", "It does the same to this file. Name other files for the same changes to them.", command),
        part("command-script", "Script", "For `trowel edit FILES --script changes.txt`.", script));
    }

    const back = (how, says) => () => void list.back(how).then((did) => did && context.say(says), (err) => context.say(err.message));
    const ends = [bind("Z", "undo the last change of the list", back("undo", "Undone"), { group: "Edit" }),
      bind("Y", "redo it", back("redo", "Redone"), { group: "Edit" }), list.watch(draw)];
    draw();
    open();
    return {
      update: (changed) => changed.has("visible") && stale && draw(),
      close() {
        for (const end of ends) end();
        pictures.close();
        fill(place);
      },
      focus: () => fields.querySelector("select").focus(),
    };
  },
};
