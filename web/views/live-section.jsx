import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** @import { LiveView } from '../live/live-view.jsx' */

/** Loaded when it comes near: most of the page is seen without it. */
export function LiveSection() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const View = useSignal(/** @type {typeof LiveView | undefined} */ (undefined));
  const problem = useSignal('');

  useEffect(() => {
    const observer = new IntersectionObserver(
      async (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        try {
          View.value = (await import('../live/live-view.jsx')).LiveView;
        } catch (error) {
          problem.value = /** @type {Error} */ (error).message;
        }
      },
      { rootMargin: '600px' },
    );
    observer.observe(/** @type {HTMLElement} */ (place.current));
    return () => observer.disconnect();
  }, []);

  const Loaded = View.value;
  return (
    <section id="live" aria-labelledby="live-title" ref={place}>
      <h2 id="live-title">A heap at work</h2>
      <p>
        A workload runs on a heap of its own, in a worker: what its regions and slabs hold, how full
        they are, how deep the queue of ticks and the stack of ids get.
      </p>
      {Loaded && <Loaded />}
      {problem.value !== '' && <p class="problem">It could not be loaded: {problem.value}</p>}
    </section>
  );
}
