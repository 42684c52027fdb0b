/** The shapes of typed views, written by hand: a comment of JSDoc says nothing of a type's members. */

/** Any of the typed arrays. */
export interface TypedArray extends ArrayBufferView {
  /** In elements. */
  length: number;
  /** The size of an element. */
  BYTES_PER_ELEMENT: number;
}

/** The class of typed arrays of a kind. */
export interface TypedArrayConstructor<V extends TypedArray> {
  /** A view of a part of a memory: `byteOffset` in bytes, `length` in elements. */
  new (buffer: ArrayBuffer, byteOffset: number, length: number): V;
  /** The size of an element. */
  readonly BYTES_PER_ELEMENT: number;
}

/** What a typed view of a heap adds: it owns its bytes as a HeapBuffer does. */
export interface Owned {
  /**
   * Gives the bytes back, as `heap.free(view)`.
   * @throws ERR_BUFFER_FREED when they were given back before
   * @throws ERR_HEAP_DISPOSED
   */
  free(): void;
  /** The same at the end of a `using` block, unless they were given back before. */
  [Symbol.dispose](): void;
}
