// A service worker: keeps what the page loads, so that it works without a network after the first visit.
// Files beside it are loaded anew where there is a network; Pyodide's, whose address has its version, are loaded once.
const CACHE = "playground";
const SHELL = ["./", "index.html", "page.css", "highlight.js", "editor.js", "page.js", "worker.js"];

oninstall = event => event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(SHELL)).then(() => skipWaiting()));
onactivate = event => event.waitUntil(clients.claim());

onfetch = event => {
  if (event.request.method === "GET" && event.request.url.startsWith("http")) event.respondWith(kept(event.request));
};

async function kept(request) {
  const cache = await caches.open(CACHE);
  const isOurs = new URL(request.url).origin === location.origin;
  const found = await cache.match(request, { ignoreSearch: isOurs });
  if (found !== undefined && !isOurs) return found;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response.ok || found === undefined ? response : found;
  } catch (error) {
    if (found === undefined) throw error;
    return found;
  }
}
