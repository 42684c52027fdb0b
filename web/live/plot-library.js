/** @type {Promise<typeof import('uplot')> | undefined} */
let loaded;

/**
 * uPlot, once. As it is loaded it asks how numbers are written in the browser's language, and WebKit
 * in the system's locale "C" names one that does not exist.
 */
export function plotLibrary() {
  loaded ??= load();
  return loaded;
}

async function load() {
  let isNamed = true;
  try {
    Intl.NumberFormat(navigator.language);
  } catch {
    isNamed = false;
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
  try {
    return (await import('uplot')).default;
  } finally {
    if (!isNamed) Reflect.deleteProperty(navigator, 'language');
  }
}
