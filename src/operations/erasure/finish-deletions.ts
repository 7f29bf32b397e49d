import { inBatches } from '../../kernel/in-batches.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type OnScanned, organisationCategories } from './organisation-scan.js';

/** Maximum number of streams collected before their deletions are finished. */
const pageSize = 1_000;

/**
 * Reads all events once and finishes the deletion of every deleted stream of which a scavenge would leave an event. Returns
 * the number of streams finished. Repeatable; streams may be written and deleted meanwhile. Throws `StoreUnavailable`.
 */
export async function finishDeletions(
  store: Pick<EventStore, 'head' | 'readAll' | 'finishDeletion'>,
  onScanned: OnScanned = () => undefined,
): Promise<number> {
  const upTo = await store.head();
  /** By stream: the last revision found since the last page. */
  const page = new Map<string, bigint>();
  let finished = 0;

  async function finishPage(): Promise<void> {
    const done = await inBatches([...page], ([stream, revision]) => store.finishDeletion(stream, revision));
    finished += done.filter(Boolean).length;
    page.clear();
  }

  for await (const event of store.readAll({ filter: { categories: organisationCategories } })) {
    if (event.position > upTo) break;
    page.set(event.stream, event.revision);
    if (page.size < pageSize) continue;
    await finishPage();
    onScanned(event.position, upTo);
  }
  await finishPage();
  onScanned(upTo, upTo);
  return finished;
}
