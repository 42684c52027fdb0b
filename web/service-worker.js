/**
 * The page without a network, after its first load. All files of one version are taken together and
 * stay together: no run is measured with parts of two. So a newer version waits until no page of the
 * old one is left.
 */

import { files, version } from 'built:files';

/** @type {any} a worker's, which no library of types has beside a page's */
const worker = self;

/** Other pages of the same host keep theirs. */
const PREFIX = `slabring ${worker.registration.scope} `;
const NAME = PREFIX + version;

/** @param {any} event */
const install = (event) =>
  event.waitUntil(
    caches.open(NAME).then((cache) =>
      // Past the browser's own cache, which may hold files of another version.
      cache.addAll(files.map((file) => new Request(file, { cache: 'reload' }))),
    ),
  );

async function removeOthers() {
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(NAME);
  // Settings are in the query of the page, and fresh copies of a module differ by theirs.
  const url = request.url.replace(/[?#].*/s, '').replace(/\/index\.html$/, '/');
  const found = await cache.match(url);
  return found ?? fetch(request);
}

worker.addEventListener('install', install);
worker.addEventListener('activate', (/** @type {any} */ event) => {
  event.waitUntil(removeOthers().then(() => worker.clients.claim()));
});
worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { method, url } = event.request;
  if (method === 'GET' && url.startsWith(worker.registration.scope)) {
    event.respondWith(answer(event.request));
  }
});
