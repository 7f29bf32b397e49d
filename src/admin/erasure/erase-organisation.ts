import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { fanOutPassed, hasPassed } from '../../deliveries/fan-out/partitions.js';
import { concernedOrganisation, firstToNameOrganisation } from '../../flows/flow-event.js';
import type { AnswerOf } from '../../http/route-contract.js';
import { inBatches } from '../../kernel/in-batches.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { agentAccessReader } from '../../listeners/agents/agent-subscription.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { emptyBatch } from '../../queue/fan-out-batch.js';
import type { QueueKeeping } from '../../queue/keeping.js';
import { positionOf, type ReaderPositions } from '../../queue/reader-positions.js';
import { erasureCodec, erasuresStream, organisationMark } from '../../stores/event-store/erasure-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readIfExists, resultIfExists } from '../../stores/event-store/read-if-exists.js';
import { type Context, type EndStreams, endStream } from './end-stream.js';
import { eraseStreams, record } from './erase-streams.js';
import { type OnScanned, type ScannedStream, scanOrganisation } from './organisation-scan.js';

export type EraseOrganisation = EndStreams & {
  queue: ReaderPositions & QueueKeeping & Pick<DeliveryQueue, 'enqueue' | 'withdraw' | 'setAside'>;
  onScanned?: OnScanned;
  fanOutTimeoutMs?: number;
  noticesTimeoutMs?: number;
  log: Pick<Logger, 'error'>;
};

export const erased = z
  .strictObject({
    organisation: z.string().describe('The pseudonym of the organisation in the record of erasures.'),
    streams: z.int().nonnegative().describe('Number of streams that were deleted, without flows.'),
    flowStreams: z.int().nonnegative(),
    elsewhere: z
      .array(z.string())
      .describe('Flow streams of another organisation, or of none, with events that name this one: they are kept.'),
  })
  .meta({ id: 'Erased', description: 'Counts of what an erasure deleted; zeros if nothing was left to delete.' });

export type Erased = AnswerOf<typeof erased>;

const defaultFanOutTimeoutMs = 60_000;
/** Enough for another instance to take over the reader, and for the notices to 240 callbacks that never answer. */
const defaultNoticesTimeoutMs = 60_000;
/** An organisation that still gets events after this many scans is in use. */
const maxPasses = 20;
const pageSize = 500;

/**
 * Ends an organisation's access and deletes all its data; repeatable after a crash at any point. Throws
 * `StoreUnavailable` if the fan-out of a running service does not reach its last event in time, or it is still in use;
 * and the stores' errors.
 */
export async function eraseOrganisation(settings: EraseOrganisation, orgId: string, context: Context): Promise<Erased> {
  const { store, queue, onScanned } = settings;
  const organisation = organisationMark(orgId);
  const sum = { streams: 0, flowStreams: 0 };
  const elsewhere = new Set<string>();
  let from: bigint | undefined;
  for (let pass = 1; ; pass += 1) {
    const { streams, fannedOut, upTo } = await scanOrganisation(store, orgId, { from, onScanned });
    from = upTo;
    const { own, others: foreign, deleted } = await byOwner(store, orgId, streams);
    await inBatches(deleted, ({ stream, foundUpTo }) => store.finishDeletion(stream, foundUpTo));
    for (const stream of foreign) elsewhere.add(stream);
    if (own.length === 0) break;
    if (pass === maxPasses)
      throw new StoreUnavailable('the organisation is still in use: stop its users, and erase it again');
    const ended = await inBatches(own, (stream) => endStream(settings, stream, context));
    await waitForFanOut(settings, orgId, greatest([fannedOut, ...ended.map(({ fanOut }) => fanOut)]));
    await waitForNotices(settings, organisation, greatest(ended.map(({ agents }) => agents)));
    await removeSetAside(queue, new Set(own.map(({ stream }) => stream)), context.now);

    const flows = own.filter(({ category }) => category === 'flow');
    const others = own.filter(({ category }) => category !== 'flow');
    sum.streams += await eraseStreams(store, 'organisation', organisation, others, context);
    await inBatches(flows, ({ stream }) => store.deleteStream(stream));
    sum.flowStreams += flows.length;
  }
  if (sum.streams + sum.flowStreams > 0 || (await isUnfinished(store, organisation))) {
    const data = { organisation, ...sum, keptFlowStreams: elsewhere.size };
    await record(store, { type: 'OrganisationErased', data }, context);
  }
  while ((await queue.forget({ of: 'organisation', orgId, limit: pageSize })).next !== undefined) await pause(1);
  return { organisation, ...sum, elsewhere: [...elsewhere] };
}

/** The first event that names an organisation decides, whatever later events name. */
async function byOwner(store: EventStore, orgId: string, streams: readonly ScannedStream[]) {
  const ownerOf = async (stream: string) => {
    const naming = await resultIfExists(firstToNameOrganisation(store, stream), undefined);
    return naming && { orgId: concernedOrganisation(naming) };
  };
  const owners = await inBatches(streams, ({ stream }) => ownerOf(stream));
  const own = streams.filter((_, index) => owners[index]?.orgId === orgId);
  const others = streams.filter((_, index) => owners[index] && owners[index].orgId !== orgId);
  const deleted = streams.filter((_, index) => !owners[index]);
  return { own, others: others.map(({ stream }) => stream), deleted };
}

/** True if an earlier erasure crashed before it recorded its end. */
async function isUnfinished(store: EventStore, organisation: string): Promise<boolean> {
  for await (const recorded of readIfExists(store.readStream(erasuresStream, { direction: 'backwards' }))) {
    const event = erasureCodec.decode(recorded);
    if (event.data.organisation === organisation) return event.type === 'StreamsErased';
  }
  return false;
}

/** Waits for the fan-out, which would otherwise read deleted events, or enqueue their deliveries later. */
async function waitForFanOut(
  { queue, fanOutTimeoutMs = defaultFanOutTimeoutMs }: EraseOrganisation,
  orgId: string,
  position: bigint,
): Promise<void> {
  if (await fanOutPassed(queue, { orgId, position }, fanOutTimeoutMs)) return;
  throw new StoreUnavailable(
    "the fan-out has not reached the organisation's last event: erase it again while a service runs",
  );
}

/** Waits for the notices to agents' hosts, whose callbacks and secrets are deleted with their streams; not for ever. */
async function waitForNotices(
  { queue, noticesTimeoutMs = defaultNoticesTimeoutMs, log }: EraseOrganisation,
  organisation: string,
  position: bigint,
): Promise<void> {
  const read = () => positionOf(queue, agentAccessReader);
  if (position < 0n || (await read()) === undefined) return;
  if (!(await hasPassed(read, position, noticesTimeoutMs)))
    log.error({ organisation }, 'erasing subscriptions of agents whose hosts may not be notified of it');
}

async function removeSetAside(
  queue: Pick<DeliveryQueue, 'enqueue' | 'setAside'>,
  streams: ReadonlySet<string>,
  now: Date,
): Promise<void> {
  const list = (page: PageRequest<bigint>) => queue.setAside(page);
  for await (const page of pages(pageSize, list, ({ position }) => position)) {
    const setAsideChanges = page.flatMap(({ stream, position }) => (streams.has(stream) ? [{ position }] : []));
    if (setAsideChanges.length > 0) await queue.enqueue({ ...emptyBatch, setAsideChanges }, now.getTime());
  }
}

const greatest = (positions: readonly (bigint | undefined)[]): bigint =>
  positions.reduce<bigint>((most, each) => (each !== undefined && each > most ? each : most), -1n);
