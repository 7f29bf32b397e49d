import { LRUCache } from 'lru-cache';
import { type EvaluationProcess, evaluationProcess, type Transformed } from './evaluation-process.js';
import type { EvaluationLimits } from './evaluator.js';

export type { Transformed };

export type Transformer = {
  /** Makes the body that a listener receives. Never rejects. */
  transform: (request: {
    /** Organisations get equal time. */
    orgId: string;
    /** Evaluations of different owners take turns: a listener, by its listener ID, or the samples of the organisation. */
    owner: string;
    expression: string;
    /** The body of the delivery without it. */
    body: string;
  }) => Promise<Transformed>;
  stop: () => void;
};

const defaultLimits: EvaluationLimits = { timeMs: 1_000, bytes: 262_144, depth: 100 };

/** Time for which slow expressions or owners are remembered, and their maximum number. */
const remembered = { ttl: 10 * 60_000, max: 10_000 };

/**
 * `afterCpuMs`: processor time of a slow evaluation; one that exceeds a limit is slow too. `what`: uses the slow
 * process from then on.
 */
export type Slowness = { afterCpuMs: number; what: 'expression' | 'owner' };

const slowDeliveries: Slowness = { afterCpuMs: 200, what: 'expression' };

/** Slowness of owners who may send another expression with each request, and evaluate it many times. */
export const slowRequests: Slowness = { afterCpuMs: 50, what: 'owner' };

/**
 * Evaluates expressions in two processes, started on demand. One is for slow expressions, so that others do not wait
 * for them.
 */
export function transformer(limits: EvaluationLimits = defaultLimits, slowness = slowDeliveries): Transformer {
  const open = () => evaluationProcess(limits, slowness.afterCpuMs);
  const processes: Readonly<Record<'usual' | 'slow', EvaluationProcess>> = { usual: open(), slow: open() };
  const slow = new LRUCache<string, true>(remembered);
  return {
    async transform({ orgId, owner, expression, body }) {
      const key = JSON.stringify([orgId, owner, ...(slowness.what === 'expression' ? [expression] : [])]);
      const chosen = slow.has(key) ? processes.slow : processes.usual;
      const { isSlow, ...result } = await chosen.add({ orgId, owner }, { expression, body });
      if (isSlow) slow.set(key, true);
      return result;
    },
    stop() {
      for (const each of Object.values(processes)) each.stop();
    },
  };
}
