/** PROPERTY_RUNS=20 looks twenty times as long, 0.2 a fifth. */
export const FACTOR = Number(process.env.PROPERTY_RUNS) || 1;

/** How often a property is tried: fast-check would try it forever for 1.5 times. */
export const times = (/** @type {number} */ count) => Math.ceil(count * FACTOR);
