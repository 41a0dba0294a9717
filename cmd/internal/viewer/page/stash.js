// What this browser remembers of how somebody likes the page, if it may.
export function recall(name) {
  try { return localStorage.getItem("trowel." + name); } catch { return null; }
}

export function remember(name, value) {
  try { localStorage.setItem("trowel." + name, value); } catch { /* then only for now */ }
}
