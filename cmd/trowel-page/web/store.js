// What the browser keeps because the user wants that: values by their keys, in databases that are deleted separately.

// kept returns the value of a key, or undefined. It makes no database.
export async function kept(database, key) {
  const all = (await indexedDB.databases?.()) ?? [{ name: database }];
  if (all.some(({ name }) => name === database)) return use(database, "readonly", (values) => values.get(key));
}

// keep keeps a value; undefined removes it.
export const keep = (database, key, value) => use(database, "readwrite", (values) => (value === undefined ? values.delete(key) : values.put(value, key)));

export const forget = (database) => indexedDB.deleteDatabase(database);

function use(database, mode, what) {
  return new Promise((done, fail) => {
    const ask = indexedDB.open(database, 1);
    ask.onupgradeneeded = () => ask.result.createObjectStore("kept");
    ask.onerror = () => fail(ask.error);
    ask.onsuccess = () => {
      const db = ask.result, work = db.transaction("kept", mode), answer = what(work.objectStore("kept"));
      work.oncomplete = () => (db.close(), done(answer.result));
      work.onabort = () => (db.close(), fail(work.error));
    };
  });
}
