import { clientSummary } from '../access/clients/operate-clients.js';
import { keysDecider } from '../access/keys/recorded-keys.js';
import { type Client, clientCodec, clientsStream } from '../events/client-events.js';
import { keysStream } from '../events/key-events.js';
import { inBatches } from '../kernel/in-batches.js';
import { requireTimeRange } from '../kernel/input/parse-input.js';
import { timeSlice } from '../kernel/time-slice.js';
import { type ErasureEvent, erasureCodec, erasuresStream } from '../stores/event-store/erasure-events.js';
import { categoryOf, type EventStore } from '../stores/event-store/event-store.js';
import { withActorNames } from './actor-names.js';
import {
  type AuditEntry,
  audited,
  entriesOf,
  type Facts,
  type Fold,
  foldOf,
  isWithin,
  type TimeRange,
} from './audit-entry.js';
import type { FindEventTypeStreams } from './find-streams.js';
import type { HistoryRange } from './history.js';

const folds: Readonly<Record<string, () => Fold>> = {
  [clientsStream]: clientFold,
  [keysStream]: audited(keysDecider, (keys) => {
    if (!keys) return null;
    const { masterKeys, signingKeys, signsFrom, retired } = keys;
    return { masterKeys: Object.keys(masterKeys), signingKeys, signsFrom, retired };
  }),
  [erasuresStream]: erasureFold,
};

type Found = { position: bigint; entry: AuditEntry };

/**
 * Events by position. Throws the errors of the store and of `findEventTypes`, and `InvalidRequest` if `from` is later
 * than `to`.
 */
export async function serviceHistory(
  store: EventStore,
  findEventTypes: FindEventTypeStreams,
  query: TimeRange,
  { after = -1n, limit = Number.POSITIVE_INFINITY }: HistoryRange = {},
): Promise<readonly AuditEntry[]> {
  requireTimeRange({ from: query.from?.getTime(), to: query.to?.getTime() });
  const ofEventTypes = (await findEventTypes()).map((stream) => [stream, () => foldOf('eventType')] as const);
  const slice = timeSlice();
  const found = await inBatches([...Object.entries(folds), ...ofEventTypes], async ([stream, fold]) => {
    const inStream: Found[] = [];
    for await (const each of entriesOf(store, stream, fold())) {
      if (slice.hasEnded()) await slice.next();
      if (each.position > after && isWithin(each.entry, query)) inStream.push(each);
    }
    return inStream;
  });
  const entries = found.flat().sort((one, other) => (one.position < other.position ? -1 : 1));
  return withActorNames(
    store,
    entries.slice(0, limit).map(({ entry }) => entry),
  );
}

/** Each event carries all clients; only its own is shown. */
function clientFold(): Fold {
  let clients: readonly Client[] = [];
  const factsOf = (clientId: string, now: Date): Facts => {
    const client = clients.find((each) => each.clientId === clientId);
    return client ? (clientSummary(client, now) as Facts) : null; // built from an event: JSON only
  };
  return {
    facts: () => null,
    step(recorded) {
      const event = clientCodec.decode(recorded);
      const at = new Date(event.recordedAt);
      const before = factsOf(event.data.clientId, at);
      clients = event.data.clients;
      return { event, before, after: factsOf(event.data.clientId, at) };
    },
  };
}

/** Each erasure is shown by itself: nothing existed before, and its record exists afterwards. */
function erasureFold(): Fold {
  return {
    facts: () => null,
    step(recorded) {
      const event = erasureCodec.decode(recorded);
      return { event, before: null, after: erasureFacts(event) };
    },
  };
}

function erasureFacts({ type, data }: ErasureEvent): Facts {
  if (type === 'OrganisationErased') return data as Facts; // decoded from an event: JSON only
  const deleted: Record<string, number> = {};
  for (const { stream } of data.streams) deleted[categoryOf(stream)] = (deleted[categoryOf(stream)] ?? 0) + 1;
  return { why: data.why, organisation: data.organisation, deleted };
}
