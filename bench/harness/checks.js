/**
 * What comes from a file may be anything. A check takes a value and its path, and gives a copy with
 * nothing in it that was not checked; it throws where something is wrong.
 */

/**
 * @template T
 * @typedef {(value: any, path: string) => T} Check
 */

/** Says which part is wrong, and what it should be. */
export class WrongPart extends Error {
  /** @param {string} path @param {string} should */
  constructor(path, should) {
    super(`${path} must be ${should}`);
    this.name = 'WrongPart';
  }
}

/** Neither control characters nor what turns the text around it, nor halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/**
 * In one line, and not longer.
 * @param {string} text
 * @param {number} [most] characters
 */
export const printable = (text, most = 500) =>
  text.slice(0, most).replace(new RegExp(UNPRINTABLE, 'gu'), ' ').replace(/ +/g, ' ').trim();

/**
 * @param {number} most characters
 * @returns {Check<string>}
 */
export const text = (most) => (value, path) => {
  if (typeof value === 'string' && value.length <= most && !UNPRINTABLE.test(value)) return value;
  throw new WrongPart(path, `a text of ${most} printable characters at most`);
};

/** @type {Check<string>} */
export const date = (value, path) => {
  if (!Number.isNaN(Date.parse(text(100)(value, path)))) return value;
  throw new WrongPart(path, 'a date');
};

/** @type {Check<boolean>} */
export const truth = (value, path) => {
  if (typeof value === 'boolean') return value;
  throw new WrongPart(path, 'true or false');
};

/** What is nearer to 0 and is not 0 was never measured, and divides to infinity. */
const NEAREST = 1e-15;

/**
 * @param {{ least?: number, most?: number, whole?: boolean }} [range]
 * @returns {Check<number>}
 */
export const number =
  ({ least = -1e15, most = 1e15, whole = false } = {}) =>
  (value, path) => {
    const isRight = Number.isFinite(value) && value >= least && value <= most;
    if (isRight && (!whole || Number.isInteger(value))) {
      if (value === 0 || Math.abs(value) >= NEAREST) return value;
      throw new WrongPart(path, `0, or not nearer to it than ${NEAREST}`);
    }
    throw new WrongPart(path, `a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
  };

/**
 * @template {string} T
 * @param {...T} values
 * @returns {Check<T>}
 */
export const oneOf =
  (...values) =>
  (value, path) => {
    if (values.includes(value)) return value;
    throw new WrongPart(path, values.join(' or '));
  };

/**
 * @template T
 * @param {Check<T>} check of each
 * @param {{ least?: number, most: number }} length
 * @returns {Check<T[]>}
 */
export const list =
  (check, { least = 0, most }) =>
  (value, path) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) {
      throw new WrongPart(path, `a list of ${least} to ${most}`);
    }
    return value.map((item, i) => check(item, `${path}[${i}]`));
  };

/** @param {unknown} value @param {string} path */
function entriesOf(value, path) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WrongPart(path, 'an object');
  }
  return Object.entries(value);
}

const LONGEST_NAME = 200;

/**
 * By names that the file is free to choose. Those that every object has are none: who looks them up
 * would find something else.
 * @template T
 * @param {Check<T>} check of each
 * @param {{ least?: number, most: number }} count
 * @returns {Check<Record<string, T>>}
 */
export const named =
  (check, { least = 0, most }) =>
  (value, path) => {
    const entries = entriesOf(value, path);
    if (entries.length < least || entries.length > most) {
      throw new WrongPart(path, `an object of ${least} to ${most} entries`);
    }
    return Object.fromEntries(
      entries.map(([name, part]) => {
        const isName = name.length > 0 && name.length <= LONGEST_NAME && !UNPRINTABLE.test(name);
        if (!isName || name in Object.prototype) {
          throw new WrongPart(`a name in ${path}`, `1 to ${LONGEST_NAME} printable characters`);
        }
        return [name, check(part, `${path}.${name}`)];
      }),
    );
  };

/**
 * With these fields; others are left out.
 * @template {Record<string, Check<any>>} Fields
 * @template {Record<string, Check<any>>} [Others={}]
 * @param {Fields} fields
 * @param {Others} [others] that may be missing
 * @returns {Check<{ [Key in keyof Fields]: ReturnType<Fields[Key]> } &
 *   { [Key in keyof Others]?: ReturnType<Others[Key]> }>}
 */
export const object = (fields, others) => (value, path) => {
  /** @type {any} */
  const copy = {};
  const pathOf = (/** @type {string} */ key) => (path === '' ? key : `${path}.${key}`);
  const checkOf = (/** @type {string} */ key) =>
    [fields, others].find((some) => some && Object.hasOwn(some, key))?.[key];
  for (const [key, part] of entriesOf(value, path)) {
    const check = checkOf(key);
    if (check && part !== undefined) copy[key] = check(part, pathOf(key));
  }
  for (const [key, check] of Object.entries(fields)) {
    if (!Object.hasOwn(copy, key)) check(undefined, pathOf(key));
  }
  return copy;
};
