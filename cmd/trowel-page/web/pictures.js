// Pictures of a game, which its maps name but do not contain. The user chooses the folder once; the browser keeps the pictures only if
// the user wants that.
import * as store from "./store.js";

const get = (id) => document.getElementById(id);
const database = "trowel-pictures";

let own = [], files = [], changed = () => {}, refused = false; // those next to the page, and the chosen ones

// pictures returns the pictures as files for the program, where it looks for those of an installed game: [path, Blob, time].
export const pictures = () => [...own, ...files];

// start recalls the kept pictures. again is called when there are others.
export async function start(again) {
  changed = again;
  const { files: list, licenses } = await (await fetch("mapres.json")).json();
  own = list.map(({ path, size }) => {
    const [game, name] = path.split("/");
    return [`data/${game}/mapres/${name}`, { url: new URL(`mapres/${game}/${encodeURIComponent(name)}`, location.href.split(/[?#]/)[0]).href, size }, 0];
  });
  get("credits").hidden = !licenses.length;
  get("licenses").append(...licenses.flatMap((at, i) => [i ? ", " : "", Object.assign(document.createElement("a"), { href: at, textContent: at.split("/")[1] === "ddnet" ? "DDNet" : "Teeworlds" })]));
  files = (await store.kept(database, "files")) ?? [];
  get("forget").hidden = !files.length;
}

// ask offers to choose the pictures if some are missing. The list is that of the viewer.
export function ask(list) {
  const names = list.filter((m) => m.kind === "image" && !m.loss).map((m) => m.name);
  get("pictures").hidden = refused || !names.length;
  if (!names.length) return;
  const some = names.slice(0, 8).join(", ") + (names.length > 8 ? ` and ${names.length - 8} more` : "");
  get("lack").textContent = `The map takes pictures from the game that are not ${files.length ? "among the chosen ones" : "here"}, and are grey: ${some}. They are in the game's folder data, in mapres.`;
}

// opens is called before files are opened: others, or the same ones again.
export function opens(others) {
  if (others) refused = false;
  get("pictures").hidden = true;
}

// folders returns the names of the folders mapres among files, [path, File], each with its pictures.
function folders(list) {
  const all = new Map();
  for (const [path, file] of list) {
    const [, above, name] = /^(|.*\/)mapres\/(.*\.png)$/i.exec(path) ?? [];
    if (name) all.set(above, [...(all.get(above) ?? []), [name, file]]);
  }
  return all;
}

// areOnly reports whether files are only a folder of pictures.
export const areOnly = (list) => list.length > 0 && list.every(([path]) => path.startsWith("mapres/")) && folders(list).size > 0;

// choose takes the pictures among files. It returns what is wrong, if something is.
export async function choose(list) {
  const found = folders(list);
  if (!found.size) return "There are no pictures in it: choose the folder mapres, or the game's folder data that contains it.";
  files = [];
  for (const some of found.values()) {
    // Teeworlds 0.7 has other pictures with the same names.
    const is07 = ["easter.png", "generic_shadows.png"].every((own) => some.some(([name]) => name === own));
    for (const [name, file] of some) files.push([`data/${is07 ? "teeworlds" : "ddnet"}/mapres/${name}`, file, file.lastModified]);
  }
  let wrong = "";
  if (get("keep").checked) {
    try {
      const kept = await Promise.all(files.map(async ([path, file, time]) => [path, new Blob([await file.arrayBuffer()]), time]));
      await store.keep(database, "files", kept);
      get("forget").hidden = false;
    } catch (err) {
      wrong = `The browser does not keep the pictures: ${err.message}`;
    }
  }
  changed();
  return wrong;
}

get("refuse").onclick = () => {
  refused = true;
  get("pictures").hidden = true;
};
get("forget").onclick = () => {
  store.forget(database);
  files = [];
  get("forget").hidden = true;
  changed();
};
