import type { EventStore } from '../../stores/event-store/event-store.js';
import { inBatches } from './in-batches.js';
import { type OnScanned, organisationCategories } from './organisation-scan.js';

/** So many streams are looked at in one go. */
const pageSize = 1_000;

/**
 * Goes over all events once and finishes the deletion of every stream that is deleted and of which a scavenge would leave an
 * event. Returns the number of streams for which that was still to do. Repeatable; while it runs, streams may be written and
 * deleted as always. Throws `StoreUnavailable`.
 */
export async function finishDeletions(
  store: Pick<EventStore, 'head' | 'readAll' | 'finishDeletion'>,
  onScanned: OnScanned = () => undefined,
): Promise<number> {
  const upTo = await store.head();
  /** By their streams: the revisions of the last events found since the last page. */
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
