// Files for the user: the visible picture, and what the program makes of a file.
import { get } from "./api.js";
import { el } from "./dom.js";

// save saves the visible picture as a file.
export const save = (context, shown) => keep(context, "the picture", (shown.grab ?? ((shown) => fetched(shown.still())))(shown));

// film saves a short film of what moves.
export const film = (context, shown) => keep(context, "the film", import("./loop.js").then((m) => m.loop(shown)));

// download saves the answer to a request as a file.
export const download = (context, what, address) => keep(context, what, fetched(address));

async function keep(context, what, made) {
  try {
    const [data, name] = await context.busy(what, made);
    context.say(`Kept as ${give(data, name)}`);
  } catch (err) {
    context.say(`Trowel could not make ${what}: ${err.message}`);
  }
}

async function fetched(address) {
  const answer = await get(address);
  if (!answer.ok) throw new Error((await answer.json()).error);
  return [await answer.blob(), decodeURIComponent(answer.headers.get("Content-Disposition").match(/filename\*?=(?:utf-8'')?"?([^";]+)/i)[1])];
}

// give lets the browser keep data as a file, and returns the name.
export function give(data, name) {
  const link = el("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return link.download;
}
