import { Buffer, constants } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { setDefaultResultOrder } from 'node:dns';
import { inspect } from 'node:util';
import {
  asyncStackCorrupted,
  bufferFreed,
  bufferOutOfBounds,
  heapDisposed,
  heapExhausted,
  invalidArgType,
  invalidArgValue,
  notInHeap,
  outOfRange,
  unknownEncoding,
  validateNumber,
} from '../../js/errors.js';

const major = Number.parseInt(process.versions.node, 10);

/** What `action` throws; a test that expects a throw fails when there is none. */
function caught(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/**
 * All that a user of an error sees but the stack, which the test runner formats anew. Node's own
 * errors come from another realm: no instanceof here.
 */
const facts = (error) => ({
  class: error.constructor.name,
  name: error.name,
  code: error.code,
  message: error.message,
  text: String(error),
  keys: Object.keys(error),
  named: Object.hasOwn(error, 'name'),
});

const same = (ours, theirs) => expect(facts(ours)).toEqual(facts(theirs));

const received = (error) => error.message.slice(error.message.indexOf('. Received '));

const values = {
  undefined: undefined,
  null: null,
  true: true,
  false: false,
  'a bigint': 5n,
  'a negative bigint': -5n,
  'a symbol': Symbol('a'),
  'a symbol without description': Symbol(),
  'an arrow function': () => {},
  'a named function': function named() {},
  'a class': class Thing {},
  'a function whose name is one too': Object.defineProperty(() => {}, 'name', { value() {} }),
  'a bound function': function named() {}.bind(null),
  'a plain object': { a: 1 },
  'an array': [1],
  'a map': new Map(),
  'a date': new Date(0),
  'a regular expression': /x/,
  'an error': new Error('x'),
  'an instance of a class': new (class Thing {})(),
  'an instance of a function': new (function Legacy() {})(),
  'an object tagged otherwise': { [Symbol.toStringTag]: 'Tag' },
  'an array buffer': new ArrayBuffer(2),
  'a typed array': new Float64Array(2),
  'a promise': Promise.resolve(),
  'a proxy': new Proxy({}, {}),
  'a boxed number': Object(5),
  'an object that inherits a constructor': Object.create({ constructor: { name: 'Zed' } }),
  'an empty object without prototype': Object.create(null),
  'an object without prototype': Object.assign(Object.create(null), { a: 1 }),
  'a tagged object without prototype': Object.assign(Object.create(null), {
    [Symbol.toStringTag]: 'Tag',
  }),
  'an object that hides its constructor': { constructor: undefined },
  'an object whose constructor is null': { constructor: null, a: 1 },
  'an array that hides its constructor': Object.assign([1], { constructor: undefined }),
  'a date that hides its constructor': Object.assign(new Date(0), { constructor: null }),
  'a constructor without a name': { constructor: Object.create(null) },
};

const texts = {
  'a word': 'abc',
  'an empty string': '',
  'a single quote': "it's",
  'both quotes': 'it\'s "it"',
  'a line break': 'a\nb',
  'control characters': '\0\u0001\u007f\u0085',
  'a backslash': 'a\\b',
  '25 characters': 'x'.repeat(25),
  '26 characters': 'x'.repeat(26),
  '28 characters': 'x'.repeat(28),
  '29 characters': 'x'.repeat(29),
  '29 characters and a quote cut off': `${'x'.repeat(28)}'`,
  '29 characters and a quote kept': `'${'x'.repeat(28)}`,
};

const numbers = [
  1.5,
  -1.5,
  -1,
  -0.5,
  2 ** 32,
  2 ** 53,
  -(2 ** 32),
  -12345678901,
  1e20,
  1e21,
  1e300,
];

describe('invalidArgType', () => {
  test.each(Object.keys(values))('names the kind of %s as Node does', (key) => {
    const value = values[key];
    same(
      invalidArgType('size', 'number', value),
      caught(() => Buffer.alloc(value)),
    );
  });

  test.each(Object.keys(texts))('shows a string of %s as Node does', (key) => {
    const value = texts[key];
    same(
      invalidArgType('size', 'number', value),
      caught(() => Buffer.alloc(value)),
    );
  });

  test.each([0, -0, 1, NaN, Infinity, -Infinity, ...numbers])('shows %p as Node does', (value) => {
    same(
      invalidArgType('encoding', 'string', value),
      caught(() => Buffer.alloc(1, 'a', value)),
    );
  });

  test.each(['undefined', 'true', 'a symbol', 'a plain object'])(
    'puts an ordinal in front of "argument" without quotes, for %s',
    (key) => {
      const expected = ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'];
      const value = values[key];
      same(
        invalidArgType('first argument', expected, value),
        caught(() => Buffer.from(value)),
      );
    },
  );

  test('joins one type and two classes', () => {
    same(
      invalidArgType('string', ['string', 'Buffer', 'ArrayBuffer'], 5),
      caught(() => Buffer.byteLength(5)),
    );
  });

  test('joins one type and three classes', () => {
    same(
      invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], 5),
      caught(() => createHash('sha256').update(5)),
    );
  });

  test('joins two types and two classes', () => {
    same(
      invalidArgType('value', ['number', 'string', 'Buffer', 'Uint8Array'], {}),
      caught(() => Buffer.alloc(1).indexOf({})),
    );
  });

  test('joins two classes', () => {
    same(
      invalidArgType('target', ['Buffer', 'Uint8Array'], 5),
      caught(() => Buffer.alloc(1).compare(5)),
    );
  });

  test('takes a class alone', () => {
    same(
      invalidArgType('list', 'Array', 5),
      caught(() => Buffer.concat(5)),
    );
  });

  test('takes a function for a type', () => {
    same(
      invalidArgType('callback', 'function', 5),
      caught(() => process.nextTick(5)),
    );
  });

  test('takes an object for a type, however it is written', () => {
    same(invalidArgType('envFile', 'object', 5), invalidArgType('envFile', 'Object', 5));
  });

  test('calls a name with a dot a property', () => {
    same(
      invalidArgType('options.cwd', ['string', 'Buffer', 'URL'], 5),
      caught(() => spawnSync('never-run', { cwd: 5 })),
    );
  });

  test('joins three types', () => {
    const { message } = invalidArgType('x', ['string', 'number', 'bigint'], null);
    expect(message).toBe(
      'The "x" argument must be one of type string, number, or bigint. Received null',
    );
  });

  test('joins two free wordings', () => {
    const { message } = invalidArgType('x', ['one-word', 'two words'], null);
    expect(message).toBe('The "x" argument must be one of one-word or two words. Received null');
  });

  test('puts no article before a free wording in lower case', () => {
    const { message } = invalidArgType('x', 'two words', null);
    expect(message).toBe('The "x" argument must be two words. Received null');
  });

  test.each([
    ['no name', { constructor: { name: '' } }, 'an instance of '],
    ['a number for a name', { constructor: { name: 5 } }, 'an instance of 5'],
  ])('reads an odd constructor as Node up to 25 does: %s', (_, value, text) => {
    const error = invalidArgType('size', 'number', value);
    expect(received(error)).toBe(`. Received ${text}`);
    if (major < 26)
      same(
        error,
        caught(() => Buffer.alloc(value)),
      );
  });

  test.each([
    ['a number', { constructor: 5 }],
    ['a string', { constructor: 'abc' }],
    ['a symbol', { constructor: Symbol('a') }],
    ['something named by a symbol', { constructor: { name: Symbol('a') } }],
  ])('survives a constructor that is %s, where Node before 26 does not', (_, value) => {
    const error = invalidArgType('size', 'number', value);
    expect(received(error)).toBe('. Received [Object]');
    if (major >= 26)
      same(
        error,
        caught(() => Buffer.alloc(value)),
      );
  });
});

describe('hostile values', () => {
  const boom = () => {
    throw new Error('boom');
  };
  const revoked = (target) => {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  };
  const thrower = new Proxy({}, new Proxy({}, { get: () => boom }));
  const hostile = {
    'a getter for the constructor that throws': Object.defineProperty({}, 'constructor', {
      get: boom,
    }),
    'a getter for the name that throws': {
      constructor: Object.defineProperty({}, 'name', { get: boom }),
    },
    'a name that cannot be turned into text': { constructor: { name: Object.create(null) } },
    'a function whose name is a symbol': Object.defineProperty(() => {}, 'name', {
      value: Symbol('a'),
    }),
    'a function whose name throws': Object.defineProperty(() => {}, 'name', { get: boom }),
    'a tag that throws': Object.defineProperty(Object.create(null), Symbol.toStringTag, {
      get: boom,
    }),
    'a proxy that throws at everything': thrower,
    'a revoked proxy': revoked({}),
    'a revoked proxy of an array': revoked([]),
    'a revoked proxy of a function': revoked(() => {}),
    'conversions that throw': { toString: boom, valueOf: boom, [Symbol.toPrimitive]: boom },
    'an inspection that throws': { [inspect.custom]: boom },
    'a length that throws': Object.defineProperty({}, 'byteLength', { get: boom }),
  };

  test.each(Object.keys(hostile))('%s: every error can be built', (key) => {
    const value = hostile[key];
    for (const error of [
      invalidArgType('a', 'number', value),
      outOfRange('a', '>= 0', value),
      invalidArgValue('a', value),
      unknownEncoding(value),
    ]) {
      expect(typeof error.message).toBe('string');
      expect(error.code).toMatch(/^ERR_/);
    }
  });
});

describe('outOfRange', () => {
  test.each(numbers)('shows %p as Node does', (value) => {
    const theirs = caught(() => Buffer.alloc(4).readUInt8(value));
    const range = Number.isInteger(value) ? '>= 0 and <= 3' : 'an integer';
    same(outOfRange('offset', range, value), theirs);
  });

  test.each([
    -1n,
    2n ** 64n,
    -(2n ** 64n),
    10n ** 21n,
    -(10n ** 20n),
    -(2n ** 32n),
    -(2n ** 32n) - 1n,
  ])('shows %p as Node does', (value) => {
    const theirs = caught(() => Buffer.alloc(8).writeBigUInt64LE(value));
    same(outOfRange('value', '>= 0n and < 2n ** 64n', value), theirs);
  });

  test('groups the digits of a long bigint in time that grows with their number', () => {
    const { message } = outOfRange('value', '>= 0', 10n ** 30000n);
    expect(message).toMatch(/Received 1(_000){10000}n$/);
  });

  test.each([
    [-0, '-0'],
    [NaN, 'NaN'],
    [-Infinity, '-Infinity'],
    ['a', "'a'"],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
  ])('shows %p as it is inspected', (value, text) => {
    expect(inspect(value)).toBe(text);
    expect(outOfRange('a', '>= 0', value).message).toBe(
      `The value of "a" is out of range. It must be >= 0. Received ${text}`,
    );
  });
});

describe('invalidArgValue', () => {
  const badHex = (text) => caught(() => Buffer.alloc(4, text, 'hex'));

  test.each([
    ['a word', 'zz'],
    ['a single quote', "it's"],
    ['a double quote', 'say "a"'],
    ['both quotes', 'it\'s "it"'],
    ['all three quotes', '\'"`'],
    ['control characters', '\0\b\t\n\v\f\r\u001b\u007f\u0080\u009f\u00a0'],
    ['a backslash', '\\x'],
    ['a lone leading surrogate', '\ud83d lone'],
    ['a lone trailing surrogate', 'lone \udfff'],
    ['a surrogate pair', '\u{1f600} pair'],
    ['a lone surrogate before the last code unit', '\ud908\uffff'],
    ['125 characters', 'z'.repeat(125)],
    ['126 characters', 'z'.repeat(126)],
    ['127 characters', 'z'.repeat(127)],
    ['20000 characters', 'z'.repeat(20000)],
    ['10001 characters, the last of which would change the quotes', `${'"'.repeat(10000)}'`],
  ])('quotes %s as Node does', (_, text) => {
    same(invalidArgValue('value', text), badHex(text));
  });

  test.each([
    ['a typed array', () => new Uint8Array(0)],
    ['a typed array of another type', () => new Float64Array(0)],
    ['a Buffer', () => Buffer.alloc(0)],
  ])('shows %s that is empty as Node does', (_, make) => {
    const value = make();
    same(
      invalidArgValue('value', value),
      caught(() => Buffer.alloc(4, value)),
    );
  });

  test.each([5, -0, 1.5, null, true, 5n, Symbol('a'), 'x'])('shows %p as Node does', (value) => {
    const theirs = caught(() => setDefaultResultOrder(value));
    expect(received(invalidArgValue('dnsOrder', value))).toBe(received(theirs));
  });

  test('names an object without showing its contents', () => {
    expect(received(invalidArgValue('a', { secret: 1 }))).toBe('. Received [Object]');
    expect(received(invalidArgValue('a', new Map([[1, 2]])))).toBe('. Received [Map]');
  });

  test('takes a reason', () => {
    expect(invalidArgValue('a', 5, 'must be a power of two').message).toBe(
      "The argument 'a' must be a power of two. Received 5",
    );
  });

  test('calls a name with a dot a property', () => {
    expect(invalidArgValue('options.a', 5).message).toBe(
      "The property 'options.a' is invalid. Received 5",
    );
  });
});

describe('unknownEncoding', () => {
  test.each([
    ['a word', 'nope'],
    ['a quote', "it's"],
    ['a line break', 'a\nb'],
    ['a lone surrogate', '\ud800'],
    ['200 characters', 'x'.repeat(200)],
  ])('shows %s as Node does', (_, text) => {
    same(
      unknownEncoding(text),
      caught(() => Buffer.from('a', text)),
    );
  });

  test.each([5, 5n, true, Symbol('a')])('shows %p, which is no string', (value) => {
    expect(unknownEncoding(value).message).toBe(`Unknown encoding: ${inspect(value)}`);
  });
});

describe('bufferOutOfBounds', () => {
  test('says it as Node does', () => {
    same(
      bufferOutOfBounds(),
      caught(() => Buffer.alloc(4).readDoubleLE(0)),
    );
  });

  test('names the argument as Node does', () => {
    same(
      bufferOutOfBounds('offset'),
      caught(() => Buffer.from(new ArrayBuffer(4), 5)),
    );
  });
});

describe('the errors of this package', () => {
  test('heapExhausted names the size asked for, the live and the reserved bytes', () => {
    const error = heapExhausted(64, 1000, 4096);
    expect(error).toBeInstanceOf(RangeError);
    expect(error.code).toBe('ERR_HEAP_EXHAUSTED');
    expect(error.message).toBe('Cannot allocate 64 bytes: 1000 bytes live of 4096 reserved');
  });

  test('asyncStackCorrupted names both ids', () => {
    const error = asyncStackCorrupted(5, 7);
    expect(error.code).toBe('ERR_ASYNC_STACK_CORRUPTED');
    expect(error.message).toContain('actual: 5, expected: 7');
  });

  test.each([
    [bufferFreed, 'ERR_BUFFER_FREED'],
    [notInHeap, 'ERR_NOT_IN_HEAP'],
    [heapDisposed, 'ERR_HEAP_DISPOSED'],
    [asyncStackCorrupted, 'ERR_ASYNC_STACK_CORRUPTED'],
  ])('%p is an Error of code %s, no TypeError or RangeError', (build, code) => {
    const error = build(1, 2);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('Error');
    expect(error.constructor).toBe(Error);
    expect(String(error)).toBe(`Error [${code}]: ${error.message}`);
  });
});

describe('the error objects', () => {
  test('are of the built-in class', () => {
    expect(invalidArgType('a', 'number', 'x')).toBeInstanceOf(TypeError);
    expect(outOfRange('a', '>= 0', -1)).toBeInstanceOf(RangeError);
  });

  test('have a code that can be changed', () => {
    const error = bufferFreed();
    error.code = 'OTHER';
    expect(error.code).toBe('OTHER');
  });

  test('are not shared', () => {
    expect(bufferFreed()).not.toBe(bufferFreed());
  });
});

describe('validateNumber', () => {
  const max = constants.MAX_LENGTH;

  test.each([-1, -0.5, NaN, Infinity, -Infinity, 1e300, -12345678901])(
    'refuses %p outside of two bounds as Node does',
    (value) => {
      same(
        caught(() => validateNumber(value, 'size', 0, max)),
        caught(() => Buffer.alloc(value)),
      );
    },
  );

  test.each(['1', null, undefined, 1n, {}, Object(1)])(
    'refuses %p, no number, as Node does',
    (value) => {
      same(
        caught(() => validateNumber(value, 'size', 0, max)),
        caught(() => Buffer.alloc(value)),
      );
    },
  );

  test.each([0, -0, 5, 1.5])('accepts %p inside of the bounds', (value) => {
    expect(validateNumber(value, 'size', 0, 5)).toBeUndefined();
  });

  test('accepts any number, NaN too, when there is no bound', () => {
    expect(validateNumber(NaN, 'size')).toBeUndefined();
    expect(validateNumber(-Infinity, 'size')).toBeUndefined();
  });

  test('names the lower bound alone', () => {
    expect(caught(() => validateNumber(-1, 'a', 0)).message).toBe(
      'The value of "a" is out of range. It must be >= 0. Received -1',
    );
  });

  test('names the upper bound alone', () => {
    expect(caught(() => validateNumber(NaN, 'a', undefined, 9)).message).toBe(
      'The value of "a" is out of range. It must be <= 9. Received NaN',
    );
  });
});

describe('a process of its own', () => {
  const run = (script, ...flags) => {
    const source = `import * as errors from ${JSON.stringify(new URL('../../js/errors.js', import.meta.url).href)};\n${script}`;
    const args = [...flags, '--no-warnings', '--input-type=module', '-e', source];
    return spawnSync(process.execPath, args, { encoding: 'utf8' });
  };

  test('the stack begins as the one of Node, and where the error was built', () => {
    const { stdout, stderr } = run(`
      const head = (error) => error.stack.slice(0, error.stack.indexOf('\\n    at '));
      const caught = (action) => { try { action(); } catch (error) { return error; } };
      function placeOfTheCall() { return errors.invalidArgType('size', 'number', 'x'); }
      const ours = placeOfTheCall();
      console.log(head(ours) === head(caught(() => Buffer.alloc('x'))));
      console.log(ours.stack.split('\\n')[1].includes('placeOfTheCall'));
    `);
    expect(stderr).toBe('');
    expect(stdout).toBe('true\ntrue\n');
  });

  test('an error is inspected as one of Node', () => {
    const { stdout, stderr } = run(`
      import { inspect } from 'node:util';
      const text = (error) => inspect(error).replace(/\\n {4}at [^\\n{]*/g, '');
      const caught = (action) => { try { action(); } catch (error) { return error; } };
      const ours = text(errors.invalidArgType('size', 'number', 'x'));
      const theirs = text(caught(() => Buffer.alloc('x')));
      console.log(ours === theirs || ours + theirs);
    `);
    expect(stderr).toBe('');
    expect(stdout).toBe('true\n');
  });

  test('an uncaught error is printed as one of Node', () => {
    const { stderr } = run(`throw errors.invalidArgType('size', 'number', 'x');`);
    expect(stderr).toContain(
      `TypeError [ERR_INVALID_ARG_TYPE]: The "size" argument must be of type number. Received type string ('x')\n    at `,
    );
    expect(stderr).toContain(`{\n  code: 'ERR_INVALID_ARG_TYPE'\n}`);
  });

  test('accessors planted on Object.prototype and Array.prototype change nothing', () => {
    const { stdout, stderr } = run(`
      const planted = { get() { return 'planted'; }, set() { throw new Error('planted'); }, configurable: true };
      for (const key of ['code', 'name', 'message', 'stack', 'get', 'set', 'value', 'writable']) {
        Object.defineProperty(Object.prototype, key, { __proto__: null, ...planted });
      }
      for (const key of [0, 1, 2, 3]) Object.defineProperty(Array.prototype, key, { __proto__: null, ...planted });
      const error = errors.invalidArgType('first argument', ['string', 'Buffer', 'ArrayBuffer'], {});
      const text = String(error) + ' / ' + error.name + ' / ' + error.code;
      for (const key of ['code', 'name', 'message', 'stack', 'get', 'set', 'value', 'writable']) delete Object.prototype[key];
      for (const key of [0, 1, 2, 3]) delete Array.prototype[key];
      console.log(text);
    `);
    expect(stderr).toBe('');
    expect(stdout).toBe(
      'TypeError [ERR_INVALID_ARG_TYPE]: The first argument must be of type string or an instance of Buffer or ArrayBuffer. Received an instance of Object / TypeError / ERR_INVALID_ARG_TYPE\n',
    );
  });

  test('frozen built-in prototypes do not get in the way', () => {
    const { stdout, stderr } = run(
      `
      for (const type of [Error, TypeError, RangeError, Object, Array]) Object.freeze(type.prototype);
      const error = errors.outOfRange('a', '>= 0', -1);
      console.log(error.stack.split('\\n')[0], error.name);
    `,
    );
    expect(stderr).toBe('');
    expect(stdout).toBe(
      'RangeError [ERR_OUT_OF_RANGE]: The value of "a" is out of range. It must be >= 0. Received -1 RangeError\n',
    );
  });

  test('a host without Error.captureStackTrace gets the same error', () => {
    const { stdout, stderr } = run(`
      delete Error.captureStackTrace;
      const error = errors.bufferFreed();
      console.log(String(error), error.name, typeof error.stack);
    `);
    expect(stderr).toBe('');
    expect(stdout).toBe(
      'Error [ERR_BUFFER_FREED]: The buffer has already been freed Error string\n',
    );
  });

  test('a host without Buffer names an empty view', () => {
    const { stdout } = run(`
      delete globalThis.Buffer;
      console.log(errors.invalidArgValue('value', new Uint8Array(0)).message);
    `);
    expect(stdout).toBe("The argument 'value' is invalid. Received Uint8Array(0) []\n");
  });
});
