// Groups of panels: behind tabs, or one below another.
import { el, fill } from "./dom.js";
import { state, set } from "./state.js";
import { icon } from "./icons.js";

// Panes opens, updates and closes the panels that apply. With a bar, they are behind tabs, and state()[key]
// names the chosen one; without a bar, all are visible.
export class Panes {
  constructor(context, panels, { bar, stage, key, tools }) {
    Object.assign(this, { context, bar, stage, key, tools, open: new Map() });
    this.panels = panels;
    bar?.addEventListener("keydown", (e) => this.move(e));
  }

  get applying() {
    return this.panels.filter((p) => (this.context.doc || p.alone) && (!p.applies || p.applies(this.context)));
  }

  // chosen is the panel whose tab is selected.
  get chosen() {
    const list = this.applying;
    return list.find((p) => p.name === state()[this.key]) ?? list.find((p) => p.usual?.(this.context)) ?? list[0];
  }

  // refresh adapts the panels to the current choice and passes the changes to them.
  refresh(changed) {
    const list = this.applying, chosen = this.chosen;
    // Panels that failed are retried when the file has changed.
    for (const [name, one] of this.open) if (!list.includes(one.panel) || (one.failed && changed.has("doc"))) this.close(name);
    if (this.bar) this.drawTabs(list, chosen);
    for (const panel of list) {
      const wanted = !this.bar || panel === chosen;
      const old = this.open.get(panel.name), one = old ?? (wanted || panel.eager?.(this.context) ? this.start(panel) : undefined);
      if (!one) continue;
      const visible = wanted && one.box.hidden;
      hide(one, !wanted); // before the update: hidden nodes have no size
      if (!old) continue; // a new panel is already up to date
      const news = [...(one.missed ?? []), ...changed, ...(visible ? ["visible"] : [])];
      if (one.ready && (wanted || panel.eager?.(this.context))) this.update(one, news);
      else one.missed = news;
    }
    // In the order of the panels. Nodes in the right place are not moved, because they would lose the focus.
    let last = null;
    for (const p of list) {
      const box = this.open.get(p.name)?.box;
      if (!box) continue;
      if (box.previousElementSibling !== last) this.stage.insertBefore(box, last ? last.nextSibling : this.stage.firstChild);
      last = box;
    }
  }

  start(panel) {
    const id = "pane-" + panel.name;
    const node = el("div", { className: `pane pane-${panel.name}` });
    let box = node;
    if (this.bar) {
      Object.assign(node, { id, role: "tabpanel" });
      node.setAttribute("aria-labelledby", "tab-" + panel.name);
    } else {
      const count = el("span", { className: "count" });
      box = el("details", { className: "section", open: true }, el("summary", {}, el("h2", {}, panel.title), count), node);
      node.count = count;
    }
    const stop = new AbortController();
    const tools = this.tools && el("div", { className: "tools" });
    if (tools) this.tools.append(tools);
    const one = { panel, box, node, tools, stop };
    one.context = Object.create(this.context, {
      tools: { value: tools }, signal: { value: stop.signal },
      count: { value: (n, severity) => this.count(one, n, severity) },
      waits: { value: (promise) => { // told by the tab, not over the picture, if it takes long
        const timer = setTimeout(() => this.count(one, "…"), 300);
        return promise.finally(() => (clearTimeout(timer), one.counted?.n === "…" && this.count(one)));
      } },
      show: { value: (shown) => stop.signal.aborted || this.context.show(shown) },
      visible: { get: () => !box.hidden },
    });
    this.open.set(panel.name, one);
    this.stage.append(box);
    this.fillIn(one);
    return one;
  }

  async fillIn(one) {
    const { panel, node, stop } = one;
    try {
      one.does = (await this.context.busy(panel.title, panel.open(node, one.context))) ?? {};
    } catch (err) {
      one.does = {};
      this.fail(one, err);
    }
    one.ready = true;
    if (stop.signal.aborted) one.does.close?.();
    else if (one.missed?.length && !one.failed) this.update(one, one.missed);
  }

  async update(one, news) {
    one.missed = undefined;
    try {
      if (!news.length || !one.does.update) return;
      await one.does.update(new Set(news));
      one.failed = false;
    } catch (err) {
      this.fail(one, err);
    }
  }

  fail(one, err) {
    if (one.stop.signal.aborted || err.name === "AbortError") return;
    one.failed = true;
    this.context.failed(one.node, err);
  }

  close(name) {
    const one = this.open.get(name);
    this.open.delete(name);
    one.stop.abort();
    if (one.ready) one.does.close?.();
    one.box.remove();
    one.tools?.remove();
  }

  reset() {
    for (const name of [...this.open.keys()]) this.close(name);
  }

  // whenReady waits for the panels that are being opened.
  async whenReady() {
    while ([...this.open.values()].some((one) => !one.ready)) await pause();
  }

  async focus(name) {
    const one = this.open.get(name);
    while (one && !one.ready) await pause();
    if (one?.does?.focus) one.does.focus();
    else (one?.node.querySelector("input,button,[tabindex],a") ?? this.bar?.querySelector("[aria-selected=true]"))?.focus();
  }

  count(one, n, severity) {
    one.counted = { n, severity };
    const node = this.bar ? this.bar.querySelector(`#tab-${one.panel.name} .count`) : one.node.count;
    if (node) drawCount(node, one.counted);
  }

  drawTabs(list, chosen) {
    const names = list.map((p) => p.name).join();
    if (this.drawn !== names) {
      this.drawn = names;
      fill(this.bar, list.map((p) => {
        const count = el("span", { className: "count" });
        const one = this.open.get(p.name);
        if (one?.counted) drawCount(count, one.counted);
        return el("button", { type: "button", role: "tab", id: "tab-" + p.name, "aria-controls": "pane-" + p.name, onclick: () => set({ [this.key]: p.name }, { push: this.key === "mode" }) }, el("span", {}, p.title), el("span", { className: "of" }, p.icon && icon(p.icon), count));
      }));
    }
    for (const [i, tab] of [...this.bar.children].entries()) {
      const on = list[i] === chosen;
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
    }
    this.bar.hidden = list.length < 2;
  }

  move(e) {
    const tabs = [...this.bar.children], i = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[e.key];
    if (i < 0 || to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    const next = tabs[(to + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }
}

const pause = () => new Promise((r) => setTimeout(r, 20));

function hide({ box, tools }, hidden) {
  box.hidden = hidden;
  if (tools) tools.hidden = hidden;
}

function drawCount(node, { n, severity }) {
  node.textContent = n ?? "";
  node.className = "count" + (severity ? " sev-" + severity : "");
}
