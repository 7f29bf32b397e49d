import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { inBatches } from '../../kernel/in-batches.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { categoryOf, type EventStore, type JsonObject } from '../../stores/event-store/event-store.js';
import { type FactsThen, factsAsOf, type Moment } from './as-of.js';
import { listenerCategories } from './history.js';
import type { FindStreams } from './organisation-streams.js';
import type { Facts } from './stream-fold.js';

type ListenerCategory = (typeof listenerCategories)[number];

/** One object of an organisation that differs between two moments. */
export type Difference = {
  /** `undecodable`: an event up to the later moment cannot be decoded, so that the object's state is not known. */
  readonly change: 'added' | 'removed' | 'changed' | 'undecodable';
  readonly kind: ListenerCategory;
  /** The ID of the listener or of the API key; of other objects the stream. */
  readonly id: string;
  /** Null where it did not exist. */
  readonly before: Facts;
  readonly after: Facts;
  /** The names of the fields that differ; empty unless it was changed. */
  readonly fields: readonly string[];
  /** Time (ISO 8601) and actor of the last event up to the later moment. */
  readonly changedAt: string | null;
  readonly changedBy: string | null;
  readonly stream: string;
  /** Why an event cannot be decoded. */
  readonly message: string | null;
};

export type DifferenceQuery = { readonly orgId: string; readonly from: Moment; readonly to: Moment };

/** At most `limit` streams with differences, after this stream. */
export type DifferenceRange = { readonly limit: number; readonly after?: string | undefined };

/** Maximum number of streams that are read at once: enough to hide the latency of EventStoreDB. */
const maxConcurrentReads = 16;

/**
 * The differences between an organisation at two moments: its listeners, its task, its settings and its API keys, read from
 * the streams, in the order of the streams' names. Throws `InvalidRequest` where `from` is later than `to`, and the errors of the
 * store and of `findStreams`.
 */
export async function differenceBetween(
  store: EventStore,
  findStreams: FindStreams,
  { orgId, from, to }: DifferenceQuery,
  { limit, after = '' }: DifferenceRange,
): Promise<readonly (readonly Difference[])[]> {
  if (typeof from === typeof to && from > to) throw new InvalidRequest('from must not be later than to');
  const names = (await inBatches(listenerCategories, (category) => findStreams(orgId, category))).flat();
  const streams = names.filter((stream) => stream > after).sort();
  const found: (readonly Difference[])[] = [];
  for (let at = 0; at < streams.length && found.length < limit; at += maxConcurrentReads) {
    const batch = streams.slice(at, at + maxConcurrentReads);
    const differences = await inBatches(batch, (stream) => differencesIn(store, stream, from, to));
    found.push(...differences.filter((each) => each.length > 0));
  }
  return found.slice(0, limit);
}

async function differencesIn(
  store: EventStore,
  stream: string,
  from: Moment,
  to: Moment,
): Promise<readonly Difference[]> {
  const kind = categoryOf(stream) as ListenerCategory; // `findStreams` found it in this category
  try {
    const before = await factsAsOf(store, stream, kind, from);
    return differences(kind, before, await factsAsOf(store, stream, kind, to));
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return [{ ...nothing, change: 'undecodable', kind, id: stream, stream, message: error.message }];
  }
}

const nothing = { before: null, after: null, fields: [], changedAt: null, changedBy: null, message: null };

/**
 * The differences between the states of one stream at two moments: none where they are equal. A listener that was removed and
 * registered again is another listener, so that two objects differ.
 */
function differences(kind: ListenerCategory, before: FactsThen, after: FactsThen): readonly Difference[] {
  const { stream, changedAt, changedBy } = after;
  const common = { ...nothing, kind, stream, changedAt, changedBy };
  const ids = [idOf(kind, before), idOf(kind, after)] as const;
  if (before.facts && after.facts && ids[0] === ids[1]) {
    const fields = changedFields(before.facts, after.facts);
    if (fields.length === 0) return [];
    return [{ ...common, change: 'changed', id: ids[1], before: before.facts, after: after.facts, fields }];
  }
  const found: Difference[] = [];
  if (before.facts) found.push({ ...common, change: 'removed', id: ids[0], before: before.facts });
  if (after.facts) found.push({ ...common, change: 'added', id: ids[1], after: after.facts });
  return found;
}

function idOf(kind: ListenerCategory, { stream, facts }: FactsThen): string {
  if (kind === 'apiKey') return stream.slice('apiKey-'.length);
  return typeof facts?.listenerId === 'string' ? facts.listenerId : stream;
}

function changedFields(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
