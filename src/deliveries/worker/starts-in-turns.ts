import type { Attempt } from './attempt.js';

/**
 * Starts of attempts in one turn of the event loop: about a millisecond of the thread. More of them would delay the next step of all other
 * deliveries.
 */
const atOnce = 8;

/**
 * Starts attempts at once, and those of a burst in the next turns of the event loop: one of each organisation after the other, so that
 * none waits for the burst of another.
 */
export function startsInTurns(): (orgId: string, start: () => void) => void {
  const waiting = new Map<string, (() => void)[]>();
  let left = atOnce;
  let isTurnDue = false;

  function startNext(): void {
    for (const [orgId, starts] of waiting) {
      if (left === 0) return;
      left -= 1;
      starts.shift()?.();
      waiting.delete(orgId);
      if (starts.length > 0) waiting.set(orgId, starts); // at the end, which the loop comes to
    }
  }

  function turn(): void {
    isTurnDue = waiting.size > 0;
    left = atOnce;
    if (!isTurnDue) return;
    setImmediate(turn);
    startNext();
  }

  return (orgId, start) => {
    const starts = waiting.get(orgId) ?? [];
    starts.push(start);
    waiting.set(orgId, starts);
    startNext();
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(turn);
  };
}

/** The same attempts, of which those of a burst start in turns. */
export function attemptInTurns(attempt: Attempt): Attempt {
  const startInTurn = startsInTurns();
  return (delivery, ...rest) =>
    new Promise((resolve) => {
      startInTurn(delivery.orgId, () => resolve(attempt(delivery, ...rest)));
    });
}
