import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { queueTask } from './queue.js';

/** What is not at the top of the page: made in a task of its own. @param {{ children: () => import('preact').ComponentChildren }} props */
export function Later({ children }) {
  const isMade = useSignal(false);
  useEffect(
    () =>
      queueTask(() => {
        isMade.value = true;
      }),
    [],
  );
  return isMade.value ? children() : null;
}
