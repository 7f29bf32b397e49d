import { setTimeout as pause } from 'node:timers/promises';
import { fanOutPassed } from '../../deliveries/fan-out/fan-out-passed.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { firstOrganisationOf } from '../../flows/flow-event.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { erasureCodec, erasuresStream, organisationMark } from '../../stores/event-store/erasure-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readIfExists, resultIfExists } from '../../stores/event-store/read-if-exists.js';
import { type Context, type EndStreams, endStream } from './end-stream.js';
import { eraseStreams, record } from './erase-streams.js';
import { inWaves } from './in-waves.js';
import { type OnScanned, type ScannedStream, scanOrganisation } from './organisation-scan.js';

export type EraseOrganisation = EndStreams & {
  readonly queue: Pick<
    DeliveryQueue,
    'cancelReplay' | 'checkpoint' | 'forgetOrganisation' | 'listSetAside' | 'removeSetAside'
  >;
  readonly onScanned?: OnScanned | undefined;
  /** How long the fan-out may take to come up to the organisation's last event. */
  readonly fanOutTimeoutMs?: number;
};

/** What an erasure has deleted. One that has nothing left to do says nothing but zeros. */
export type Erased = {
  /** By which the record tells the organisation. */
  readonly organisation: string;
  readonly streams: number;
  readonly flowStreams: number;
  /** Flow streams of others, or of nobody, with events that name it: they stay. */
  readonly elsewhere: readonly string[];
};

const defaultFanOutTimeoutMs = 60_000;
/** Whoever is used by so many others at the same time has to be left alone by them first. */
const maxPasses = 20;
const step = 500;

/**
 * Makes what is kept of an organisation go for good: ends its hooks, sessions and replays, deletes its streams, has the views
 * forget them by an event, and then the delivery queue. It may be cut short anywhere, and run again; the organisation may come
 * back afterwards, and is then a new one. Throws `StoreUnavailable` where the fan-out, which some service has to run, does not
 * come up to its last event in time or the organisation never stops being used; and what the stores throw.
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
    const { own, others: foreign, gone } = await byOwner(store, orgId, streams);
    await inWaves(gone, ({ stream, foundUpTo }) => store.finishDeletion(stream, foundUpTo));
    for (const stream of foreign) elsewhere.add(stream);
    if (own.length === 0) break;
    if (pass === maxPasses) throw new StoreUnavailable('the organisation is being used: keep it from that, and go on');
    const ended = await inWaves(own, (stream) => endStream(settings, stream, context));
    await waitForFanOut(settings, greatest([fannedOut, ...ended]));
    await removeSetAside(queue, new Set(own.map(({ stream }) => stream)));

    const flows = own.filter(({ category }) => category === 'flow');
    const others = own.filter(({ category }) => category !== 'flow');
    sum.streams += await eraseStreams(store, 'organisation', organisation, others, context);
    await inWaves(flows, ({ stream }) => store.deleteStream(stream));
    sum.flowStreams += flows.length;
  }
  if (sum.streams + sum.flowStreams > 0 || (await isUnfinished(store, organisation))) {
    await record(store, { type: 'OrganisationErased', data: { organisation, ...sum } }, context);
  }
  while ((await queue.forgetOrganisation({ orgId, limit: step })) === step) await pause(1);
  return { organisation, ...sum, elsewhere: [...elsewhere] };
}

/** A stream belongs to the organisation of its first event, whatever later ones name; `gone` are those that were deleted before. */
async function byOwner(store: EventStore, orgId: string, streams: readonly ScannedStream[]) {
  const ownerOf = async (stream: string) => ({ orgId: await firstOrganisationOf(store, stream) });
  const owners = await inWaves(streams, ({ stream }) => resultIfExists(ownerOf(stream), undefined));
  const own = streams.filter((_, index) => owners[index]?.orgId === orgId);
  const others = streams.filter((_, index) => owners[index] && owners[index].orgId !== orgId);
  const gone = streams.filter((_, index) => !owners[index]);
  return { own, others: others.map(({ stream }) => stream), gone };
}

/** An erasure has deleted streams of it, and was cut short before it could say that it was done. */
async function isUnfinished(store: EventStore, organisation: string): Promise<boolean> {
  for await (const recorded of readIfExists(store.readStream(erasuresStream, { direction: 'backwards' }))) {
    const event = erasureCodec.decode(recorded);
    if (event.data.organisation === organisation) return event.type === 'StreamsErased';
  }
  return false;
}

/** So that it never comes upon what has been deleted, and hands over nothing of it later. */
async function waitForFanOut(
  { queue, fanOutTimeoutMs = defaultFanOutTimeoutMs }: EraseOrganisation,
  position: bigint,
): Promise<void> {
  if (await fanOutPassed(queue, position, fanOutTimeoutMs)) return;
  throw new StoreUnavailable(
    "the fan-out has not come up to the organisation's last event: erase it again while a service runs",
  );
}

async function removeSetAside(
  queue: Pick<DeliveryQueue, 'listSetAside' | 'removeSetAside'>,
  streams: ReadonlySet<string>,
): Promise<void> {
  const list = (page: PageRequest<bigint>) => queue.listSetAside(page);
  for await (const page of pages(step, list, ({ position }) => position)) {
    for (const { stream, position } of page) if (streams.has(stream)) await queue.removeSetAside(position);
  }
}

const greatest = (positions: readonly (bigint | undefined)[]): bigint =>
  positions.reduce<bigint>((most, each) => (each !== undefined && each > most ? each : most), -1n);
