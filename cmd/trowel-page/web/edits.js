// Changes of a file in the browser. The program has the list; the browser keeps it only if the user wants that.
import * as store from "./store.js";

const get = (id) => document.getElementById(id);
const database = "trowel-changes";

let name, list = null, taken = null, failed = () => {};

// edited reports whether there are changes that are lost when the file is closed.
export const edited = () => list !== null && list !== taken && !get("keep-changes").checked;

// downloaded is called when the user has downloaded the file with the changes.
export const downloaded = () => (taken = list);

// start offers to edit files. again opens them again, to edit them or not, and tell reports an error.
export function start(again, tell) {
  failed = (err) => tell(`The browser does not keep the changes: ${err.message}`);
  get("edit").onclick = () => {
    const pressed = get("edit").getAttribute("aria-pressed") === "true";
    if (!pressed || mayClose()) again(!pressed);
  };
  get("keep-changes").onchange = keep;
  addEventListener("beforeunload", (e) => edited() && e.preventDefault());
}

// mayClose asks the user, if changes are lost when the file is closed.
export const mayClose = () => !edited() || confirm(`The changes of ${name} are not kept. Close it all the same?`);

// opens is called before files are opened, and returns the list of changes: that of the same file until now, or the kept one.
export async function opens(files, editing) {
  const left = editing && files[0][0] === name ? list : null;
  const kept = editing ? await store.kept(database, files[0][0]).catch(failed) : undefined;
  name = files[0]?.[0];
  list = left;
  get("edit").hidden = true;
  get("edit").setAttribute("aria-pressed", String(editing));
  get("changes").hidden = !editing;
  get("keep-changes").checked = kept !== undefined;
  return left ?? kept;
}

// opened is called when files are open.
export const opened = (files) => (get("edit").hidden = files.length !== 1);

// changed is called with the list after each change, or with null.
export function changed(now) {
  list = now;
  if (get("keep-changes").checked) keep();
}

function keep() {
  store.keep(database, name, get("keep-changes").checked && list || undefined).catch((err) => {
    get("keep-changes").checked = false;
    failed(err);
  });
}
