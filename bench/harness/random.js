/**
 * A small generator of random numbers (xorshift32): a stored seed gives the same order again.
 * @param {number} seed
 * @returns {() => number} at least 0, less than 1
 */
export function randomFrom(seed) {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * In place.
 * @template T
 * @param {T[]} items
 * @param {() => number} random
 */
export function shuffle(items, random) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
}

/**
 * The seed of one part of a run: neighbouring parts get seeds that have nothing to do with each
 * other, which xorshift's first numbers would show.
 * @param {number} seed
 * @param {number} part
 */
export function seedOf(seed, part) {
  const mixed = Math.imul(seed ^ Math.imul(part + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0 || 1;
}
