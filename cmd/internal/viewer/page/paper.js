// The background of pictures that have none of their own: light or dark, as the theme.
const watchers = new Set();

// paper returns the background for requests: rrggbb, or nothing if it is white.
export const paper = () => {
  const node = document.documentElement, was = node.style.color;
  node.style.color = "var(--paper)";
  const text = getComputedStyle(node).color.match(/\d+/g).map((v) => Number(v).toString(16).padStart(2, "0")).slice(0, 3).join("");
  node.style.color = was;
  return text === "ffffff" ? undefined : text;
};

// watchPaper calls back when the background may have changed.
export const watchPaper = (f) => (watchers.add(f), () => watchers.delete(f));
export const turned = () => watchers.forEach((f) => f());

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", turned);
