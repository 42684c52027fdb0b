/** Numbers as the live view writes them. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/** @param {number} value */
export const whole = (value) => value.toLocaleString('en', { maximumFractionDigits: 0 });

/** @param {number} bytes */
export function inBytes(bytes) {
  if (bytes === 1) return '1 byte';
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

/** @param {number} share 0 to 1 */
export const percent = (share) =>
  share.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });

/** @param {number} time */
export const seconds = (time) =>
  `${time.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;

/**
 * @param {number} count
 * @param {string} unit of one and of many, as "buffer|buffers", or the same of both
 */
export function counted(count, unit) {
  const [one, many = one] = unit.split('|');
  return `${whole(count)} ${count === 1 ? one : many}`;
}
