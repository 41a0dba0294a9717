// A film of two pictures of one place: a border moves over the old one, leaves the new one, and goes back.
import { get, url } from "./api.js";
import { el } from "./dom.js";

const hold = 1300, move = 1500; // milliseconds in which one picture is shown, and in which the border moves
const widest = 1920; // pixels

// sweep returns the film of the visible part of a Scene (map.js) and of another one, for loop.js. names are those of the old and the
// new picture; mine is the number of the first Scene among them.
export async function sweep(shown, second, names, mine) {
  const { searchParams: q } = new URL(shown.still(), location), part = Object.fromEntries(["x", "y", "z", "w", "h"].map((k) => [k, q.get(k)]));
  const picture = async (s) => {
    const answer = await get(url(s.file, `still/${s.generation}`, { ...s.query(), ...shown.paper(), ...part, save: 1 }));
    if (!answer.ok) throw new Error((await answer.json()).error);
    return createImageBitmap(await answer.blob());
  };
  const both = await Promise.all(mine ? [picture(second), picture(shown)] : [picture(shown), picture(second)]);
  const k = Math.min(1, widest / both[0].width), width = Math.max(2, Math.round(both[0].width * k)), height = Math.max(2, Math.round(both[0].height * k));
  const canvas = el("canvas", { width, height }), c = canvas.getContext("2d"), size = Math.max(12, Math.round(width / 50));
  const half = hold + move;
  // border is the part of the width that the old picture has.
  const border = (ms) => {
    const t = Math.max(0, (ms % half) - hold) / move, eased = t * t * (3 - 2 * t);
    return ms % (2 * half) < half ? 1 - eased : eased;
  };
  const label = (text, right) => {
    c.font = `600 ${size}px system-ui, sans-serif`;
    const w = Math.min(width / 2 - size, c.measureText(text).width), x = right ? width - w - 1.5 * size : 0.5 * size;
    c.fillStyle = "#000b";
    c.fillRect(x, size * 0.5, w + size, size * 1.7);
    c.fillStyle = "#fff";
    c.fillText(text, x + size * 0.5, size * 1.65, w);
  };
  return {
    canvas, length: 2 * half, name: "before and after",
    async draw(ms) {
      await new Promise(requestAnimationFrame);
      const at = Math.round(border(ms) * width);
      c.clearRect(0, 0, width, height);
      both.forEach((picture, i) => {
        c.save();
        c.beginPath();
        c.rect(i ? at : 0, 0, i ? width - at : at, height);
        c.clip();
        c.imageSmoothingEnabled = k < 1;
        c.drawImage(picture, 0, 0, width, height);
        label(names[i], i);
        c.restore();
      });
      if (at <= 0 || at >= width) return;
      c.fillStyle = "#000";
      c.fillRect(at - 2, 0, 4, height);
      c.fillStyle = "#fff";
      c.fillRect(at - 1, 0, 2, height);
    },
    close: () => both.forEach((picture) => picture.close()),
  };
}
