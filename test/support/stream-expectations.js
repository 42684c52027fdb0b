/** What must come of stream-workloads.js, wherever it runs. */

import { expect } from '@jest/globals';

const numbers = Array.from({ length: 20_000 }, (_, i) => i);

/** @type {Record<string, (result: any) => void>} */
export const expectations = {
  pipe({ from, to, bytes }) {
    expect(bytes).toBeGreaterThan(4e6);
    expect(to).toEqual(from);
  },

  objectPipe(seen) {
    expect(seen).toEqual(numbers.slice(0, 5000).map((i) => 2 * i));
  },

  // Each callback once and in order.
  smallWrites({ text, calls }) {
    expect(text).toBe(numbers.map((i) => `${i},`).join(''));
    expect(calls).toEqual(numbers);
  },

  // Destroys all, once.
  errorInTheMiddle(seen) {
    expect(seen).toEqual(['b', true, true]);
  },
};
