// The keys. What binds them is also what help tells.
const table = [];

// bind lets keys do something: "n", or "+ =" for any of some; Shift+ and such stand before a
// name. What has a when() that holds comes first, then what was bound last. Without run it is
// only told by help. The function that it returns takes the keys away again.
export function bind(keys, help, run, { group = "Page", when } = {}) {
  const one = { keys: keys.split(" "), help, run, group, when };
  table.unshift(one);
  return () => table.splice(table.indexOf(one), 1);
}

// bound lists what help tells, by group.
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
