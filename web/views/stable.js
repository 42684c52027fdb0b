import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';

/**
 * The same object until its contents change: findings are new with every repetition, and most of them
 * say what they said before.
 * @template T
 * @param {() => T} compute small
 */
export function useStable(compute) {
  const last = useRef({ text: '', value: /** @type {T | undefined} */ (undefined) });
  return useComputed(() => {
    const value = compute();
    const text = JSON.stringify(value);
    if (text !== last.current.text) last.current = { text, value };
    return /** @type {T} */ (last.current.value);
  });
}
