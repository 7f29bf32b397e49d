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

/** For how long owners are remembered whose expression took long or ended its process, and how many. */
const slow = { ttl: 10 * 60_000, max: 10_000 };

/**
 * Evaluates expressions in two processes, which are started when they are needed. Owners whose expressions are slow or exceeded a limit have
 * one of them to themselves, so that others do not wait for them.
 */
export function transformer(limits: EvaluationLimits = defaultLimits): Transformer {
  const lanes: Readonly<Record<'usual' | 'slow', Lane>> = { usual: lane(limits), slow: lane(limits) };
  const slowOwners = new LRUCache<string, true>(slow);
  return {
    async transform({ orgId, owner, expression, event }) {
      const key = JSON.stringify([orgId, owner, expression]);
      const chosen = slowOwners.has(key) ? lanes.slow : lanes.usual;
      const transformed = await chosen.add({ orgId, owner }, { expression, event });
      const { isSlow, ...result } = transformed;
      if (isSlow) slowOwners.set(key, true);
      return result;
    },
    stop() {
      for (const each of Object.values(lanes)) each.stop();
    },
  };
}
