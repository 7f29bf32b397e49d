import { erasureCodec, erasuresStream, organisationMark } from '../../stores/event-store/erasure-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import type { FeedPlace } from './cursor.js';
import type { FeedGap } from './page.js';
import type { Index } from './read-feed.js';

/** The gaps after a place that are not reported yet and whose events are not known one by one. */
export async function gapsAt(
  store: EventStore,
  orgId: string,
  { position, reported }: FeedPlace,
  index: Index | undefined,
): Promise<readonly FeedGap[]> {
  const since = position > reported ? position : reported;
  const retained = index?.deletedUpTo ?? -1n;
  const gaps: FeedGap[] = retained > since ? [{ reason: 'retention', upTo: retained, events: null }] : [];
  const erased = await lastErasure(store, orgId, retained > since ? retained : since);
  return erased === undefined ? gaps : [...gaps, { reason: 'erasure', upTo: erased, events: null }];
}

/** Position of the last erasure of the organisation after a position. */
async function lastErasure(store: EventStore, orgId: string, after: bigint): Promise<bigint | undefined> {
  const organisation = organisationMark(orgId);
  for await (const recorded of readIfExists(store.readStream(erasuresStream, { direction: 'backwards' }))) {
    if (recorded.position <= after) return undefined;
    const { type, data } = erasureCodec.decode(recorded);
    if (type === 'OrganisationErased' && data.organisation === organisation) return recorded.position;
  }
  return undefined;
}
