// The worker in which the program runs. Messages of the page:
//
//   {module, files, names}  the first one: the program, the files ([path, Blob or {url, size}, time]), and which are opened
//   {ask, address}          a request, with a number
//   {end}                   the answer to the request with this number is no longer needed
//
// Messages to the page:
//
//   {opened, error}
//   {id, status, header, data, last, broken}  a piece of an answer; the first one has the status and the header, and the last one
//                                     has broken set if some are missing
//   {lost, message}                   a file can no longer be read
//   {memory}                          bytes that the program takes
import { add, onlost } from "./files.js";
import "./wasm_exec.js";

let memory;

globalThis.send = (message) => {
  if (message.ready) return globalThis.open(names);
  postMessage(message, message.data ? [message.data.buffer] : []);
  postMessage({ memory: memory.buffer.byteLength });
};

let names;
onlost((path, err) => postMessage({ lost: path, message: err.message }));

onmessage = async ({ data }) => {
  if (data.module) {
    for (const [path, source, time] of data.files) add(path, source, time);
    names = data.names;
    const go = new Go();
    go.env = { TMPDIR: "/tmp", HOME: "/", XDG_DATA_HOME: "/data" }; // where pictures.js puts those of games
    const instance = await WebAssembly.instantiate(data.module, go.importObject);
    memory = instance.exports.mem;
    await go.run(instance);
    throw new Error("the program has ended");
  } else if (data.ask !== undefined) globalThis.ask(data.ask, data.address);
  else if (data.end !== undefined) globalThis.end(data.end);
};
