import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnswerOf } from '../../http/route-contract.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { inBatches } from '../../kernel/in-batches.js';
import { jsonValue } from '../../kernel/input/json-value.js';
import { listenerStream } from '../../listeners/listener.js';
import { readAsOfPosition, readAsOfTime } from '../../stores/event-store/as-of.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { categoryOf, type EventStore, type JsonObject } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { type AuditedCategory, type Facts, foldOf } from './audit-entry.js';
import type { asOfRequest, differenceRequest, Moment } from './contract.js';
import type { FindStreams } from './find-streams.js';
import { listenerCategories } from './history.js';

type AsOfQuery = Omit<z.output<z.ZodObject<typeof asOfRequest>>, 'at'>;

/** A listener at a past moment, with its last event up to that moment. */
type ListenerThen = JsonObject & {
  readonly stream: string;
  readonly revision: string;
  /** Time at which that event was recorded; ISO 8601. */
  readonly changedAt: string;
};

/**
 * The listeners of an organisation at a moment, active and paused, read from the streams. A time is compared with
 * `recordedAt`: of each stream, the events before the first later one count. Throws `EventUndecodable`, and the errors of the
 * store and of `findStreams`.
 */
export async function registeredAsOf(
  store: EventStore,
  findStreams: FindStreams,
  { orgId, hookUrl }: AsOfQuery,
  at: Moment,
): Promise<readonly ListenerThen[]> {
  const streams = hookUrl === undefined ? await findStreams(orgId, 'listener') : [listenerStream(orgId, hookUrl)];
  const registered: ListenerThen[] = [];
  for (const stream of streams) {
    const then = await listenerThen(store, stream, at);
    if (then?.orgId === orgId) registered.push(then);
  }
  return registered;
}

async function listenerThen(store: EventStore, stream: string, at: Moment): Promise<ListenerThen | undefined> {
  const { facts, revision, changedAt } = await factsAsOf(store, stream, 'listener', at);
  return facts === null ? undefined : { ...facts, stream, revision: revision ?? '', changedAt: changedAt ?? '' };
}

/** The state of one stream at a moment. */
type FactsThen = {
  readonly stream: string;
  /** Null where nothing existed. */
  readonly facts: Facts;
  /** Revision, time (ISO 8601) and actor of its last event up to the moment; null where there is none. */
  readonly revision: string | null;
  readonly changedAt: string | null;
  readonly changedBy: string | null;
};

/** Folds one stream up to a moment, inclusive. Throws `EventUndecodable`, and the errors of the store. */
async function factsAsOf(store: EventStore, stream: string, category: AuditedCategory, at: Moment): Promise<FactsThen> {
  const fold = foldOf(category);
  let last: Pick<FactsThen, 'revision' | 'changedAt' | 'changedBy'> = none;
  const events = typeof at === 'bigint' ? readAsOfPosition(store, stream, at) : readAsOfTime(store, stream, at);
  // Absent where it was never registered, or was erased since it was found.
  for await (const event of readIfExists(events)) {
    const { actor } = fold.step(event).event.metadata;
    last = {
      revision: event.revision.toString(),
      changedAt: recordedAt(event),
      changedBy: typeof actor === 'string' ? actor : null,
    };
  }
  return { stream, facts: fold.facts(), ...last };
}

const none = { revision: null, changedAt: null, changedBy: null };

type ListenerCategory = (typeof listenerCategories)[number];

const facts = z.record(z.string(), jsonValue).nullable();

/** One object of an organisation that differs between two moments. */
export const difference = z
  .strictObject({
    change: z
      .enum(['added', 'removed', 'changed', 'undecodable'])
      .describe('`undecodable`: an event up to the later moment cannot be decoded, so that the state is not known.'),
    kind: z.enum(['listener', 'integrationTask', 'organisation', 'apiKey']),
    id: z.string().describe('Of the listener or the API key; of other objects the stream.'),
    before: facts.describe('Null where it did not exist.'),
    after: facts,
    fields: z.array(z.string()).describe('The names of the fields that differ; empty unless it was changed.'),
    changedAt: z.iso.datetime().nullable().describe('Of the last event up to the later moment.'),
    changedBy: z.string().nullable(),
    stream: z.string(),
    message: z.string().nullable().describe('The reason why an event cannot be decoded.'),
  })
  .meta({ id: 'AuditDifference' });

export type Difference = AnswerOf<typeof difference>;

type DifferenceQuery = z.output<z.ZodObject<typeof differenceRequest>>;

/** At most `limit` streams with differences, after this stream. */
type DifferenceRange = { readonly limit: number; readonly after?: string | undefined };

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
