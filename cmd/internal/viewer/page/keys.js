// Key bindings. Help lists the same bindings.
const table = [];

// bind binds keys: "n", or "+ =" for several; modifiers such as Shift+ precede the key. Bindings whose when()
// is true have precedence, then the latest ones. Without run, a binding is only listed in help. The returned
// function removes the binding.
export function bind(keys, help, run, { group = "Page", when } = {}) {
  const one = { keys: keys.split(" "), help, run, group, when };
  table.unshift(one);
  return () => table.splice(table.indexOf(one), 1);
}

// bound returns the bindings for help, by group.
export function bound() {
  const groups = new Map();
  for (const { keys, help, group, when } of [...table].reverse()) {
    if (!help || (when && !when())) continue;
    groups.set(group, [...(groups.get(group) ?? []), { keys, help }]);
  }
  return groups;
}

const typing = (node) => node.closest?.("input:not([type=checkbox]):not([type=radio]):not([type=range]),textarea,select,[contenteditable]");

addEventListener("keydown", (e) => {
  if (e.defaultPrevented || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key !== "Escape" && (typing(e.target) || document.querySelector("dialog[open]"))) return;
  const name = e.shiftKey && e.key.length > 1 ? "Shift+" + e.key : e.key;
  const fit = table.filter((b) => b.run && b.keys.includes(name) && (!b.when || b.when())), one = fit.find((b) => b.when) ?? fit[0];
  if (one && one.run(e) !== false) e.preventDefault();
});
