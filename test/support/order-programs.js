/**
 * Programs that tell in which order ticks, microtasks and tasks run, for browsers and for Node. Each
 * gets the same few functions:
 *
 *   log    notes what runs
 *   tick   the nextTick in question
 *   heap   whose it is
 *   task   queues a task by a MessageChannel
 *   timer  queues a task by setTimeout
 */

/** @type {Record<string, (given: any) => void>} */
export const programs = {
  'a tick, a microtask, a tick'({ log, tick }) {
    tick(() => log('tick 1'));
    Promise.resolve().then(() => log('job'));
    queueMicrotask(() => log('microtask'));
    tick(() => log('tick 2'));
    log('end');
  },

  'a microtask before the first tick'({ log, tick }) {
    queueMicrotask(() => log('microtask 1'));
    tick(() => {
      log('tick 1');
      queueMicrotask(() => log('microtask 3'));
    });
    queueMicrotask(() => log('microtask 2'));
    tick(() => {
      log('tick 2');
      tick(() => log('tick 3'));
    });
    log('end');
  },

  'inside ticks'({ log, tick }) {
    tick(() => {
      log('tick 1');
      queueMicrotask(() => log('microtask 1'));
      Promise.resolve()
        .then(() => log('job 1'))
        .then(() => log('job 2'));
      tick(() => {
        log('tick 3');
        queueMicrotask(() => log('microtask 2'));
        tick(() => log('tick 4'));
      });
    });
    tick(() => log('tick 2'));
  },

  'a promise job'({ log, tick }) {
    Promise.resolve()
      .then(() => {
        tick(() => log('tick'));
        queueMicrotask(() => log('microtask'));
        log('job 1');
      })
      .then(() => log('job 2'));
  },

  'microtasks that queue ticks'({ log, tick }) {
    for (const i of [1, 2, 3]) {
      queueMicrotask(() => {
        log(`microtask ${i}`);
        tick(() => log(`tick ${i}`));
        queueMicrotask(() => log(`microtask ${i}, inner`));
      });
    }
  },

  'awaits between ticks'({ log, tick }) {
    (async () => {
      tick(() => log('tick 1'));
      await null;
      log('after await');
      tick(() => log('tick 2'));
      await new Promise((resolve) => tick(resolve));
      log('after a tick');
    })();
  },

  'tasks of either kind'({ log, tick, task, timer }) {
    // Which of the two is first is the host's choice.
    task(() => log('task'));
    timer(() => log('task'));
    queueMicrotask(() => log('microtask'));
    tick(() => {
      log('tick 1');
      tick(() => log('tick 2'));
    });
    log('end');
  },

  'from timers'({ log, tick, timer }) {
    for (const i of [1, 2]) {
      timer(() => {
        log(`timer ${i}`);
        tick(() => log(`tick ${i}`));
        queueMicrotask(() => log(`microtask ${i}`));
      });
    }
  },

  'from messages'({ log, tick, task }) {
    for (const i of [1, 2]) {
      task(() => {
        log(`message ${i}`);
        tick(() => log(`tick ${i}`));
        queueMicrotask(() => log(`microtask ${i}`));
      });
    }
  },

  'from listeners of an event that the script dispatches'({ log, tick }) {
    const target = new EventTarget();
    for (const i of [1, 2]) {
      target.addEventListener('work', () => {
        log(`listener ${i}`);
        tick(() => log(`tick ${i}`));
      });
    }
    target.dispatchEvent(new Event('work'));
    log('end');
  },

  'a drain by hand'({ log, tick, heap }) {
    queueMicrotask(() => log('microtask'));
    tick(() => log('tick 1'));
    tick(() => {
      log('tick 2');
      heap.ticks.drain();
      log('tick 2 ends');
    });
    tick(() => log('tick 3'));
    heap.ticks.drain();
    tick(() => log('tick 4'));
    log('end');
  },

  'two heaps'({ log, tick, other }) {
    tick(() => log('a 1'));
    other.nextTick(() => log('b 1'));
    tick(() => {
      log('a 2');
      other.nextTick(() => log('b 3'));
    });
    other.nextTick(() => {
      log('b 2');
      tick(() => log('a 3'));
    });
  },

  'ticks that throw'({ log, tick }) {
    queueMicrotask(() => log('microtask 1'));
    tick(() => log('tick 1'));
    tick(() => {
      queueMicrotask(() => log('microtask 3'));
      throw new Error('tick 2 failed');
    });
    queueMicrotask(() => log('microtask 2'));
    tick(() => {
      tick(() => log('tick 5'));
      throw new Error('tick 3 failed');
    });
    tick(() => log('tick 4'));
  },
};

/**
 * Runs one, from a task.
 * @param {string} name
 * @param {() => Promise<any>} createHeap
 * @param {(onError: (error: Error) => void) => void} onUncaught
 * @param {(main: () => void) => void} [start] has `main` run by itself
 * @returns {Promise<string[]>} what it logged
 */
export async function run(name, createHeap, onUncaught, start = (main) => setTimeout(main)) {
  const [heap, other] = [await createHeap(), await createHeap()];
  /** @type {string[]} */
  const lines = [];
  const log = (/** @type {string} */ line) => lines.push(line);
  onUncaught(({ message }) => log(message));
  // One channel: messages of several may come in another order.
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const tasks = [];
  port1.onmessage = () => tasks.shift()?.();
  await new Promise((done) => {
    let pending = 1;
    // All that is left then is microtasks, and they end before a timer.
    const end = () => {
      if (--pending === 0) setTimeout(done);
    };
    const counted = (/** @type {() => void} */ callback) => {
      pending++;
      return () => {
        callback();
        end();
      };
    };
    const timer = (/** @type {() => void} */ callback) => setTimeout(counted(callback));
    const task = (/** @type {() => void} */ callback) => {
      tasks.push(counted(callback));
      port2.postMessage(0);
    };
    start(() => {
      programs[name]({ log, tick: heap.nextTick, heap, other, timer, task });
      end();
    });
  });
  port1.close();
  for (const { ticks, asyncIds, check } of [heap, other]) {
    if (ticks.size !== 0) log(`${ticks.size} ticks are left`);
    if (asyncIds.depth !== 0) log(`depth ${asyncIds.depth}`);
    if (asyncIds.executionAsyncId() !== 1) log(`id ${asyncIds.executionAsyncId()}`);
    for (const problem of check()) log(problem);
  }
  return lines;
}

/**
 * A tree of ticks and microtasks that queue each other at random.
 * @param {(callback: () => void) => void} tick
 * @param {number} seed
 * @returns {Promise<string[]>}
 */
export async function tree(tick, seed) {
  /** @type {string[]} */
  const lines = [];
  let state = seed;
  const random = () => {
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  let left = 300;
  const grow = (/** @type {string} */ name) => {
    lines.push(name);
    for (let i = 0; i < 3; i++) {
      if (left-- <= 0) return;
      const child = name + i;
      if (random() < 0.5) tick(() => grow(child));
      else queueMicrotask(() => grow(child));
    }
  };
  setTimeout(() => grow(''));
  // A timer set by a timer: the tree has ended by then.
  await new Promise((done) => setTimeout(() => setTimeout(done)));
  return lines;
}
