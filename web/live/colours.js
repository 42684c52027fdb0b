/** Colours for canvases, which know nothing of style sheets. */

import { signal } from '@preact/signals';

/**
 * Counts how often colours may have changed: the system's, or the page's.
 * @type {import('@preact/signals').Signal<number>}
 */
export const changes = signal(0);

/** @returns {() => void} ends it */
export function watchColours() {
  const onChange = () => {
    changes.value++;
  };
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', onChange);
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'class', 'style'] });
  return () => {
    dark.removeEventListener('change', onChange);
    observer.disconnect();
  };
}

/**
 * The colour of each key that is shown in an element, by its name, and that of its text.
 * @param {Element} legend
 * @returns {Record<string, string>}
 */
export function coloursOf(legend) {
  const { color } = getComputedStyle(legend);
  /** @type {Record<string, string>} */
  const colours = { text: color, mark: color };
  for (const key of legend.querySelectorAll('[data-colour]')) {
    colours[/** @type {HTMLElement} */ (key).dataset.colour ?? ''] =
      getComputedStyle(key).backgroundColor;
  }
  return colours;
}
