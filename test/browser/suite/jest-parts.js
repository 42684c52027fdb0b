/**
 * The few functions that expect, jest-each and jest-mock take from jest-util and jest-message-util,
 * which are made for Node.
 */

export const isPromise = (value) => typeof value?.then === 'function';

export const pluralize = (word, count, ending = 's') =>
  `${count} ${word}${count === 1 ? '' : ending}`;

export class ErrorWithStack extends Error {}

export const convertDescriptorToString = (descriptor) =>
  typeof descriptor === 'function' && descriptor.name ? descriptor.name : String(descriptor);

export const separateMessageFromStack = (stack) => ({ message: '', stack });
export const formatStackTrace = (stack) => stack;
export const formatExecError = ({ stack, message }) => stack ?? message;
