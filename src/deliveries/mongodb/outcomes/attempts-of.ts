import type { Outcome } from '../../queue/leasing.js';
import { count, type HookAttempts, noAttempts } from '../../queue/policy/hook-attempts.js';

/** An outcome with its hook. */
export type HookOutcome = { readonly outcome: Outcome; readonly orgId: string; readonly listenerId: string };

/** Counts the attempts by listener ID. */
export function attemptsOf(hookOutcomes: readonly HookOutcome[]): ReadonlyMap<string, HookAttempts> {
  const attempts = new Map<string, HookAttempts>();
  for (const { outcome, listenerId } of hookOutcomes) {
    if (outcome.kind === 'released') continue;
    attempts.set(listenerId, count(attempts.get(listenerId) ?? noAttempts, outcome));
  }
  return attempts;
}
