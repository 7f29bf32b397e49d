import type { Logger } from 'pino';
import { ProjectionFailed } from '../errors.js';
import type { Follower, FollowerStatus } from '../follower.js';
import type { SetAsideBuild } from '../read-model.js';
import type { ViewProgress } from './apply-events.js';
import type { ViewErrors } from './view-errors.js';
import { waiters } from './waiters.js';

/** Progress and failures of a view that this instance keeps up to date, and its waiting callers. */
export type FollowedView = Pick<Follower, 'status' | 'passed'> & {
  progress: (progress: ViewProgress) => void;
  /** Returns the number of failures in a row before this one. */
  failed: (cause: unknown) => number;
  /** Called when there is no live build any more; `setAside`: the last one, if damaged. */
  unbuilt: (setAside: SetAsideBuild | undefined) => void;
  /** Rejects the calls that wait, and those that follow. */
  stop: () => void;
};

export function followedView(name: string, log: Logger, errors: Pick<ViewErrors, 'write' | 'clear'>): FollowedView {
  const waiting = waiters(`the view ${name} is not followed any more`);
  const handled = meter();
  let status: FollowerStatus = { name, build: undefined, position: undefined, caughtUp: false };
  let behindSince: number | undefined = performance.now();
  let failures = 0;
  let setAsides = 0;

  return {
    progress({ build, position, caughtUp, sound, events }) {
      const { error } = status;
      status = { name, build, position, caughtUp, ...(error && !sound && { error }) };
      waiting.reach(position);
      handled.count(events);
      behindSince = caughtUp ? undefined : (behindSince ?? performance.now());
      if (!sound) return;
      failures = 0;
      errors.clear();
      if (error) log.info({ projection: name, build, position }, 'the view has recovered');
    },
    failed(cause) {
      const { build } = status;
      const message = cause instanceof Error ? cause.message : String(cause);
      const position = cause instanceof ProjectionFailed ? cause.position : status.position;
      if (status.error?.message !== message) {
        log.error({ err: cause, projection: name, build, position }, 'the view has stopped, and is retried');
      }
      status = { ...status, caughtUp: false, error: { message, position } };
      behindSince ??= performance.now();
      errors.write({ message, position });
      failures += 1;
      return failures - 1;
    },
    unbuilt(setAside) {
      if (setAside && status.setAside?.as !== setAside.as) {
        setAsides += 1;
        log.error({ projection: name, ...setAside }, 'the view was damaged: it has been set aside, and is built again');
      }
      status = { name, build: undefined, position: undefined, caughtUp: false, ...(setAside && { setAside }) };
      waiting.reach(undefined);
      behindSince ??= performance.now();
    },
    status: () => ({
      ...status,
      setAsides,
      eventsPerSecond: handled.perSecond(),
      behindSeconds: behindSince === undefined ? 0 : (performance.now() - behindSince) / 1_000,
    }),
    passed: waiting.passed,
    stop: waiting.end,
  };
}

/** Averaging window, and its number of slices. */
const windowMs = 10_000;
const parts = 10;

/** Recent rate of events. `clock`: monotonic milliseconds. */
export function meter(clock: () => number = () => performance.now()) {
  const began = clock();
  const counts = new Map<number, number>();
  const partOf = (now: number): number => Math.floor((now - began) / (windowMs / parts));

  function forget(part: number): void {
    for (const old of counts.keys()) if (old <= part - parts) counts.delete(old);
  }

  return {
    count(events: number): void {
      const part = partOf(clock());
      counts.set(part, (counts.get(part) ?? 0) + events);
      forget(part);
    },
    perSecond(): number {
      const now = clock();
      forget(partOf(now));
      const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
      const seconds = Math.min(windowMs, Math.max(1_000, now - began)) / 1_000;
      return total / seconds;
    },
  };
}
