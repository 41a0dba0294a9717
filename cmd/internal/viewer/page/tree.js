// The tree of the file: the file itself at the top, then its entries, page by page.
import { ask } from "./api.js";
import { state } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";

export const panel = {
  name: "files", title: "Files",
  async open(node, context) {
    const tree = el("ul", { className: "tree", role: "tree", "aria-label": "Files", onkeydown: key });
    const top = item({ name: context.doc.name, path: "", dir: true, scene: context.doc.scene }, 1);
    fill(node, tree);
    tree.append(top);
    top.querySelector(".row").tabIndex = 0;
    await expand(top);
    await reveal();

    function item(entry, level) {
      const row = el("div", { className: "row", tabIndex: -1, role: "treeitem", title: entry.name, "aria-level": level, onclick: () => (focus(row), choose(li)), dataset: { level } },
        el("span", { className: "turn" }, entry.dir ? icon("more") : []), icon(entry.dir ? (entry.path ? "folder" : entry.scene ? "picture" : "file") : entry.scene ? "picture" : "file"), el("span", { className: "name" }, entry.name));
      row.style.setProperty("--level", level);
      if (entry.scene && entry.path) row.append(el("span", { className: "hint" }, "picture"));
      if (entry.dir) row.setAttribute("aria-expanded", "false");
      const li = el("li", { role: "none" }, row);
      li.entry = entry;
      return li;
    }

    // expand loads the first page of a folder; add loads the next page.
    async function expand(li) {
      if (li.group) return;
      li.group = el("ul", { role: "group" });
      li.append(li.group);
      li.firstChild.setAttribute("aria-expanded", "true");
      await add(li);
    }
    async function add(li) {
      const { group, entry } = li, after = group.querySelectorAll(":scope > li:not(.more)").length;
      const old = group.querySelector(":scope > .more");
      try {
        const page = await context.busy("files", ask(context.doc.id, "tree", { path: entry.path, after }, context.signal));
        const level = Number(li.firstChild.dataset.level) + 1;
        old?.remove();
        group.append(...page.entries.map((e) => item({ ...e, path: entry.path ? `${entry.path}/${e.name}` : e.name }, level)));
        if (page.more) {
          const more = item({ name: `More of ${entry.name} …` }, level);
          more.className = "more";
          more.of = li;
          group.append(more);
        } else if (!after && !page.entries.length) group.append(el("li", { role: "none", className: "empty" }, "empty"));
        if (old?.contains(document.activeElement) || old?.firstChild.tabIndex === 0) focus(group.children[after]?.firstChild);
      } catch (err) {
        if (err.name === "AbortError") return;
        fill(group, el("li", { role: "none", className: "wrong" }, err.message));
      }
      mark();
    }
    function collapse(li) {
      li.group?.remove();
      li.group = undefined;
      li.firstChild.setAttribute("aria-expanded", "false");
      if (!tree.querySelector("[tabindex='0']")) li.firstChild.tabIndex = 0;
    }
    function choose(li) {
      const { entry } = li;
      if (li.of) return add(li.of);
      if (entry.dir && entry.path) return li.group ? collapse(li) : expand(li);
      context.go({ path: entry.path, mode: undefined, line: undefined, at: undefined, view: undefined, layers: undefined, x: undefined, y: undefined, z: undefined });
    }
    function focus(row) {
      if (!row) return;
      for (const other of tree.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
      row.tabIndex = 0;
      row.focus();
    }
    // mark highlights the chosen entry.
    function mark() {
      for (const row of tree.querySelectorAll(".row")) {
        const on = !row.parentNode.of && row.parentNode.entry.path === (state().path ?? "");
        row.setAttribute("aria-selected", on);
      }
    }
    // reveal opens the folders above the chosen entry, as far as their first pages contain them.
    async function reveal() {
      const parts = (state().path ?? "").split("/").slice(0, -1);
      let li = top;
      for (const [i] of parts.entries()) {
        const path = parts.slice(0, i + 1).join("/");
        li = [...li.group.children].find((c) => c.entry?.path === path);
        if (!li) break;
        await expand(li);
      }
      mark();
      tree.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    }
    function key(e) {
      const rows = [...tree.querySelectorAll(".row")], i = rows.indexOf(document.activeElement);
      if (i < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
      const li = rows[i].parentNode, up = li.parentNode.closest("li")?.firstChild;
      const letter = e.key.length === 1 && /[\p{L}\p{N}_]/u.test(e.key) && !e.shiftKey;
      if (e.key === "ArrowDown") focus(rows[i + 1]);
      else if (e.key === "ArrowUp") focus(rows[i - 1]);
      else if (e.key === "Home") focus(rows[0]);
      else if (e.key === "End") focus(rows.at(-1));
      else if (e.key === "ArrowRight") li.entry.dir && (li.group ? focus(rows[i + 1]) : expand(li));
      else if (e.key === "ArrowLeft") li.group ? collapse(li) : focus(up);
      else if (e.key === "Enter" || e.key === " ") choose(li);
      else if (letter) focus([...rows.slice(i + 1), ...rows.slice(0, i)].find((r) => r.title.toLowerCase().startsWith(e.key.toLowerCase())));
      else return;
      e.preventDefault();
      e.stopPropagation();
    }

    // again reloads the open folders.
    async function again() {
      top.querySelector(".name").textContent = top.firstChild.title = context.doc.name;
      const open = [...tree.querySelectorAll("li")].filter((li) => li.group).map((li) => li.entry.path);
      const at = tree.querySelector("[tabindex='0']")?.parentNode.entry?.path, focused = tree.contains(document.activeElement);
      collapse(top);
      for (const path of open) {
        const li = [...tree.querySelectorAll("li")].find((l) => l.entry?.path === path);
        if (li) await expand(li);
      }
      const row = [...tree.querySelectorAll(".row")].find((r) => r.parentNode.entry?.path === at);
      if (row && focused) focus(row);
      mark();
    }
    return { update: (changed) => (changed.has("doc") ? again() : changed.has("path") ? reveal() : undefined), focus: () => tree.querySelector("[tabindex='0']").focus() };
  },
};
