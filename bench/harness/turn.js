/** @type {(callback: () => void) => unknown} */
const soon = globalThis.setImmediate ?? afterMessage();

/** A page's timers wait for 4 ms. */
function afterMessage() {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return (/** @type {() => void} */ callback) => {
    waiting.push(callback);
    port2.postMessage(undefined);
  };
}

/** @returns {Promise<void>} comes back in the next turn of the event loop */
export const turn = () => new Promise((resolve) => soon(resolve));
