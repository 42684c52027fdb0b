/** Charts are drawn one a task: the page answers in between. */

/** @type {Set<() => void>} */
const waiting = new Set();
let isRunning = false;

async function run() {
  isRunning = true;
  for (const draw of waiting) {
    waiting.delete(draw);
    await new Promise((resolve) => setTimeout(resolve));
    draw();
  }
  isRunning = false;
}

/**
 * @param {() => void} draw
 * @returns {() => void} makes it not be drawn
 */
export function queueDrawing(draw) {
  waiting.add(draw);
  if (!isRunning) run();
  return () => waiting.delete(draw);
}
