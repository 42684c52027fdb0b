/**
 * What the tests cannot find out by themselves: filled in by whoever runs them before the first is
 * loaded, in a page by ./page.js, in Node by ./record.js.
 */
export const host = {
  /** Of the checkout; ends with a slash. */
  root: '',
  /** What the tests read of `process.env`. @type {Record<string, string>} */
  env: {},
  /** Of the Node that has answered. */
  nodeVersion: '',
  /** Of its Buffers. */
  maxLength: 0,
  /** Names. @type {string[]} */
  bufferMethods: [],
  /** The globals of another realm. @type {() => any} */
  realm: () => undefined,
  /** @type {(path: string) => Uint8Array | undefined} */
  read: () => undefined,
  /**
   * What Node does in a call: see ./answers.js.
   * @type {(call: import('./answers.js').Call) => any}
   */
  answer: () => undefined,
};
