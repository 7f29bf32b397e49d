import { LRUCache } from 'lru-cache';
import type { EvaluationLimits } from './evaluator.js';
import { type Lane, lane, type Transformed } from './lane.js';

export type { Transformed };

export type Transformer = {
  /** Makes the body that a hook receives of a delivered event. Never rejects. */
  readonly transform: (request: {
    readonly listenerId: string;
    readonly expression: string;
    /** The delivered event as JSON. */
    readonly event: string;
  }) => Promise<Transformed>;
  readonly stop: () => void;
};

const defaultLimits: EvaluationLimits = { timeMs: 1_000, bytes: 262_144, depth: 100 };

/** For how long hooks are remembered whose expression took too long or ended its process, and how many. */
const slow = { ttl: 10 * 60_000, max: 10_000 };

/**
 * Evaluates expressions in two processes, which are started when they are needed. Hooks whose expressions exceeded a limit have one
 * of them to themselves, so that others do not wait for them.
 */
export function transformer(limits: EvaluationLimits = defaultLimits): Transformer {
  const lanes: Readonly<Record<'usual' | 'slow', Lane>> = { usual: lane(limits), slow: lane(limits) };
  const slowHooks = new LRUCache<string, true>(slow);
  return {
    async transform({ listenerId, expression, event }) {
      const key = JSON.stringify([listenerId, expression]);
      const chosen = slowHooks.has(key) ? lanes.slow : lanes.usual;
      const transformed = await chosen.add(listenerId, { expression, event });
      if (transformed.kind === 'failed' && transformed.isOverTime) slowHooks.set(key, true);
      return transformed;
    },
    stop() {
      for (const each of Object.values(lanes)) each.stop();
    },
  };
}
