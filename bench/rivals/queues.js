/** Queues for anything: first in, first out. */

/**
 * @typedef {object} Queue
 * @property {(item: any) => unknown} push
 * @property {() => any} shift undefined when it is empty
 *
 * @typedef {object} QueueRival
 * @property {string} name
 * @property {string} package
 * @property {() => Promise<Queue>} load
 */

/** @type {QueueRival[]} */
export const queueRivals = [
  {
    name: 'fast-fifo',
    package: 'fast-fifo',
    async load() {
      const { default: FastFifo } = await import('fast-fifo');
      const queue = new FastFifo();
      return { push: (item) => queue.push(item), shift: () => queue.shift() };
    },
  },
  {
    name: 'denque',
    package: 'denque',
    async load() {
      const { default: Denque } = await import('denque');
      const queue = new Denque();
      return { push: (item) => queue.push(item), shift: () => queue.shift() };
    },
  },
  {
    name: 'yocto-queue',
    package: 'yocto-queue',
    async load() {
      const { default: YoctoQueue } = await import('yocto-queue');
      const queue = new YoctoQueue();
      return { push: (item) => queue.enqueue(item), shift: () => queue.dequeue() };
    },
  },
];
