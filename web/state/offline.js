/**
 * The page without a network, and how a newer version comes: it is loaded beside the one that runs, and
 * takes its place when the visitor asks for it, or the next time the page is opened.
 */

import { signal } from '@preact/signals';

/** Whether a newer version waits. */
export const newer = signal(false);

/** @type {ServiceWorker | null} */
let waiting = null;

/** The newer version, at once: the page is loaded again. */
export function update() {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), {
    once: true,
  });
  waiting?.postMessage('activate');
}

/** Nothing depends on it: where it cannot be, the page needs its network. */
export async function keepOffline() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  try {
    const registration = await serviceWorker.register(
      new URL('service-worker.js', document.baseURI),
    );
    waiting = registration.waiting;
    // From an earlier visit, and nothing was done here yet.
    if (waiting && serviceWorker.controller) update();
    registration.addEventListener('updatefound', () => {
      const { installing } = registration;
      installing?.addEventListener('statechange', () => {
        // The first that this browser sees takes no other's place.
        if (installing.state !== 'installed' || !serviceWorker.controller) return;
        waiting = installing;
        newer.value = true;
      });
    });
  } catch {}
}
