import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnswerOf } from '../http/route-contract.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { inBatches } from '../kernel/in-batches.js';
import { jsonValue } from '../kernel/input/json-value.js';
import { timeSlice } from '../kernel/time-slice.js';
import { listenerStream } from '../listeners/listener.js';
import { actorOf, recordedAt } from '../stores/event-store/codec.js';
import { EventUndecodable } from '../stores/event-store/errors.js';
import { categoryOf, type EventStore, type JsonObject } from '../stores/event-store/event-store.js';
import { readAsOf } from '../stores/event-store/read-at.js';
import { readIfExists } from '../stores/event-store/read-if-exists.js';
import { type AuditedCategory, type Facts, foldOf } from './audit-entry.js';
import type { asOfRequest, differenceRequest, Moment } from './contract.js';
import type { FindStreams } from './find-streams.js';
import { listenerCategories } from './history.js';

type AsOfQuery = Omit<z.output<z.ZodObject<typeof asOfRequest>>, 'at'>;

type ListenerThen = JsonObject & {
  stream: string;
  revision: string;
  changedAt: string;
};

/** `after`: a stream. */
type AsOfRange = { at: Moment; limit: number; after?: string };

/**
 * Active and paused listeners, by stream; a time is compared with `recordedAt`, up to a stream's first later event. Throws
 * `EventUndecodable`, and the errors of the store and of `findStreams`.
 */
export async function registeredAsOf(
  store: EventStore,
  findStreams: FindStreams,
  { orgId, hookUrl }: AsOfQuery,
  { at, limit, after = '' }: AsOfRange,
): Promise<readonly ListenerThen[]> {
  const named = hookUrl === undefined ? await findStreams(orgId, 'listener') : [listenerStream(orgId, hookUrl)];
  const streams = named.filter((stream) => stream > after).sort();
  const registered: ListenerThen[] = [];
  const slice = timeSlice();
  for (const stream of streams) {
    if (slice.hasEnded()) await slice.next();
    const then = await listenerThen(store, stream, at);
    if (then?.orgId === orgId && registered.push(then) === limit) break;
  }
  return registered;
}

async function listenerThen(store: EventStore, stream: string, at: Moment): Promise<ListenerThen | undefined> {
  const { facts, revision, changedAt } = await factsAsOf(store, stream, 'listener', at);
  return facts === null ? undefined : { ...facts, stream, revision: revision ?? '', changedAt: changedAt ?? '' };
}

type FactsThen = {
  stream: string;
  /** Null: nothing existed. */
  facts: Facts;
  /** Revision of the last event up to the moment; `changedAt`: ISO 8601. */
  revision: string | null;
  changedAt: string | null;
  changedBy: string | null;
};

/** `at` is inclusive. */
async function factsAsOf(store: EventStore, stream: string, category: AuditedCategory, at: Moment): Promise<FactsThen> {
  const fold = foldOf(category);
  let last: Pick<FactsThen, 'revision' | 'changedAt' | 'changedBy'> = none;
  // Absent if never registered, or erased meanwhile.
  for await (const event of readIfExists(readAsOf(store, stream, at))) {
    const changedBy = actorOf(fold.step(event).event);
    last = { revision: event.revision.toString(), changedAt: recordedAt(event), changedBy };
  }
  return { stream, facts: fold.facts(), ...last };
}

const none = { revision: null, changedAt: null, changedBy: null };

type ListenerCategory = (typeof listenerCategories)[number];

const facts = z.record(z.string(), jsonValue).nullable();

export const difference = z
  .strictObject({
    change: z
      .enum(['added', 'removed', 'changed', 'undecodable'])
      .describe('`undecodable`: an event up to the later moment cannot be decoded, so that the state is not known.'),
    kind: z.enum(['listener', 'integrationTask', 'organisation', 'apiKey']),
    id: z.string().describe('The ID of the listener or the API key; of other objects the stream.'),
    before: facts.describe('Null where it did not exist.'),
    after: facts,
    fields: z.array(z.string()).describe('The names of the fields that differ; empty unless it was changed.'),
    changedAt: z.iso.datetime().nullable().describe('The time of the last event up to the later moment.'),
    changedBy: z.string().nullable(),
    stream: z.string(),
    message: z.string().nullable().describe('The reason why an event cannot be decoded.'),
  })
  .meta({ id: 'AuditDifference' });

export type Difference = AnswerOf<typeof difference>;

type DifferenceQuery = z.output<z.ZodObject<typeof differenceRequest>>;

type DifferenceRange = { limit: number; after?: string };

/** Hides the latency of EventStoreDB. */
const maxConcurrentReads = 16;

/** Throws `InvalidRequest` where `from` is later than `to`, and the errors of the store and of `findStreams`. */
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
  const slice = timeSlice();
  for (let at = 0; at < streams.length && found.length < limit; at += maxConcurrentReads) {
    if (slice.hasEnded()) await slice.next();
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
  const kind = categoryOf(stream) as ListenerCategory; // found in this category
  try {
    const before = await factsAsOf(store, stream, kind, from);
    return differences(kind, before, await factsAsOf(store, stream, kind, to));
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return [{ ...nothing, change: 'undecodable', kind, id: stream, stream, message: error.message }];
  }
}

const nothing = { before: null, after: null, fields: [], changedAt: null, changedBy: null, message: null };

/** A later listener at the same hook URL is another object, so that two objects differ. */
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
