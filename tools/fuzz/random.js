/**
 * Whole numbers below a limit, always the same ones for a seed: Marsaglia's xorshift of 32 bits.
 * @param {number} seed
 * @returns {(limit: number) => number}
 */
export function makeRandom(seed) {
  // Never 0, of which only zeros would follow; neighbouring seeds begin far apart.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}
