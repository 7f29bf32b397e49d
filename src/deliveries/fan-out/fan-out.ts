import type { Logger } from 'pino';
import { readFlowEvent } from '../../flows/flow-event.js';
import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import {
  categoryOf,
  type EventBatch,
  type EventStore,
  type RecordedEvent,
} from '../../stores/event-store/event-store.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { fanOutBeginning, fanOutReader } from './fan-out-beginning.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from './fan-out-event.js';
import { type RegisteredAt, rememberRegistrations } from './registrations.js';
import { streamOrganisations } from './stream-organisations.js';

export type FanOutSettings = {
  readonly store: EventStore;
  readonly queue: DeliveryQueue;
  readonly registeredAt: RegisteredAt;
  /** Resolves once the listeners view holds everything up to this position; rejects when the signal aborts. */
  readonly viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  /** Where to begin when the queue knows of no beginning, exclusive. Without it, a lost queue is refused. */
  readonly startFrom?: bigint | undefined;
  /** Of the lease under which it runs. */
  readonly term: bigint;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

export type FanOut = {
  readonly stop: () => Promise<void>;
  /** Everything up to `position` has been handed over. `error`: what keeps it from going on, if anything. */
  readonly status: () => { readonly position: bigint | undefined; readonly error: unknown };
};

const filter = { categories: ['flow', 'listener', 'replay'] };
/** Where this many events come at once, those that come soon after share the next hand-over: it costs less for each of them. */
const many = { events: 8, gatherMs: 3 };
/** Interval between checkpoints, in positions, while there is nothing to hand over: reading these events again costs little. */
const checkpointEvery = 1_000n;

/**
 * Turns flow events, in their order, into deliveries to the hooks that were registered when they happened. Trouble makes it
 * wait and never skip; what cannot be decoded, or belongs to no organisation, is set aside.
 */
export function startFanOut(settings: FanOutSettings): FanOut {
  const { store, queue, viewPassed, term, log, clock } = settings;
  const trouble = watchTrouble(log, 'fan-out');
  const requireOwnStream = streamOrganisations(store);
  const stopping = new AbortController();
  const { signal } = stopping;
  let position: bigint | undefined;

  /** Reads on from the checkpoint until it is stopped; throws on trouble. */
  async function follow(): Promise<void> {
    const from = await fanOutBeginning(settings);
    const registrations = rememberRegistrations(settings.registeredAt);
    const builder = new FanOutBatchBuilder();
    let viewNeeds = from; // the last listener event that went by: the view has to have passed it
    let viewHas = -1n;
    let kept = from;
    let owesCheckpoint = false; // of what has been handed over
    position = from;

    async function handOver(checkpoint?: FanOutCheckpoint): Promise<void> {
      await queue.enqueue({ resentAfterCrash: true, ...builder.take(), ...(checkpoint && { checkpoint }) }, clock());
      owesCheckpoint = checkpoint === undefined;
    }

    async function goBy(recorded: RecordedEvent): Promise<void> {
      viewNeeds = recorded.position;
      registrations.forget(gatherListenerEvent(builder, recorded));
      if (builder.releases) await handOver();
    }

    async function deliver(recorded: RecordedEvent): Promise<void> {
      const event = readFlowEvent(recorded);
      await requireOwnStream(event, recorded);
      if (viewHas < viewNeeds) await viewPassed(viewNeeds, signal);
      viewHas = viewNeeds;
      const { position } = recorded;
      const registered = registrations.at(event.orgId, position);
      await gatherDeliveries(builder, { event, position, registered }, handOver);
    }

    /** Whether anything was handed over. */
    async function handle({ events, position: upTo }: EventBatch): Promise<boolean> {
      for (const recorded of events) {
        try {
          const category = categoryOf(recorded.stream);
          if (category === 'listener') await goBy(recorded);
          else if (category === 'replay') gatherReplayEvent(builder, recorded);
          else await deliver(recorded);
        } catch (error) {
          if (!(error instanceof EventUndecodable)) throw error;
          log.warn({ stream: recorded.stream, revision: recorded.revision.toString() }, `set aside: ${error.message}`);
          builder.addSetAside(error);
        }
      }
      const handsOver = !builder.isEmpty || owesCheckpoint || upTo - kept >= checkpointEvery;
      if (handsOver) {
        await handOver({ reader: fanOutReader, position: upTo, term, follows: true });
        kept = upTo;
      }
      position = upTo;
      return handsOver;
    }

    for await (const batch of store.subscribe({ from, filter, signal })) {
      const handedOver = await handle(batch);
      trouble.over();
      if (handedOver && batch.events.length >= many.events) await sleepUnlessAborted(many.gatherMs, signal);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await follow();
      } catch (error) {
        if (signal.aborted) return;
        await sleepUnlessAborted(trouble.met(error), signal);
      }
    }
  }

  const running = run();
  return {
    stop() {
      stopping.abort();
      return running;
    },
    status: () => ({ position, error: trouble.current() }),
  };
}
