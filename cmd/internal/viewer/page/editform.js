// The form of an operation, made from its declaration. Boxes and places can be pointed at in the picture.
import { el, fill } from "./dom.js";
import { box, boxOfNodes, node, place } from "./pick.js";

let last; // the operation chosen last

// form returns the form of an operation with the given words. tools are names(kind), submit(words) and
// preview(words), which return a message if the words are wrong, ghost(words, view) and cancel(); change reports whether the words are of the list.
export function form(operations, context, words, tools) {
  const grouped = Map.groupBy ? Map.groupBy(operations, (o) => o.heading) : operations.reduce((m, o) => m.set(o.heading, [...(m.get(o.heading) ?? []), o]), new Map());
  const groups = [...grouped].sort((a, b) => b[1].length - a[1].length); // the largest group is first
  const choose = el("select", { id: "operation", required: true, onchange: () => draw() });
  // list fills the list with the operations that have all words.
  const list = (text) => {
    const words = text.toLowerCase().split(/\s+/), has = (o) => words.every((w) => `${o.name} ${o.title} ${o.long} ${o.heading}`.toLowerCase().includes(w));
    const found = groups.map(([heading, all]) => [heading, all.filter(has)]).filter(([, all]) => all.length);
    fill(choose, !text && el("option", { value: "" }, "Choose an operation"), found.map(([heading, all]) => el("optgroup", { label: heading || "Operations" }, all.map((o) => el("option", { value: o.name }, `${o.title} (${o.name})`)))));
    return found.length > 0;
  };
  const find = el("input", { type: "search", id: "find-operation", placeholder: "Find an operation", "aria-label": "Find an operation with these words", oninput: () => {
    if (list(find.value)) draw();
    else wrong.textContent = "No operation has these words.";
  } });
  list("");
  const about = el("p", { className: "muted" }), body = el("div"), wrong = el("p", { className: "wrong", role: "alert" });
  let read = () => [];
  if (operations.some((o) => o.name === (words?.[0] ?? last))) choose.value = words?.[0] ?? last;

  function draw() {
    const o = operations.find((x) => x.name === choose.value);
    wrong.textContent = "";
    if (!o) return fill(about, "Find what should change by a word, such as layer or mirror, or choose it from the list."), fill(body), (read = () => []);
    last = o.name;
    fill(about, o.title + ".", o.long && " " + o.long);
    const given = words?.[0] === o.name ? parse(o, words) : new Map();
    // ghost returns the picture of what the operation places, if the form is complete except for the place.
    const ghost = (view) => tools.ghost(read("0,0,0"), view).catch(() => undefined);
    const all = [...o.args.map((v) => [v, true]), ...o.options.map((v) => [v, false])].map(([v, arg]) => ({ v, arg, ...field(v, given.get(v.name), context, { ...tools, ghost }) }));
    const rare = all.filter((f) => !f.arg), open = rare.length <= 4 || rare.some((f) => given.has(f.v.name));
    fill(body, all.filter((f) => f.arg).map((f) => f.node), rare.length > 0 && el("details", { open }, el("summary", {}, "Options"), rare.map((f) => f.node)));
    read = (at) => {
      const options = [], args = [];
      for (const { v, arg, values } of all) {
        for (const value of at && v.form === "x,y,z" ? [at] : values()) {
          if (arg) args.push(value);
          else options.push(v.type === "bool" ? `--${v.name}` : `--${v.name}=${value}`);
        }
      }
      return [o.name, ...options, ...(args.some((a) => a.startsWith("--")) ? ["--"] : []), ...args];
    };
  }
  draw();
  return el("form", { className: "edit-form", onsubmit: async (e) => {
    e.preventDefault();
    wrong.textContent = (await tools.submit(read())) ?? "";
  } }, el("h3", {}, tools.change ? "Edit the change" : "New change"), el("label", { htmlFor: "operation" }, "Operation"), !tools.change && find, choose, about, body, wrong,
  el("div", { className: "row" }, el("button", { type: "submit", className: "strong" }, tools.change ? "Change" : "Add"), tools.preview && el("button", { type: "button", className: "preview", title: "Show the picture with it", onclick: async (e) => e.target.form.reportValidity() && (wrong.textContent = (await tools.preview(read())) ?? "") }, "Preview"), tools.cancel && el("button", { type: "button", onclick: tools.cancel }, "Cancel")));
}

// parse returns the values in the words of an operation, by the names of its arguments and options.
function parse(o, words) {
  const values = new Map();
  const add = (name, value) => values.set(name, [...(values.get(name) ?? []), value]);
  let plain = false, arg = 0;
  for (let i = 1; i < words.length; i++) {
    const word = words[i];
    if (word === "--" && !plain) plain = true;
    else if (word.startsWith("--") && !plain) {
      const [, name, , value] = /^--([^=]*)(=([^]*))?$/.exec(word), v = o.options.find((x) => x.name === name);
      add(name, value ?? (v?.type === "bool" ? "true" : words[++i]));
    } else {
      add(o.args[arg]?.name, word);
      if (!o.args[arg]?.list) arg++;
    }
  }
  return values;
}

// field returns the node of a value, and a function that returns the chosen values.
function field(v, given, context, tools) {
  const id = "edit-" + v.name, help = el("p", { className: "muted help", id: id + "-help" }, v.help);
  const label = el("label", { htmlFor: id }, v.name);
  const described = { id, "aria-describedby": id + "-help" };
  if (v.type === "bool") {
    const input = el("input", { type: "checkbox", checked: given?.[0] === "true", ...described });
    return { node: el("div", { className: "field-of" }, el("label", { className: "check" }, input, v.name), help), values: () => (input.checked ? ["true"] : []) };
  }
  if (v.choices) {
    const none = !v.needed || v.default !== undefined;
    const input = el("select", described, none && el("option", { value: "" }, v.default ? `${v.default} (default)` : "–"), v.choices.map((c) => el("option", { value: c }, c)));
    input.value = given?.[0] ?? (none ? "" : v.choices[0]);
    return { node: el("div", { className: "field-of" }, label, input, help), values: () => (input.value ? [input.value] : []) };
  }
  const several = v.list;
  const input = several ? el("textarea", { rows: 2, spellcheck: false, placeholder: "one on each line", value: given?.join("\n") ?? "", ...described })
    : el("input", { type: "text", inputMode: v.type === "integer" ? "numeric" : v.type === "number" ? "decimal" : undefined, spellcheck: false, autocomplete: "off", placeholder: v.default ?? "", value: given?.[0] ?? "", required: v.needed, ...described });
  const put = (text) => {
    input.value = several && input.value.trim() ? `${input.value.trim()}\n${text}` : text;
    input.focus();
  };
  const helps = [];
  if (v.names) helps.push(names(v, input, put, several, tools));
  const pick = v.form === "x1,y1:x2,y2" ? box : v.form === "x1,y1,z1:x2,y2,z2" && v.name === "box" ? (c) => boxOfNodes(c, input.value)
    : v.form === "x,y,z" ? (c) => node(c, tools.ghost) : v.form === "x,y" ? place : undefined;
  if (pick) helps.push(pointer(pick === box || v.name === "box" ? "Box in the picture" : "Place in the picture", pick, context, put));
  return { node: el("div", { className: "field-of" }, label, input, helps, help), values: () => (several ? input.value.split("\n").map((t) => t.trim()).filter(Boolean) : input.value === "" ? [] : [input.value]) };
}

const pointer = (title, pick, context, put) => el("button", { type: "button", onclick: async () => {
  if (!context.shown?.map) return context.say("Open the picture first.");
  const text = await pick(context);
  if (text) put(text);
} }, title);

// names offers the names of the file: as suggestions while the user types, or in a list to add from.
function names(v, input, put, several, tools) {
  let asked;
  const ask = () => (asked ??= tools.names(v.names).catch(() => []));
  if (several) {
    const list = el("select", { "aria-label": `Add to ${v.name}`, onchange: () => {
      if (list.value) put(list.value);
      list.value = "";
    } }, el("option", { value: "" }, "Add …"));
    ask().then((all) => list.append(...all.map((n) => el("option", { value: n }, n))));
    return list;
  }
  const list = el("datalist", { id: `names-${v.name}` });
  input.setAttribute("list", list.id);
  ask().then((all) => fill(list, all.map((n) => el("option", { value: n }))));
  return list;
}
