import { invalidArgType, notInHeap } from './errors.js';
import { HeapBuffer } from './heap-buffer.js';
import { byteOffsetOf, memoryOf } from './host.js';

/** @import { Heap } from './heap.js' */

/**
 * @typedef {Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array
 *   | Uint32Array | Float32Array | Float64Array | BigInt64Array | BigUint64Array | DataView} View
 */

/**
 * @template {View} V
 * @typedef {new (memory: ArrayBuffer, byteOffset: number, length: number) => V} ViewType
 */

/**
 * The bytes of a typed view and of its parts. The buffer is known to nobody else.
 * @typedef {object} Bytes
 * @property {HeapBuffer} buffer
 * @property {View} view of all of them, which is what is freed
 * @property {Function} Class of the view
 * @property {Heap} heap
 * @property {boolean} isLive
 */

/** @type {WeakMap<object, Bytes>} */
const bytesOfView = new WeakMap();

/** @type {WeakMap<HeapBuffer, View>} The view that a buffer had last: it is handed out with it. */
const lastView = new WeakMap();

/** @type {Map<Function, ViewType<any> | undefined>} */
const classes = new Map(
  [
    'Int8Array',
    'Uint8Array',
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
    'Float16Array',
    'Float32Array',
    'Float64Array',
    'BigInt64Array',
    'BigUint64Array',
    'DataView',
  ].flatMap((name) => {
    const Type = /** @type {any} */ (globalThis)[name];
    return Type === undefined ? [] : [[Type, undefined]];
  }),
);

/**
 * The bytes of a typed view, undefined of anything else.
 * @param {unknown} view
 */
export const bytesUnder = (view) =>
  typeof view === 'object' && view !== null ? bytesOfView.get(view) : undefined;

/**
 * @param {unknown} view
 * @returns {HeapBuffer | undefined}
 */
export const bufferOf = (view) => bytesUnder(view)?.buffer;

/**
 * The class of views of a type, and the bytes of an element.
 * @param {any} Type
 * @throws ERR_INVALID_ARG_TYPE
 */
export function viewClass(Type) {
  if (!classes.has(Type)) {
    throw invalidArgType('Type', 'ArrayBufferView constructor', Type);
  }
  let Class = classes.get(Type);
  if (Class === undefined) {
    Class = makeClass(Type);
    classes.set(Type, Class);
  }
  return { Class, elementSize: Type.BYTES_PER_ELEMENT ?? 1 };
}

/**
 * The view of all of a buffer; the one it had before, where that is of the same type.
 * @param {ViewType<any>} Class
 * @param {HeapBuffer} buffer
 * @param {number} length
 * @param {Heap} heap
 */
export function viewOf(Class, buffer, length, heap) {
  const last = bytesUnder(lastView.get(buffer));
  if (last?.Class === Class) {
    last.isLive = true;
    return last.view;
  }
  const view = new Class(memoryOf(buffer), byteOffsetOf(buffer), length);
  bytesOfView.set(view, { buffer, view, Class, heap, isLive: true });
  lastView.set(buffer, view);
  return view;
}

/**
 * The buffer was freed by itself: the view that it had last does not own it any more.
 * @param {HeapBuffer} buffer
 */
export function retireView(buffer) {
  const last = bytesUnder(lastView.get(buffer));
  if (last !== undefined) last.isLive = false;
}

/** @param {any} Type */
function makeClass(Type) {
  const Class = class extends Type {
    /** `map`, `filter` and the like make ordinary arrays. */
    static get [Symbol.species]() {
      return Type;
    }

    /** Gives the bytes back to their heap, as `heap.free(view)`. */
    free() {
      const bytes = bytesUnder(this);
      if (bytes === undefined) throw notInHeap();
      bytes.heap.free(/** @type {any} */ (this));
    }
  };
  Object.defineProperty(Class, 'name', { value: `Heap${Type.name}` });
  if (Type !== globalThis.DataView) {
    Object.defineProperty(Class.prototype, 'subarray', {
      /**
       * A part, which keeps the bytes from being collected, and is not freed by itself.
       * @this {any}
       * @param {number} [start]
       * @param {number} [end]
       */
      value(start, end) {
        const plain = Type.prototype.subarray.call(this, start, end);
        const part = new /** @type {any} */ (Class)(plain.buffer, plain.byteOffset, plain.length);
        const whole = bytesUnder(this);
        if (whole !== undefined) bytesOfView.set(part, whole);
        return part;
      },
      writable: true,
      configurable: true,
    });
  }
  if (Symbol.dispose) {
    Object.defineProperty(Class.prototype, Symbol.dispose, {
      /** @this {any} */
      value() {
        const bytes = bytesUnder(this);
        if (bytes?.isLive && bytes.view === this) this.free();
      },
      writable: true,
      configurable: true,
    });
  }
  return Class;
}
