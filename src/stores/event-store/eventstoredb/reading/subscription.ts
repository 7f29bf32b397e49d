import { StoreUnusable } from '../../../../kernel/store-errors.js';
import { abortedByAny, sleepUnlessAborted, unlessAborted } from '../../../../kernel/unless-aborted.js';
import type { EventBatch, SubscribeOptions } from '../../event-store.js';
import { backoffMs } from '../retry-budget.js';
import type { StatusBoard } from '../status.js';
import { type FollowDependencies, follow } from './follow.js';
import { storeClosed } from './read-chunks.js';

export type SubscriptionDependencies = FollowDependencies & {
  board: StatusBoard;
  closing: AbortSignal;
};

const longestPauseMs = 5_000;
/** A subscription that was open for this time does not count as repeatedly failing. */
const steadyMs = 1_000;

/**
 * Subscribes again after the last position, without end: a server drops even consumers that keep up, 32 events after a
 * burst. Throws only `StoreUnusable`.
 */
export function subscription(dependencies: SubscriptionDependencies, options: SubscribeOptions) {
  // `end` is the store's end now, not at the first request.
  const end = options.from === 'end' && !dependencies.closing.aborted ? dependencies.reader.head() : undefined;
  end?.catch(() => undefined); // it is awaited below
  return batches(dependencies, options, end);
}

async function* batches(
  { board, closing, ...dependencies }: SubscriptionDependencies,
  { from, filter, signal }: SubscribeOptions,
  end: Promise<bigint> | undefined,
): AsyncGenerator<EventBatch> {
  if (closing.aborted) throw storeClosed();
  const ended = signal ? abortedByAny(closing, signal) : closing;
  const part = board.part(`subscription to ${filter?.categories.join(', ') ?? 'all events'}`);

  let position = from === 'end' ? undefined : (from ?? -1n);
  let openedAt: number | undefined;
  const onConfirmed = () => {
    openedAt = performance.now();
    part.working();
  };
  try {
    for (let failures = 0; !ended.aborted; failures += 1) {
      try {
        position ??= await unlessAborted(failures === 0 && end ? end : dependencies.reader.head(), ended);
        if (position === undefined) return;
        for await (const batch of follow(dependencies, position, { filter, ended, onConfirmed })) {
          position = batch.position;
          if (batch.events.length > 0) failures = 0;
          yield batch;
        }
      } catch (error) {
        if (error instanceof StoreUnusable) throw error;
        if (openedAt === undefined) part.failing(error);
        else part.resubscribing();
        if (openedAt !== undefined && performance.now() - openedAt > steadyMs) failures = 0;
        openedAt = undefined;
        await sleepUnlessAborted(backoffMs(failures, longestPauseMs), ended);
      }
    }
  } finally {
    part.end();
  }
}
