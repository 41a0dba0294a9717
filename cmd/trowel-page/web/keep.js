// The service worker: it keeps the files of the page, and nothing else, so that it opens without a network.
function keep(version, files) {
  const name = "trowel-" + version;
  addEventListener("install", (e) => e.waitUntil(caches.open(name).then((all) => all.addAll(files.map((file) => new Request("./" + file, { cache: "no-cache" })))).then(() => skipWaiting())));
  addEventListener("activate", (e) => e.waitUntil(caches.keys().then((all) => Promise.all(all.filter((one) => one.startsWith("trowel-") && one !== name).map((one) => caches.delete(one)))).then(() => clients.claim())));
  const own = new Set(files.map((file) => new URL("./" + file, location.href).href));
  addEventListener("fetch", (e) => {
    const at = e.request.url.split(/[?#]/)[0];
    if (e.request.method === "GET" && own.has(at)) e.respondWith(caches.open(name).then((all) => all.match(at)).then((found) => found ?? fetch(e.request)));
  });
}
