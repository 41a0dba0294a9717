// Optional children can be written as conditions: el("p", {}, wrong && icon("error")).
const present = (children) => children.flat().filter((c) => c !== undefined && c !== null && c !== false);

// el makes an element: el("button", {type: "button", onclick}, "text", child...). Texts of files enter the page
// only here, and only as text nodes.
export function el(name, props = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "dataset") Object.assign(node.dataset, value);
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && key !== "list") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

// plural returns a number of things, with separators, such as "1,234 changes".
export const plural = (n, word) => `${n.toLocaleString()} ${word}${n === 1 ? "" : "s"}`;

export const fill = (node, ...children) => (node.replaceChildren(...present(children)), node);

const spaces = "http://www.w3.org/2000/svg";
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(spaces, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
