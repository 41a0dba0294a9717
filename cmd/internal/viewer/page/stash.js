// Preferences of the user, stored in the browser if allowed.
export function recall(name) {
  try { return localStorage.getItem("trowel." + name); } catch { return null; }
}

export function remember(name, value) {
  try { localStorage.setItem("trowel." + name, value); } catch { /* then it is not stored */ }
}
