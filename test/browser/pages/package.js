/** The package as it is shipped. */

import { createHeap } from '/dist/slabring.js';

/** How strict the page is, so that the rest means something. */
export function conditions() {
  let code = 'refused';
  try {
    code = new Function('return "from a string"')();
  } catch {}
  return { isolated: crossOriginIsolated, code, Buffer: typeof Buffer, process: typeof process };
}

export async function load() {
  const { fetch } = globalThis;
  const fetched = [];
  globalThis.fetch = (url) => {
    fetched.push(String(url));
    return fetch(url);
  };
  await Promise.all([createHeap(), createHeap()]);
  const heap = await createHeap();
  globalThis.fetch = fetch;
  return {
    fetched,
    problems: heap.check(),
    refused: globalThis.refused ?? [],
  };
}

export async function buffers() {
  const heap = await createHeap();
  const { alloc, allocUnsafe, from, free } = heap;
  const text = from('naïve €', 'utf8');
  const bytes = alloc(5, 'ab');
  const large = alloc(10_000_000);
  large[9_999_999] = 1;
  crypto.getRandomValues(large.subarray(0, 1000));
  const zeroed = alloc(1000);
  const dirty = allocUnsafe(1000).fill(7);
  free(dirty);
  const again = alloc(1000);
  const parents = [];
  for (let p = Object.getPrototypeOf(text); p !== null; p = Object.getPrototypeOf(p)) {
    parents.push(p.constructor.name);
  }
  let twice;
  free(bytes);
  try {
    free(bytes);
  } catch ({ code }) {
    twice = code;
  }
  return {
    parents,
    isUint8Array: text instanceof Uint8Array,
    plainParent: Object.getPrototypeOf(Object.getPrototypeOf(text)) === Uint8Array.prototype,
    decoded: new TextDecoder().decode(text),
    copied: new TextDecoder().decode(text.toArrayBuffer()),
    oneMemory: text.buffer === large.buffer && text.buffer.byteLength === 256 * 2 ** 20,
    zeroed: zeroed.every((byte) => byte === 0),
    recycled: again === dirty && again.every((byte) => byte === 0),
    twice,
    problems: heap.check(),
  };
}
