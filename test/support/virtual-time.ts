/** Runs callers in virtual time: timers, `performance.now` and `Date.now` of this process are replaced until it ends. */
export async function inVirtualTime<Result>(run: (time: VirtualTime) => Promise<Result>): Promise<Result> {
  const { setTimeout, clearTimeout, setImmediate } = globalThis;
  const originalNow = { date: Date.now, performance: performance.now };
  const timers = new Map<number, { at: number; call: () => void }>();
  let now = 0;
  let started = 0;

  const start = (call: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
    started += 1;
    const id = started;
    timers.set(id, { at: now + Math.max(1, delayMs), call: () => call(...args) });
    return { unref: () => ({ id }), ref: () => ({ id }), id };
  };
  const stop = (timer?: { id: number }) => timer && timers.delete(timer.id);
  /** All that follows without a timer has happened then. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  const time: VirtualTime = {
    now: () => now,
    async passUntil(isOver, untilMs) {
      for (await settled(); now < untilMs && !isOver(); await settled()) {
        now = Math.min(untilMs, ...[...timers.values()].map(({ at }) => at));
        for (const [id, { at, call }] of timers) {
          if (at > now) continue;
          timers.delete(id);
          call();
        }
      }
    },
  };
  Object.assign(globalThis, { setTimeout: start, clearTimeout: stop });
  Object.assign(performance, { now: () => now });
  Date.now = () => now;
  try {
    return await run(time);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Object.assign(performance, { now: originalNow.performance });
    Date.now = originalNow.date;
  }
}

export type VirtualTime = {
  /** Milliseconds. */
  now: () => number;
  /** Lets time pass from timer to timer. */
  passUntil: (isOver: () => boolean, untilMs: number) => Promise<void>;
};
