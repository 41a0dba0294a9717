// The service worker: it keeps the files of the page, and nothing else, so that it opens without a network. Those of the second list
// are kept when they are used.
function keep(version, files, later) {
  const name = "trowel-" + version;
  addEventListener("install", (e) => e.waitUntil(caches.open(name).then((all) => all.addAll(files.map((file) => new Request("./" + file, { cache: "no-cache" })))).then(() => skipWaiting())));
  addEventListener("activate", (e) => e.waitUntil(caches.keys().then((all) => Promise.all(all.filter((one) => one.startsWith("trowel-") && one !== name).map((one) => caches.delete(one)))).then(() => clients.claim())));
  const own = new Set([...files, ...later].map((file) => new URL("./" + file, location.href).href));
  addEventListener("fetch", (e) => {
    const at = e.request.url.split(/[?#]/)[0];
    if (e.request.method === "GET" && own.has(at)) e.respondWith(caches.open(name).then(async (all) => {
      const found = await all.match(at);
      if (found) return found;
      const answer = await fetch(at); // whole, though a part may be asked for
      if (answer.status === 200) await all.put(at, answer.clone());
      return answer;
    }));
  });
}
