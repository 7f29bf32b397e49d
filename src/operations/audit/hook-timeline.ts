import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { type AuditEntry, nextEntry } from './audit-entry.js';
import { foldOf } from './stream-fold.js';

export type HookTimeline = {
  /** The latest change first, of all registrations of the hook's URL in its organisation. */
  readonly entries: readonly AuditEntry[];
  /** The `before` of the next page; undefined if this is the last page. */
  readonly next: bigint | undefined;
};

/**
 * The changes of a hook, read from its stream backwards: a page costs the same whatever the stream's length. `before`: only
 * changes before this revision. Throws the store's errors.
 */
export async function hookTimeline(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  { before, limit }: { readonly before?: bigint | undefined; readonly limit: number },
): Promise<HookTimeline> {
  if (before === 0n) return { entries: [], next: undefined };
  const events: RecordedEvent[] = [];
  // One more than shown: each event holds the whole state, so the one before shows what the next one changed.
  const range = {
    direction: 'backwards',
    limit: limit + 1,
    ...(before !== undefined && { from: before - 1n }),
  } as const;
  for await (const event of readIfExists(store.readStream(stream, range))) events.push(event);
  const fold = foldOf('listener');
  const entries = events.reverse().map((event) => nextEntry(fold, event));
  const hasMore = entries.length > limit;
  const shown = hasMore ? entries.slice(1) : entries;
  const oldest = shown[0];
  return { entries: shown.reverse(), next: hasMore && oldest ? BigInt(oldest.revision) : undefined };
}
