/**
 * Errors of Node's kind: the class, the `code`, the words. Each export builds one error and
 * returns it; the caller throws. Building does not throw, whatever value is being reported: a
 * refused call must show why it was refused, not trip over a hostile argument.
 *
 * The texts are those of Node 20, but for two: objects are named, not inspected in depth, and a
 * string stays on one line.
 */

/** @typedef {Error & { code: string }} CodedError */

/**
 * @template {any[]} A
 * @param {new (message: string) => Error} Base
 * @param {string} code
 * @param {(...args: A) => string} describe
 */
const define = (Base, code, describe) => {
  const title = `${Base.name} [${code}]`;
  // Fields are defined, not assigned: neither frozen built-in prototypes nor setters planted on
  // them get in the way.
  class Coded extends Base {
    code = code;
    /** @override */
    name = title;
    /** @override */
    toString() {
      return `${title}: ${this.message}`;
    }
  }
  // What is left is the constructor of the built-in class, which is what loggers shall show.
  Reflect.deleteProperty(Coded.prototype, 'constructor');
  /**
   * @param {A} args
   * @returns {CodedError}
   */
  const create = (...args) => {
    const error = new Coded(describe(...args));
    // Engines write the name into the head of the stack when it is captured or first read: the
    // error has its long name for just that long. This function is left out of the trace.
    Error.captureStackTrace?.(error, create);
    void error.stack;
    Reflect.deleteProperty(error, 'name');
    return error;
  };
  return create;
};

/**
 * A string as a literal: the quote that needs no escape if there is one, control characters and
 * lone surrogates escaped.
 * @param {string} text
 */
const quote = (text) => {
  const mark = ["'", '"', '`'].find((mark) => !text.includes(mark)) ?? "'";
  // Pairs are matched to be left alone; with the flag u, WebKit misses a surrogate before U+FFFF.
  const body = text.replace(
    /[\ud800-\udbff][\udc00-\udfff]|[^ -~\xa0-\ud7ff\ue000-\uffff]|\\/g,
    (char) => {
      if (char.length > 1) return char;
      const json = JSON.stringify(char);
      // Node writes \x0B, as `escape` does but for the sign, where JSON writes \u000b or nothing.
      return json.length === 4 || char > '\xff'
        ? json.slice(1, -1)
        : escape(char).replace('%', '\\x');
    },
  );
  return mark + body.replaceAll(mark, `\\${mark}`) + mark;
};

/**
 * What was received: for a refused type its kind, otherwise the value.
 * @param {any} value
 * @param {boolean} byKind
 * @returns {string}
 */
const show = (value, byKind) => {
  const type = typeof value;
  try {
    if (byKind && type === 'function') return `function ${value.name}`;
    if (Object(value) === value) {
      const name = value.constructor?.name;
      if (byKind && name != null) return `an instance of ${name}`;
      const tag = Object.prototype.toString.call(value).slice(8, -1);
      if (!Object.getPrototypeOf(value)) {
        return `[${tag}: null prototype]${Reflect.ownKeys(value).length ? '' : ' {}'}`;
      }
      if (value.byteLength !== 0) return `[${name ?? tag}]`;
      return globalThis.Buffer?.isBuffer(value) ? `<${name} >` : `${name}(0) []`;
    }
  } catch {
    return '[Object]';
  }
  if (type === 'string') {
    if (!byKind) return quote(value.slice(0, 1e4));
    const text = value.length > 28 ? `${value.slice(0, 25)}...` : value;
    return `type string (${text.includes("'") ? JSON.stringify(text) : `'${text}'`})`;
  }
  const text = type === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : String(value);
  return byKind && value != null ? `type ${type} (${text})` : text;
};

/** @param {string} name */
const role = (name) => (name.includes('.') ? 'property' : 'argument');

/** @param {string} item 0 for a type, 1 for a class, 2 for free wording */
const sort = (item) => (/[^\w.]/.test(item) ? 2 : /^([a-z]+|Function|Object)$/.test(item) ? 0 : 1);

/**
 * `expected` mixes type names ("number"), class names ("Buffer") and free wording. Beside classes
 * 'object' stays a type: Node would make it one more class.
 */
export const invalidArgType = /* @__PURE__ */ define(
  TypeError,
  'ERR_INVALID_ARG_TYPE',
  (
    /** @type {string} */ name,
    /** @type {string | string[]} */ expected,
    /** @type {unknown} */ actual,
  ) => {
    const wanted = [0, 1, 2].flatMap((group) => {
      const items = [expected].flat().filter((item) => sort(item) === group);
      const text = items.join(', ').replace(/,([^,]+)$/, items.length > 2 ? ', or$1' : ' or$1');
      const many = items.length > 1 ? 'one ' : '';
      if (!text) return [];
      if (!group) return `${many}of type ${text.toLowerCase()}`;
      return (
        (group < 2 ? 'an instance of ' : many ? 'one of ' : /[A-Z]/.test(text) ? 'an ' : '') + text
      );
    });
    const subject = name.endsWith(' argument') ? name : `"${name}" ${role(name)}`;
    return `The ${subject} must be ${wanted.join(' or ')}. Received ${show(actual, true)}`;
  },
);

export const outOfRange = /* @__PURE__ */ define(
  RangeError,
  'ERR_OUT_OF_RANGE',
  (/** @type {string} */ name, /** @type {string} */ range, /** @type {any} */ actual) => {
    const big =
      (typeof actual === 'bigint' || Number.isInteger(actual)) &&
      (actual > 2 ** 32 || actual < -(2 ** 32));
    // Threes counted from the end, sign and suffix left aside.
    const text = show(actual, false).replace(/^(-?)([^n]*)/, (all, sign, digits) => {
      const head = ((digits.length - 1) % 3) + 1;
      return big ? sign + digits.slice(0, head) + digits.slice(head).replace(/.../g, '_$&') : all;
    });
    return `The value of "${name}" is out of range. It must be ${range}. Received ${text}`;
  },
);

export const invalidArgValue = /* @__PURE__ */ define(
  TypeError,
  'ERR_INVALID_ARG_VALUE',
  (/** @type {string} */ name, /** @type {unknown} */ value, reason = 'is invalid') => {
    const text = show(value, false);
    return `The ${role(name)} '${name}' ${reason}. Received ${
      text.length > 128 ? `${text.slice(0, 128)}...` : text
    }`;
  },
);

export const unknownEncoding = /* @__PURE__ */ define(
  TypeError,
  'ERR_UNKNOWN_ENCODING',
  (/** @type {unknown} */ encoding) =>
    `Unknown encoding: ${typeof encoding === 'string' ? encoding : show(encoding, false)}`,
);

export const bufferOutOfBounds = /* @__PURE__ */ define(
  RangeError,
  'ERR_BUFFER_OUT_OF_BOUNDS',
  (/** @type {string} */ name = '') =>
    name
      ? `"${name}" is outside of buffer bounds`
      : 'Attempt to access memory outside buffer bounds',
);

/** All three figures in bytes. */
export const heapExhausted = /* @__PURE__ */ define(
  RangeError,
  'ERR_HEAP_EXHAUSTED',
  (/** @type {number} */ size, /** @type {number} */ live, /** @type {number} */ reserved) =>
    `Cannot allocate ${size} bytes: ${live} bytes live of ${reserved} reserved`,
);

/** All three figures in bytes. */
export const arenaExhausted = /* @__PURE__ */ define(
  RangeError,
  'ERR_HEAP_EXHAUSTED',
  (/** @type {number} */ bytes, /** @type {number} */ used, /** @type {number} */ size) =>
    `Cannot allocate ${bytes} bytes in the arena: ${used} bytes used of ${size}`,
);

export const bufferFreed = /* @__PURE__ */ define(
  Error,
  'ERR_BUFFER_FREED',
  (/** @type {string} */ which = '') => `The buffer has already been freed${which && `: ${which}`}`,
);

/** In debug mode: a buffer whose surroundings were written to. */
export const heapCorrupted = /* @__PURE__ */ define(
  Error,
  'ERR_HEAP_CORRUPTED',
  (/** @type {string} */ problem) => problem,
);

export const notInHeap = /* @__PURE__ */ define(
  Error,
  'ERR_NOT_IN_HEAP',
  () => 'The view was not allocated by this heap',
);

/** The buffer that the view is part of: bytes from the start of its memory. */
export const partOfBuffer = /* @__PURE__ */ define(
  Error,
  'ERR_NOT_IN_HEAP',
  (/** @type {number} */ length, /** @type {number} */ byteOffset) =>
    `The view is part of a buffer: free that one, of ${length} bytes at byteOffset ${byteOffset}`,
);

export const invalidState = /* @__PURE__ */ define(
  Error,
  'ERR_INVALID_STATE',
  (/** @type {string} */ what) => `Invalid state: ${what}`,
);

/** As of what Node has and a page has not. */
export const notImplemented = /* @__PURE__ */ define(
  Error,
  'ERR_METHOD_NOT_IMPLEMENTED',
  (/** @type {string} */ method) => `The ${method} method is not implemented`,
);

/** `actual` is the id on top of the stack, `expected` the id that was to be popped. */
export const asyncStackCorrupted = /* @__PURE__ */ define(
  Error,
  'ERR_ASYNC_STACK_CORRUPTED',
  (/** @type {number} */ actual, /** @type {number} */ expected) =>
    `The async id stack is corrupted (actual: ${actual}, expected: ${expected})`,
);

export const asyncCallback = /* @__PURE__ */ define(
  TypeError,
  'ERR_ASYNC_CALLBACK',
  (/** @type {string} */ name) => `${name} must be a function`,
);

export const heapDisposed = /* @__PURE__ */ define(
  Error,
  'ERR_HEAP_DISPOSED',
  (what = 'heap') => `The ${what} has been disposed of`,
);

/**
 * Throws unless `value` is a number from `min` to `max`; a missing bound is none, and NaN is
 * outside of any bound.
 * @param {unknown} value
 * @param {string} name
 * @param {number} [min]
 * @param {number} [max]
 * @returns {asserts value is number}
 */
export function validateNumber(value, name, min, max) {
  if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
  const low = min != null;
  const high = max != null;
  if ((low && !(value >= min)) || (high && !(value <= max))) {
    throw outOfRange(
      name,
      `${low ? `>= ${min}` : ''}${low && high ? ' && ' : ''}${high ? `<= ${max}` : ''}`,
      value,
    );
  }
}

/**
 * The same, and unless it is whole.
 * @param {unknown} value
 * @param {string} name
 * @param {number} min
 * @param {number} max
 * @returns {asserts value is number}
 */
export function validateInteger(value, name, min, max) {
  validateNumber(value, name);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  validateNumber(value, name, min, max);
}
