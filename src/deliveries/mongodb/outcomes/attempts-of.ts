import type { Outcome } from '../../queue/leasing.js';
import { count, type ListenerAttempts, noAttempts } from '../../queue/policy/listener-attempts.js';

/** An outcome with its listener. */
export type ListenerOutcome = { readonly outcome: Outcome; readonly orgId: string; readonly listenerId: string };

/** Counts the attempts by listener ID. */
export function attemptsOf(listenerOutcomes: readonly ListenerOutcome[]): ReadonlyMap<string, ListenerAttempts> {
  const attempts = new Map<string, ListenerAttempts>();
  for (const { outcome, listenerId } of listenerOutcomes) {
    if (outcome.kind === 'released') continue;
    attempts.set(listenerId, count(attempts.get(listenerId) ?? noAttempts, outcome));
  }
  return attempts;
}
