/**
 * The page without a network. A newer version is loaded beside the one that runs, and takes its place
 * when no page of the old one is left.
 */

import { signal } from '@preact/signals';

/** Whether a newer version waits. */
export const newer = signal(false);

/** Nothing depends on it: where it cannot be, the page needs its network. */
export async function keepOffline() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  try {
    const registration = await serviceWorker.register(
      new URL('service-worker.js', document.baseURI),
    );
    const look = () => {
      // The first that this browser sees takes no other's place.
      newer.value = Boolean(registration.active && registration.waiting);
    };
    look();
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', look);
    });
  } catch {}
}
