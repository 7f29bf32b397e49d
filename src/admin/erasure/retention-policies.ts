import { randomUUID } from 'node:crypto';
import { replays } from '../../../projections/replays.js';
import { type PortalLink, portalLinkDecider } from '../../access/portal/portal-link.js';
import { expiryOf, type Session, type SessionExpiry, sessionDecider } from '../../access/tokens/session.js';
import { fanOutPosition, handedOverUpTo } from '../../deliveries/fan-out/partitions.js';
import { readFlowEvent } from '../../flows/flow-event.js';
import { inBatches } from '../../kernel/in-batches.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import type { DeliveryLog } from '../../queue/delivery-log.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { emptyBatch } from '../../queue/fan-out-batch.js';
import type { QueueKeeping } from '../../queue/keeping.js';
import { forgottenReader, type ReaderPositions, retentionReader } from '../../queue/reader-positions.js';
import type { DomainEvent } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { Decider } from '../../stores/event-store/handle.js';
import type { ReadModel } from '../../views/read-model.js';
import { viewDocuments } from '../../views/view-documents.js';
import { deletedAt, eraseStreams } from './erase-streams.js';
import type { RetentionPolicy } from './stream-retention.js';

type FlowRetention = {
  store: EventStore;
  queue: ReaderPositions & QueueKeeping & Pick<DeliveryLog, 'deliveries' | 'setAside'> & Pick<DeliveryQueue, 'enqueue'>;
  readModel: ReadModel;
  clock: () => number;
};

const pageSize = 1_000;

/**
 * Keeps flow streams that the fan-out or a replay may still read, or with waiting, held or set-aside events. For
 * `PUBLISH_MEMORY` the queue knows the IDs, and repeats are not delivered.
 */
export function flowRetention({ store, queue, readModel, clock }: FlowRetention): RetentionPolicy {
  async function organisationsWithReplays(): Promise<ReadonlySet<unknown>> {
    const running = new Set<unknown>();
    for await (const { document } of viewDocuments(readModel, replays, { state: 'running' }))
      running.add(document.orgId);
    return running;
  }

  async function streamsSetAside(): Promise<ReadonlySet<string>> {
    const streams = new Set<string>();
    const list = (page: PageRequest<bigint>) => queue.setAside(page);
    for await (const page of pages(pageSize, list, ({ position }) => position)) {
      for (const { stream } of page) streams.add(stream);
    }
    return streams;
  }

  async function isNeeded(event: RecordedEvent): Promise<boolean> {
    const { orgId, eventId } = readFlowEvent(event);
    return (await queue.deliveries({ orgId, eventId, states: ['waiting', 'held'], limit: 1 })).deliveries.length > 0;
  }

  async function mayDelete(last: RecordedEvent, replaying: ReadonlySet<unknown>): Promise<boolean> {
    try {
      const { orgId } = readFlowEvent(last);
      if (replaying.has(orgId)) return false;
      if (((await handedOverUpTo(queue, orgId)) ?? -1n) < last.position) return false;
      for await (const event of store.readStream(last.stream)) if (await isNeeded(event)) return false;
      return true;
    } catch (error) {
      if (!(error instanceof EventUndecodable)) throw error;
      return false; // an operator must retry or repair the event first
    }
  }

  async function forgetTerms(stream: string): Promise<void> {
    for await (const event of store.readStream(stream)) {
      const { orgId, eventId } = readFlowEvent(event);
      await queue.forget({ of: 'terms', orgId, eventIds: [eventId] });
    }
  }

  /** First, so that a reader of events hears of each deletion that may have been. */
  async function recordDeletion(lasts: readonly RecordedEvent[]): Promise<void> {
    const known = await queue.positions([retentionReader, forgottenReader]);
    const recorded = known.get(retentionReader);
    const before = recorded ?? known.get(forgottenReader) ?? -1n; // an earlier release may have deleted some
    const upTo = lasts.reduce((most, { position }) => (position > most ? position : most), before);
    const checkpoint = { reader: retentionReader, position: upTo };
    if (recorded === undefined || upTo > recorded) await queue.enqueue({ ...emptyBatch, checkpoint }, clock());
  }

  return {
    category: 'flow',
    upTo: async () => (await fanOutPosition(queue)) ?? -1n,
    async prepareCheck() {
      const [replaying, setAside] = [await organisationsWithReplays(), await streamsSetAside()];
      return async (last) => !setAside.has(last.stream) && (await mayDelete(last, replaying));
    },
    async erase(lasts) {
      await recordDeletion(lasts);
      await inBatches(lasts, async ({ stream, revision }) => {
        await forgetTerms(stream); // first: it is repeated as long as the stream is there
        await deletedAt(store, stream, revision);
      });
    },
  };
}

type SessionRetention = {
  store: EventStore;
  retentionMs: number;
  /** Milliseconds since 1970. */
  clock: () => number;
};

export const sessionRetention = ({ limits, ...common }: SessionRetention & { limits: SessionExpiry }) =>
  retentionAfterEnd(common, 'session', sessionDecider, (session) => endOf(session, limits));

export const portalRetention = (common: SessionRetention) =>
  retentionAfterEnd(common, 'portal', portalLinkDecider, endOfLink);

/** Deletions are recorded, for views and seals. `endOfState`: milliseconds since 1970. */
function retentionAfterEnd<State, Event extends DomainEvent>(
  { store, retentionMs, clock }: SessionRetention,
  category: string,
  decider: Decider<State, Event>,
  endOfState: (state: State) => number,
): RetentionPolicy {
  return {
    category,
    async prepareCheck() {
      const before = clock() - retentionMs;
      return async (last) => {
        const state = stateAfter(decider, last);
        return state !== undefined && endOfState(state) < before;
      };
    },
    async erase(lasts) {
      const streams = lasts.map(({ stream, revision }) => ({ stream, revision, listenerIds: [] }));
      const cause = { actor: 'service', correlationId: randomUUID() };
      await eraseStreams(store, 'retention', null, streams, { cause, now: new Date(clock()) });
    },
  };
}

/** Undefined if not decodable. */
function stateAfter<State, Event extends DomainEvent>(
  { codec, initialState, evolve }: Decider<State, Event>,
  last: RecordedEvent,
): State | undefined {
  try {
    return evolve(initialState(), codec.decode(last));
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return undefined;
  }
}

function endOf(session: Session, limits: SessionExpiry): number {
  if (session.status === 'none') return Number.POSITIVE_INFINITY;
  const expiry = expiryOf(session, limits);
  return session.status === 'revoked' ? Math.min(Date.parse(session.revokedAt), expiry) : expiry;
}

const endOfLink = (link: PortalLink): number =>
  link.state === 'none' ? Number.POSITIVE_INFINITY : Date.parse(link.expiresAt);
