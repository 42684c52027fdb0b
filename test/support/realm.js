import { runInNewContext } from 'node:vm';

/** The globals of another realm: its classes are not ours, and its objects no instances of ours. */
export const realm = runInNewContext('globalThis');
