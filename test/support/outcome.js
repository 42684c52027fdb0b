import { comparable } from './heap.js';

/** Either the result of `action` or all that can be told from what it throws. */
export function outcome(action) {
  try {
    return action();
  } catch (error) {
    const { name } = error;
    return { name, ...comparable(error) };
  }
}
