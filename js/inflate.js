/**
 * Raw DEFLATE (RFC 1951), synchronously: browsers have it only as a stream. For data that our own
 * build packed, so there are no checksums; what is broken still ends in an error.
 */

const MAX_BITS = 15;
const END_OF_BLOCK = 256;

/** The order in which a block tells how long the codes of the code lengths are. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * The first value of each symbol of a length or a distance, and how many bits are added to it.
 * @param {number} first
 * @param {number} count of symbols
 * @param {number} group how many symbols share a number of bits
 */
function ranges(first, count, group) {
  const bits = Array.from({ length: count }, (_, i) => Math.max(0, Math.floor(i / group) - 1));
  let next = first;
  return bits.map((extra) => {
    const base = next;
    next += 2 ** extra;
    return { base, extra };
  });
}

/**
 * A canonical Huffman code: how many codes there are of each number of bits, and the symbols in the
 * order of their codes.
 * @param {ArrayLike<number>} lengths the number of bits of each symbol's code, or 0
 */
function codeOf(lengths) {
  const symbols = Array.from(lengths, (_, symbol) => symbol)
    .filter((symbol) => lengths[symbol] > 0)
    .sort((a, b) => lengths[a] - lengths[b] || a - b);
  const counts = new Uint16Array(MAX_BITS + 1);
  for (const symbol of symbols) counts[lengths[symbol]]++;
  return { counts, symbols };
}

/** @typedef {ReturnType<typeof codeOf>} Code */

/**
 * @param {Uint8Array} source
 * @param {number} size of the result, bytes
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function inflate(source, size) {
  const target = new Uint8Array(size);
  const lengths = ranges(3, 29, 4);
  lengths[28] = { base: 258, extra: 0 };
  const distances = ranges(1, 30, 2);
  let written = 0;
  let at = 0; // in bits

  const bit = () => {
    if (at >= source.length * 8) throw new RangeError('The compressed data ends too early');
    const value = (source[at >>> 3] >>> (at & 7)) & 1;
    at++;
    return value;
  };

  /** @param {number} count */
  const bits = (count) => {
    let value = 0;
    for (let i = 0; i < count; i++) value |= bit() << i;
    return value;
  };

  /** @param {Code} code */
  const symbolOf = ({ counts, symbols }) => {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= MAX_BITS; length++) {
      code |= bit();
      const count = counts[length];
      if (code < first + count) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new RangeError('The compressed data has a code that it does not define');
  };

  /** @param {number} byte */
  const put = (byte) => {
    if (written >= size) throw new RangeError('The compressed data is longer than it should be');
    target[written++] = byte;
  };

  const stored = () => {
    at = (at + 7) & ~7;
    const length = bits(16);
    bits(16); // its complement
    for (let i = 0; i < length; i++) put(bits(8));
  };

  const readCodes = () => {
    const literals = bits(5) + 257;
    const total = literals + bits(5) + 1;
    const own = new Uint8Array(ORDER.length);
    for (let i = 0, count = bits(4) + 4; i < count; i++) own[ORDER[i]] = bits(3);
    const code = codeOf(own);
    const all = new Uint8Array(total);
    let i = 0;
    while (i < total) {
      const symbol = symbolOf(code);
      if (symbol < 16) {
        all[i++] = symbol;
        continue;
      }
      const value = symbol === 16 ? all[i - 1] : 0;
      const count = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
      all.fill(value, i, i + count);
      i += count;
    }
    return [codeOf(all.subarray(0, literals)), codeOf(all.subarray(literals))];
  };

  const fixedCodes = () => [
    codeOf(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
    codeOf(new Uint8Array(30).fill(5)),
  ];

  /** @param {Code[]} codes of literals and lengths, of distances */
  const compressed = ([literals, back]) => {
    for (;;) {
      const symbol = symbolOf(literals);
      if (symbol === END_OF_BLOCK) return;
      if (symbol < END_OF_BLOCK) {
        put(symbol);
        continue;
      }
      const { base, extra } = lengths[symbol - END_OF_BLOCK - 1];
      const length = base + bits(extra);
      const far = distances[symbolOf(back)];
      const from = written - far.base - bits(far.extra);
      if (from < 0) throw new RangeError('The compressed data reaches back past its start');
      for (let i = 0; i < length; i++) put(target[from + i]);
    }
  };

  let last;
  do {
    last = bit();
    const kind = bits(2);
    if (kind === 0) stored();
    else if (kind < 3) compressed(kind === 1 ? fixedCodes() : readCodes());
    else throw new RangeError('The compressed data has a block of no known kind');
  } while (!last);
  if (written < size) throw new RangeError('The compressed data is shorter than it should be');
  return target;
}
