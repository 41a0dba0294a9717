// Requests of the page to the program.
import { get } from "./door.js";
export { get };

// url returns the address of a request about a file. Values that are undefined are left out.
export function url(file, what, query = {}) {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if ((value ?? "") !== "") q.set(key, value);
  }
  const text = q.toString();
  return `/f/${file}/${what}${text ? "?" + text : ""}`;
}

// json fetches an answer. Errors have the message of the program.
export async function json(address, signal) {
  const answer = await get(address, { signal }).catch((err) => {
    throw err.name === "AbortError" ? err : new Error("The program does not answer.");
  });
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(data.error || answer.statusText), { status: answer.status });
  return data;
}

export const ask = (file, what, query, signal) => json(url(file, what, query), signal);
