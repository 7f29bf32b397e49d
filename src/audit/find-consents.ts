import { type Consent, consentDecider, consentStream } from '../access/consents/consent.js';
import { timeSlice } from '../kernel/time-slice.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { load } from '../stores/event-store/handle.js';
import type { FindStreams } from './find-streams.js';

type RecordedConsent = Exclude<Consent, { state: 'none' }>;

type ConsentsQuery = {
  orgId: string;
  userId?: string;
};

/** `after`: a consent ID. */
type ConsentsRange = { after?: string; limit?: number };

/** Consents given and withdrawn, by ID. Throws the errors of the store and of `findStreams`. */
export async function findConsents(
  store: EventStore,
  findStreams: FindStreams,
  { orgId, userId }: ConsentsQuery,
  { after, limit = Number.POSITIVE_INFINITY }: ConsentsRange = {},
): Promise<readonly RecordedConsent[]> {
  const found: RecordedConsent[] = [];
  const streams = [...(await findStreams(orgId, 'consent'))].sort();
  const slice = timeSlice();
  for (const stream of streams) {
    if (found.length >= limit) break;
    if (slice.hasEnded()) await slice.next();
    if (after !== undefined && stream <= consentStream(after)) continue;
    const { state: consent } = await load(store, stream, consentDecider);
    if (consent.state === 'none') continue; // erased since it was found
    if (userId === undefined || consent.userId === userId) found.push(consent);
  }
  return found;
}
