import type { RouteAnswer } from '../../http/route-contract.js';
import type { trySubscriptionRoute } from './contracts/feed.js';

export type Tried = RouteAnswer<typeof trySubscriptionRoute>;

/** A trial as far as it has been read: its counts, and the cursor after them. */
export type TriedSoFar = Pick<Tried, 'sent' | 'dropped' | 'failed' | 'next'>;

/**
 * Reads a trial page by page, to its end or until it may not continue. Counts are added to those of earlier pages; examples are of the first
 * page that has some of their outcome.
 */
export async function sumOfTrials(
  read: (after: string | undefined) => Promise<Tried>,
  mayContinue: () => boolean,
  before: TriedSoFar = { sent: 0, dropped: 0, failed: 0, next: null },
): Promise<Tried> {
  let sum = added(before, await read(before.next ?? undefined));
  while (sum.next !== null && mayContinue()) {
    const page = added(sum, await read(sum.next));
    const seen = new Set(sum.examples.map(({ outcome }) => outcome));
    sum = {
      ...page,
      from: sum.from,
      upTo: page.upTo ?? sum.upTo,
      examples: [...sum.examples, ...page.examples.filter(({ outcome }) => !seen.has(outcome))],
      gaps: [...sum.gaps, ...page.gaps],
    };
  }
  return sum;
}

const added = ({ sent, dropped, failed }: TriedSoFar, page: Tried): Tried => ({
  ...page,
  sent: sent + page.sent,
  dropped: dropped + page.dropped,
  failed: failed + page.failed,
});
