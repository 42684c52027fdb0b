/** What is drawn or made is so one a task: the page answers in between. */

/** @type {Set<() => void>} */
const waiting = new Set();
let isRunning = false;

async function run() {
  isRunning = true;
  for (const action of waiting) {
    waiting.delete(action);
    await new Promise((resolve) => setTimeout(resolve));
    try {
      action();
    } catch (error) {
      // One that fails holds up no other.
      reportError(error);
    }
  }
  isRunning = false;
}

/**
 * @param {() => void} action
 * @returns {() => void} keeps it from being done
 */
export function queueTask(action) {
  waiting.add(action);
  if (!isRunning) run();
  return () => waiting.delete(action);
}
