/** What the makers of heaps say of a module that is not there, or must not be compiled. */

import * as inline from '/dist/inline.js';
import { createHeap, createHeapSync } from '/dist/slabring.js';

const outcome = async (make) => {
  try {
    return new TextDecoder().decode((await make()).from('loaded'));
  } catch ({ name, message, cause }) {
    return { name, message, cause: cause?.message };
  }
};

export const from = (wasm) => outcome(() => createHeap({ wasm }));

export async function all() {
  const bytes = await (await fetch('/dist/slabring.wasm')).arrayBuffer();
  return {
    shipped: await outcome(() => createHeap()),
    given: await outcome(() => createHeap({ wasm: bytes })),
    sync: await outcome(() => createHeapSync(bytes)),
    inline: await outcome(() => inline.createHeap()),
    inlineSync: await outcome(() => inline.createHeapSync()),
  };
}
