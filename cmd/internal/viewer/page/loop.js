// A short film of what moves, to take along: as WebM, or as APNG where the browser does not record.
import { el } from "./dom.js";
import { film } from "./film.js";

const usual = 4000, longest = 10000; // milliseconds
const rate = 25; // pictures a second of a recording
const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

// loop returns a film of a Scene (map.js), and its name. A scene that draws itself has film(): {canvas, length, name, draw(ms), close()}.
export async function loop(shown) {
  if (shown.player?.playing) await shown.player.toggle();
  const of = (await shown.film?.()) ?? (await film(shown).catch(() => { throw new Error("this browser or this part of the map cannot play it"); }));
  const length = Math.min(of.length ?? shown.view.loop ?? usual, longest) || usual, from = shown.moment, { width, height } = of.canvas;
  const canvas = el("canvas", { width, height }), c = canvas.getContext("2d");
  const draw = async (ms) => {
    await of.draw(ms);
    c.fillStyle = shown.paper().paper ? `#${shown.paper().paper}` : shown.view.background || "#000";
    c.fillRect(0, 0, width, height);
    c.drawImage(of.canvas, 0, 0); // now: the browser keeps the pixels only until the frame ends
  };
  try {
    await draw(0);
    const type = types.find((t) => window.MediaRecorder?.isTypeSupported(t));
    const data = type ? await recorded(canvas, type, length, draw) : await animated(canvas, length, draw);
    return [data, `${of.name ?? shown.view.name}.${type?.match(/\w+(?=;|$)/)[0] ?? "png"}`];
  } finally {
    shown.moment = from;
    of.close();
  }
}

// recorded records the film while it plays.
async function recorded(canvas, type, length, draw) {
  const recorder = new MediaRecorder(canvas.captureStream(rate), { mimeType: type, videoBitsPerSecond: 8e6 }), parts = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.start();
  for (let start = performance.now(), ms = 0; ms < length; ms = performance.now() - start) await draw(ms);
  await new Promise((done, fail) => {
    Object.assign(recorder, { onstop: done, onerror: (e) => fail(e.error) });
    recorder.stop();
  });
  return new Blob(parts, { type: type.split(";")[0] });
}

const beat = 80; // milliseconds of a picture of an APNG

// animated puts pictures into one APNG, which repeats for ever.
async function animated(canvas, length, draw) {
  const count = Math.max(1, Math.round(length / beat)), parts = [];
  let sequence = 0;
  for (let i = 0; i < count; i++) {
    await draw(i * beat);
    const png = new Uint8Array(await (await new Promise((done) => canvas.toBlob(done))).arrayBuffer());
    const control = [sequence++, canvas.width, canvas.height, 0, 0, (beat << 16) | 1000, 0];
    const all = [...chunks(png)];
    if (!i) parts.push(png.slice(0, 8), all[0].whole, chunk("acTL", numbers(count, 0)));
    parts.push(chunk("fcTL", numbers(...control).slice(0, 26)));
    for (const { kind, whole, data } of all) if (kind === "IDAT") parts.push(i ? chunk("fdAT", numbers(sequence++), data) : whole);
  }
  parts.push(chunk("IEND"));
  return new Blob(parts, { type: "image/png" });
}

const numbers = (...list) => {
  const view = new DataView(new ArrayBuffer(4 * list.length));
  list.forEach((n, i) => view.setUint32(4 * i, n));
  return new Uint8Array(view.buffer);
};

function* chunks(png) {
  const view = new DataView(png.buffer);
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at), end = at + 12 + length;
    yield { kind: new TextDecoder().decode(png.subarray(at + 4, at + 8)), whole: png.slice(at, end), data: png.subarray(at + 8, at + 8 + length) };
    at = end;
  }
}

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function chunk(kind, ...data) {
  const body = new Uint8Array(data.reduce((n, d) => n + d.length, 4));
  let at = 4, sum = -1;
  body.set(new TextEncoder().encode(kind));
  for (const d of data) {
    body.set(d, at);
    at += d.length;
  }
  for (const b of body) sum = table[(sum ^ b) & 255] ^ (sum >>> 8);
  return new Blob([numbers(body.length - 4), body, numbers((sum ^ -1) >>> 0)]);
}
