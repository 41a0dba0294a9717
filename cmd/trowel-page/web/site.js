// The page around the viewer. It takes files, starts the program in a worker, and offers the way to it to the viewer in the frame:
// see page/door.js.
import * as edits from "./edits.js";
import * as pictures from "./pictures.js";

const get = (id) => document.getElementById(id);
const start = get("start"), frame = get("view"), message = get("message");
get("local").classList.add("unneeded");

const most = 1 << 30; // bytes that the program may take

// The program, which is loaded once: when the page is drawn, or when files are opened before that.
let program, loading = "";
function load(priority) {
  program ??= fetched(priority);
  program.catch(() => (program = undefined)); // the next file tries it again
  return program;
}

async function fetched(priority) {
  const answer = await fetch("trowel.wasm.gz", { priority });
  if (!answer.ok) throw new Error(`The page could not be loaded: trowel.wasm.gz: ${answer.status} ${answer.statusText}`);
  const bar = get("progress"), size = Number(answer.headers.get("Content-Length"));
  let seen = 0;
  const counted = new TransformStream({ transform(part, out) {
    seen += part.length;
    if (size) {
      bar.value = seen / size;
      loading = `: ${(seen / 1e6).toFixed(1)} of ${(size / 1e6).toFixed(1)} MB of the program are loaded`;
      opening();
    }
    out.enqueue(part);
  } });
  bar.hidden = false;
  try {
    return await WebAssembly.compileStreaming(new Response(await inflated(answer.body.pipeThrough(counted)), { headers: { "Content-Type": "application/wasm" } }));
  } finally {
    bar.hidden = true;
    loading = "";
    opening();
  }
}

// opening shows what is opened, and what of the program is missing for it.
let wanted = "";
function opening(what = wanted) {
  wanted = what;
  get("state").textContent = what && `Opening ${what}${loading}`;
}

// inflated inflates a stream, unless the browser has already done that because the server named the compression.
async function inflated(stream) {
  const reader = stream.getReader();
  const { value } = await reader.read();
  const whole = new ReadableStream({
    start(out) { if (value) out.enqueue(value); },
    async pull(out) {
      const next = await reader.read();
      if (next.done) out.close();
      else out.enqueue(next.value);
    },
  });
  return value?.[0] === 0x1f && value[1] === 0x8b ? whole.pipeThrough(new DecompressionStream("gzip")) : whole;
}

function tell(text) {
  message.textContent = text;
}

// The worker of the opened files, and whether they are next to the page, so that a link leads to them.
let worker, opened = 0, linked = true, current = [[], []];

// Worker is the program with some files.
class Program {
  #worker = new Worker("worker.js", { type: "module" });
  #asked = 0;
  #answers = new Map(); // by the number of the request: {resolve, reject, body, signal, leave}
  #ready;

  constructor(what, ended) {
    const opening = Promise.withResolvers ? Promise.withResolvers() : (() => { const o = {}; o.promise = new Promise((a, b) => Object.assign(o, { resolve: a, reject: b })); return o; })();
    this.#ready = opening.promise;
    const end = (text) => {
      opening.reject(new Error(text));
      this.close();
      ended(text);
    };
    this.#worker.onerror = (e) => {
      e.preventDefault();
      end(`The program has failed and was ended: ${e.message}`);
    };
    this.#worker.onmessageerror = () => end("The program has failed and was ended.");
    this.#worker.onmessage = ({ data }) => {
      if (data.id !== undefined) this.#take(data);
      else if (data.opened) data.error ? opening.reject(new Error(data.error)) : opening.resolve();
      else if (data.list !== undefined) edits.changed(data.list);
      else if (data.lost) tell(`${data.lost.replace(/^\/?files\//, "")} can no longer be read (${data.message}): if it has changed, open it again.`);
      else if ((this.memory = data.memory) > most) end("The files take more than 1 GB of memory here, so the program was ended. The program that is installed has no such limit.");
    };
    this.#worker.postMessage(what);
  }

  get ready() { return this.#ready; }

  // ask is fetch, for addresses of the program.
  ask(address, { signal, method = "GET", headers = {}, body = "" } = {}) {
    const at = new URL(address, location.href), id = ++this.#asked;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#answers.delete(id);
        this.#worker.postMessage({ end: id });
        const err = new DOMException("ended", "AbortError");
        reject(err);
        answer.body?.error(err);
      };
      const answer = { resolve, reject, signal, leave };
      if (signal?.aborted) return reject(new DOMException("ended", "AbortError"));
      signal?.addEventListener("abort", leave);
      this.#answers.set(id, answer);
      this.#worker.postMessage({ ask: id, address: at.pathname + at.search, method, headers: Object.entries(headers), body });
    });
  }

  #take({ id, status, header, data, last, broken }) {
    const answer = this.#answers.get(id);
    if (!answer) return;
    if (status) {
      const none = [204, 205, 304].includes(status);
      const body = none ? null : new ReadableStream({ start: (out) => (answer.body = out), cancel: () => answer.leave() });
      answer.resolve(new Response(body, { status, headers: header }));
    }
    if (data) answer.body?.enqueue(data);
    if (last) {
      if (broken) answer.body?.error(new Error("the program could not complete it"));
      else answer.body?.close();
      answer.signal?.removeEventListener("abort", answer.leave);
      this.#answers.delete(id);
    }
  }

  close() {
    this.#worker.terminate();
    for (const answer of this.#answers.values()) {
      const err = new Error("the program has ended");
      answer.reject(err);
      answer.body?.error(err);
    }
    this.#answers.clear();
  }
}

// Events are the events of the program, with the part of EventSource that the page uses.
class Events extends EventTarget {
  #stop = new AbortController();

  constructor() {
    super();
    this.#read().catch(() => {}).then(() => this.#stop.signal.aborted || this.onerror?.());
  }

  async #read() {
    const answer = await worker.ask("/events", { signal: this.#stop.signal });
    this.onopen?.();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const all = (text + value).split("\n\n");
      text = all.pop();
      for (const one of all) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(one) ?? [];
        if (name) this.dispatchEvent(new MessageEvent(name, { data }));
      }
    }
  }

  close() { this.#stop.abort(); }
}

window.trowel = { get: (address, how) => worker.ask(String(address), how), events: () => new Events(), linked: () => linked, missing: pictures.ask, choose: () => get("mapres").click(), memory: () => worker.memory };

// open opens files, perhaps to edit them: [path, Blob or {url, size}, time]. Names are the paths that were chosen, without what is
// in them.
async function open(files, names, edit = false) {
  const mine = ++opened;
  pictures.opens(files !== current[0]);
  current = [files, names];
  worker?.close();
  tell("");
  frame.hidden = true;
  start.hidden = false;
  if (!files.length) return tell("There are no files in it.");
  const what = names.length === 1 ? names[0] : `${names.length} files`;
  opening(what);
  try {
    const module = await load("high"), list = await edits.opens(files, edit);
    if (mine !== opened) return;
    const all = [...files.map(([path, source, time]) => ["files/" + path, source, time]), ...pictures.pictures()];
    worker = new Program({ module, files: all, names: names.map((name) => "/files/" + name), edit, list }, (text) => {
      if (mine === opened) stop(text);
    });
    await worker.ready;
    if (mine !== opened) return;
    get("what").textContent = what;
    frame.onload = () => {
      listen(frame.contentWindow);
      frame.contentWindow.focus();
    };
    frame.src = "view.html";
    edits.opened(files);
    frame.hidden = false;
    start.hidden = true;
  } catch (err) {
    if (mine !== opened) return;
    stop(err.message);
    if (edit) await open(files, names).then(() => message.textContent || tell(err.message));
  } finally {
    if (mine === opened) opening("");
  }
}

// stop shows why nothing is open.
function stop(text) {
  worker?.close();
  frame.hidden = true;
  frame.removeAttribute("src");
  start.hidden = false;
  get("what").textContent = "";
  tell(text);
}

// lacking returns the databases among the files whose last changes can be in a file that is not among them: SQLite writes them to a
// write-ahead log, if the database is in this mode. A whole folder lacks nothing.
async function lacking(list) {
  const names = new Set(list.map(([path]) => path)), found = [];
  for (const [path, file] of list) {
    if (path.includes("/") || !path.endsWith(".sqlite") || names.has(path + "-wal")) continue;
    const mode = new Uint8Array(await file.slice(18, 20).arrayBuffer());
    if (mode[0] === 2 && mode[1] === 2) found.push(path);
  }
  return found;
}

// chosen opens files that the user has chosen or dropped, as [path, File].
async function chosen(list) {
  if (pictures.areOnly(list)) return tell(await pictures.choose(list));
  if (!edits.mayClose()) return;
  // The address is of the files before, but for the rules by which maps are checked.
  const rules = new URLSearchParams(location.search).get("rules");
  if (location.hash || location.search) history.replaceState(null, "", asked = location.pathname + (rules ? "?" + new URLSearchParams({ rules }) : ""));
  linked = false;
  const files = list.map(([path, file]) => [path, file, file.lastModified]);
  await open(files, [...new Set(files.map(([path]) => path.split("/")[0]))]);
  const old = await lacking(list).catch(() => []); // a file that cannot be read is reported when it is opened
  if (old.length && !message.textContent) tell(`${old.join(", ")} may be older than the world: its last changes can be in ${old[0]}-wal. Open the whole folder of the world.`);
}

for (const [id, take] of [["files", chosen], ["folder", chosen], ["mapres", async (list) => tell(await pictures.choose(list))]]) {
  get(id).onchange = (e) => {
    const list = [...e.target.files].map((file) => [file.webkitRelativePath || file.name, file]);
    e.target.value = "";
    take(list);
  };
}

// listen takes the files that are dropped on a window.
function listen(on) {
  on.addEventListener("downloaded", edits.downloaded);
  let inside = 0;
  const over = (is) => document.body.classList.toggle("over", is);
  on.addEventListener("dragenter", () => over(++inside > 0));
  on.addEventListener("dragleave", () => over(--inside > 0));
  on.addEventListener("dragover", (e) => e.preventDefault());
  on.addEventListener("drop", async (e) => {
    e.preventDefault();
    over(false);
    inside = 0;
    const entries = [...e.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const list = [];
    try {
      for (const entry of entries) await collect(entry, list);
    } catch (err) {
      return tell(`The files cannot be read: ${err.message}`);
    }
    chosen(list.length || entries.length ? list : [...e.dataTransfer.files].map((file) => [file.name, file]));
  });
}
listen(window);

// collect adds the files of an entry of the disk.
async function collect(entry, list) {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) return void list.push([path, await new Promise((take, fail) => entry.file(take, fail))]);
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((take, fail) => reader.readEntries(take, fail));
    if (!some.length) return;
    for (const one of some) await collect(one, list);
  }
}

// The files next to the page: in each folder, those of a list.
const folders = { files: "files.json", samples: "samples.json" };
const listed = async (list) => (await fetch(list, { cache: "no-cache" })).json();
const address = (path) => new URL(path.split("/").map(encodeURIComponent).join("/"), location.href.split(/[?#]/)[0]);

// ask returns the files at an address of this server, and their name: a file, or a folder next to the page.
async function ask(path) {
  const url = new URL(path, location.href.split(/[?#]/)[0]);
  if (url.origin !== location.origin) throw new Error(`${path} is on another server, from which this page loads nothing: download the file, and drop it here.`);
  for (const [folder, list] of Object.entries(folders)) {
    const own = address(folder).href + "/";
    if (!url.href.startsWith(own)) continue;
    const name = decodeURIComponent(url.href.slice(own.length)).replace(/\/$/, "");
    const { files } = await listed(list);
    const some = files.filter((f) => f.path === name || f.path.startsWith(name + "/"));
    if (!some.length) break;
    return [await Promise.all(some.map(async ({ path, size, time }) => {
      const at = address(`${folder}/${path}`).href;
      return [path, folder === "samples" ? await whole(at) : { url: at, size }, time ?? Date.now()];
    })), [name]];
  }
  const name = decodeURIComponent(url.pathname.split("/").at(-1));
  return [[[name, await whole(url), Date.now()]], [name]];
}

// whole loads a file.
async function whole(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${decodeURI(url)} cannot be opened: the server answers with status ${answer.status}.`);
  return answer.blob();
}

// visit opens what the address names after ?open=.
let asked = location.pathname + location.search;
async function visit() {
  const path = new URLSearchParams(location.search).get("open");
  const mine = ++opened;
  linked = true;
  tell("");
  opening(path.split("/").at(-1));
  try {
    const what = await ask(path);
    if (mine === opened) await open(...what);
  } catch (err) {
    if (mine !== opened) return;
    opening("");
    stop(err.message);
  }
}
addEventListener("popstate", () => asked === location.pathname + location.search || location.reload());
for (const card of document.querySelectorAll("#samples a")) {
  card.onclick = (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    history.pushState(null, "", card.href);
    asked = location.pathname + location.search;
    visit();
  };
}

edits.start((edit) => open(...current, edit), tell);
await pictures.start(() => {
  const [files, names] = current;
  if (files.length) open(files, names, get("edit").getAttribute("aria-pressed") === "true");
}).catch((err) => tell(`The kept pictures cannot be read: ${err.message}`));

if (new URLSearchParams(location.search).get("open")) visit();
else {
  const { files, names } = await listed(folders.files);
  get("samples").hidden = files.length > 0;
  if (files.length) open(files.map(({ path, size, time }) => [path, { url: address("files/" + path).href, size }, time]), names);
}

// The page is drawn before the program is loaded; the browser keeps the page after that.
setTimeout(() => load("low").then(() => {
  if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("keep.js").catch(() => {});
}, (err) => tell(err.message)));
document.body.dataset.ready = "true"; // for tests
