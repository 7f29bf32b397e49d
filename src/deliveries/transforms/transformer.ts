import { LRUCache } from 'lru-cache';
import type { EvaluationLimits } from './evaluator.js';
import { type Lane, lane, type Transformed } from './lane.js';

export type { Transformed };

export type Transformer = {
  /** Makes the body that a hook receives of a delivered event. Never rejects. */
  readonly transform: (request: {
    /** Organisations get equal time. */
    readonly orgId: string;
    /** Evaluations of different owners take turns: a hook, by its listener ID, or the samples of the organisation. */
    readonly owner: string;
    readonly expression: string;
    /** The delivered event as JSON. */
    readonly event: string;
  }) => Promise<Transformed>;
  readonly stop: () => void;
};

const defaultLimits: EvaluationLimits = { timeMs: 1_000, bytes: 262_144, depth: 100 };

/** Processor time after which an expression of a hook is slow; the first evaluation takes some 20 ms. */
const slowHookCpuMs = 200;

/** For how long owners are remembered whose expression took long or ended its process, and how many. */
const slow = { ttl: 10 * 60_000, max: 10_000 };

/**
 * Evaluates expressions in two processes, which are started when they are needed. Owners are slow once an expression exceeded a limit, or
 * took long: they have one of the processes to themselves with it, so that others do not wait for them. `slowAfterCpuMs`: with all their
 * expressions, after an evaluation that took more time of the processor; for callers who may send any expression.
 */
export function transformer(limits: EvaluationLimits = defaultLimits, slowAfterCpuMs?: number): Transformer {
  const open = () => lane(limits, slowAfterCpuMs ?? slowHookCpuMs);
  const lanes: Readonly<Record<'usual' | 'slow', Lane>> = { usual: open(), slow: open() };
  const slowOwners = new LRUCache<string, true>(slow);
  return {
    async transform({ orgId, owner, expression, event }) {
      const key = JSON.stringify([orgId, owner, ...(slowAfterCpuMs === undefined ? [expression] : [])]);
      const chosen = slowOwners.has(key) ? lanes.slow : lanes.usual;
      const { isSlow, ...transformed } = await chosen.add({ orgId, owner }, { expression, event });
      if (isSlow) slowOwners.set(key, true);
      return transformed;
    },
    stop() {
      for (const each of Object.values(lanes)) each.stop();
    },
  };
}
