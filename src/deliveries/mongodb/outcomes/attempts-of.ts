import type { Outcome } from '../../queue/delivery-queue.js';
import { count, type HookAttempts, noAttempts } from '../../queue/hook-attempts.js';

/** An attempt, or what came instead of one. */
export type Made = { readonly outcome: Outcome; readonly orgId: string; readonly listenerId: string };

/** What came of attempts, by listener ID. */
export function attemptsOf(made: readonly Made[]): ReadonlyMap<string, HookAttempts> {
  const attempts = new Map<string, HookAttempts>();
  for (const { outcome, listenerId } of made) {
    if (outcome.kind === 'released') continue;
    attempts.set(listenerId, count(attempts.get(listenerId) ?? noAttempts, outcome));
  }
  return attempts;
}
