/**
 * Normals of triangles, with a vector of three doubles for each step of the calculation: in plain
 * numbers, in arrays of any origin, and at pointers into an arena. The results are equal to the bit.
 * Imports nothing: each implementation has its own copy.
 *
 * Each is one loop. Cut into small functions, it depends on which of them the engine writes into
 * which: the same code takes 4 or 6 ns a vector, by process.
 */

/** @import { Arena } from '../../js/arena.js' */

const TRIANGLES = 250;
/** What a batch makes: of each triangle two edges, their product, and that at length 1. */
export const BATCH = 4 * TRIANGLES;

/** Corners: x, y, z of each, three a triangle. */
const mesh = Float64Array.from({ length: 9 * TRIANGLES }, (_, i) => Math.sin(i * i));

/** What a batch must come to. */
export function expected() {
  let sum = 0;
  for (let at = 0; at < mesh.length; at += 9) {
    const px = mesh[at + 3] - mesh[at];
    const py = mesh[at + 4] - mesh[at + 1];
    const pz = mesh[at + 5] - mesh[at + 2];
    const qx = mesh[at + 6] - mesh[at];
    const qy = mesh[at + 7] - mesh[at + 1];
    const qz = mesh[at + 8] - mesh[at + 2];
    const x = py * qz - pz * qy;
    const y = pz * qx - px * qz;
    const z = px * qy - py * qx;
    const length = Math.sqrt(x * x + y * y + z * z);
    sum += x / length + y / length + z / length;
  }
  return sum;
}

/**
 * @param {() => Float64Array} create three doubles of any value
 * @param {(array: Float64Array) => void} release done with it
 * @returns {() => number} does a batch
 */
export function withArrays(create, release) {
  return () => {
    let sum = 0;
    for (let at = 0; at < mesh.length; at += 9) {
      const p = create();
      p[0] = mesh[at + 3] - mesh[at];
      p[1] = mesh[at + 4] - mesh[at + 1];
      p[2] = mesh[at + 5] - mesh[at + 2];
      const q = create();
      q[0] = mesh[at + 6] - mesh[at];
      q[1] = mesh[at + 7] - mesh[at + 1];
      q[2] = mesh[at + 8] - mesh[at + 2];
      const n = create();
      n[0] = p[1] * q[2] - p[2] * q[1];
      n[1] = p[2] * q[0] - p[0] * q[2];
      n[2] = p[0] * q[1] - p[1] * q[0];
      release(p);
      release(q);
      const length = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      const unit = create();
      unit[0] = n[0] / length;
      unit[1] = n[1] / length;
      unit[2] = n[2] / length;
      release(n);
      sum += unit[0] + unit[1] + unit[2];
      release(unit);
    }
    return sum;
  };
}

/**
 * @param {Arena} arena
 * @returns {() => number} does a batch
 */
export function withArena(arena) {
  const { f64 } = arena;
  return () => {
    const mark = arena.mark();
    let sum = 0;
    for (let at = 0; at < mesh.length; at += 9) {
      const p = arena.alloc(24) >> 3;
      f64[p] = mesh[at + 3] - mesh[at];
      f64[p + 1] = mesh[at + 4] - mesh[at + 1];
      f64[p + 2] = mesh[at + 5] - mesh[at + 2];
      const q = arena.alloc(24) >> 3;
      f64[q] = mesh[at + 6] - mesh[at];
      f64[q + 1] = mesh[at + 7] - mesh[at + 1];
      f64[q + 2] = mesh[at + 8] - mesh[at + 2];
      const n = arena.alloc(24) >> 3;
      f64[n] = f64[p + 1] * f64[q + 2] - f64[p + 2] * f64[q + 1];
      f64[n + 1] = f64[p + 2] * f64[q] - f64[p] * f64[q + 2];
      f64[n + 2] = f64[p] * f64[q + 1] - f64[p + 1] * f64[q];
      const length = Math.sqrt(f64[n] * f64[n] + f64[n + 1] * f64[n + 1] + f64[n + 2] * f64[n + 2]);
      const unit = arena.alloc(24) >> 3;
      f64[unit] = f64[n] / length;
      f64[unit + 1] = f64[n + 1] / length;
      f64[unit + 2] = f64[n + 2] / length;
      sum += f64[unit] + f64[unit + 1] + f64[unit + 2];
    }
    arena.reset(mark);
    return sum;
  };
}
