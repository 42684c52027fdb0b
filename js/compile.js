/** Errors that say what could not be loaded or compiled, from where, and what can be done about it. */

const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** What keeps any module at all from being compiled here. */
function refusal() {
  if (typeof WebAssembly === 'undefined') return 'there is no WebAssembly in this engine';
  try {
    new WebAssembly.Module(EMPTY_MODULE);
    return undefined;
  } catch {
    return "the Content-Security-Policy forbids WebAssembly: its script-src needs 'wasm-unsafe-eval'";
  }
}

/** @param {Uint8Array | undefined} bytes */
const isHtml = (bytes) =>
  bytes !== undefined && /^\s*</.test(String.fromCharCode(...bytes.subarray(0, 64)));

/** Node's fetch says in a second error what failed. */
const reasonOf = (/** @type {any} */ error) => error.cause ?? error;

/**
 * @param {string} where
 * @param {unknown} cause an error, whose code this one will have, or a reason
 */
export function unloadable(where, cause) {
  const { message = cause, code } = reasonOf(cause);
  const text = `${where} could not be loaded: ${message}. The option \`wasm\` says where the module is.`;
  const error = new Error(text, typeof cause === 'string' ? {} : { cause });
  return Object.assign(error, code && { code });
}

/**
 * @param {string} where
 * @param {unknown} cause
 * @param {Uint8Array} [bytes] which could not be compiled
 */
export function uncompilable(where, cause, bytes) {
  const refused = refusal();
  const { message } = reasonOf(cause);
  const why =
    refused ??
    (isHtml(bytes)
      ? 'it is HTML, not WebAssembly, as servers send it that answer with a page whatever is asked for'
      : message);
  const advice = refused ? '' : ' The option `wasm` says where the module is.';
  const CompileError = globalThis.WebAssembly?.CompileError ?? Error;
  const error = new CompileError(`${where} could not be compiled: ${why}.${advice}`);
  return Object.defineProperty(error, 'cause', {
    value: cause,
    configurable: true,
    writable: true,
  });
}
