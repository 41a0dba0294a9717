// The worker in which the program runs. Messages of the page:
//
//   {module, files, names, edit, list}      the first one: the program, the files ([path, Blob or {url, size}, time]), which are
//                                           opened, whether they are edited, and the kept list of changes
//   {ask, address, method, headers, body}   a request, with a number
//   {end}                                   the answer to the request with this number is no longer needed
//
// Messages to the page:
//
//   {opened, error}
//   {id, status, header, data, last, broken}  a piece of an answer; the first one has the status and the header, and the last one
//                                     has broken set if some are missing
//   {list}                            the list of changes, after each request that can change it; null if there is none
//   {lost, message}                   a file can no longer be read
//   {memory}                          bytes that the program takes
import { add, onlost, text, write } from "./files.js";
import "./wasm_exec.js";

let memory;

globalThis.send = (message) => {
  if (message.ready) return globalThis.open(names, edit);
  postMessage(message, message.data ? [message.data.buffer] : []);
  if (message.last && changing.delete(message.id)) postMessage({ list: text(changes) });
  postMessage({ memory: memory.buffer.byteLength });
};

let names, edit;
const changes = "/edits/changes.json"; // see main_js.go
const changing = new Set(); // numbers of requests that can change the list
onlost((path, err) => postMessage({ lost: path, message: err.message }));

onmessage = async ({ data }) => {
  if (data.module) {
    for (const [path, source, time] of data.files) add(path, source, time);
    ({ names, edit } = data);
    if (data.list) write(changes, data.list);
    const go = new Go();
    go.env = { TMPDIR: "/tmp", HOME: "/", XDG_DATA_HOME: "/data" }; // where pictures.js puts those of games
    const instance = await WebAssembly.instantiate(data.module, go.importObject);
    memory = instance.exports.mem;
    await go.run(instance);
    throw new Error("the program has ended");
  } else if (data.ask !== undefined) {
    if (data.method !== "GET") changing.add(data.ask);
    globalThis.ask(data.ask, data.address, data.method, data.headers, data.body);
  } else if (data.end !== undefined) globalThis.end(data.end);
};
