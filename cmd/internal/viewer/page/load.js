// Scripts and styles that are loaded when they are needed.
import { el } from "./dom.js";

const near = (name) => new URL(name, import.meta.url).href;
const loaded = new Map();

// load loads a script or a style once.
export function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, new Promise((onload, fail) => {
      const onerror = () => (loaded.delete(name), fail(new Error(`${name} cannot be loaded`)));
      document.head.append(name.endsWith(".css") ? el("link", { rel: "stylesheet", href: near(name), onload, onerror }) : el("script", { src: near(name), onload, onerror }));
    }));
  }
  return loaded.get(name);
}
