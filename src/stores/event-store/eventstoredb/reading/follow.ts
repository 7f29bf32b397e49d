import { StoreUnusable } from '../../../../kernel/store-errors.js';
import { unlessAborted } from '../../../../kernel/unless-aborted.js';
import type { EventBatch, EventFilter, RecordedEvent } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import { accessRefused, NoAnswer, type Right } from '../failures.js';
import { Inbox } from '../inbox.js';
import type { Timing } from '../retry-budget.js';
import { type Arrival, openArrivals } from './arrivals.js';
import type { Reader } from './read.js';
import { pageSize } from './read-chunks.js';
import { eventPredicate, maxSearchWindow, toRecordedEvent } from './recorded-event.js';

export type FollowDependencies = {
  connection: Connection;
  reader: Reader;
  timing: Timing;
};

export type Following = {
  filter: EventFilter | undefined;
  ended: AbortSignal;
  onConfirmed: () => void;
};

/** Multiples of `callMs` that the server may be silent while it searches the history. */
const historyPatience = 5;
/** Multiples of `callMs` that it may withhold a readable event. */
const withheldPatience = 2;
/** Maximum interval between look-aheads, in multiples of `quietMs`. */
const longestQuiet = 16;
/**
 * The same while filtered events come: the server's checkpoints move the position past them, if they are frequent. From here
 * on intervals are on the same clock for all subscriptions.
 */
const filteredQuiet = 4;

/**
 * One subscription call; throws where it failed, ended or went silent, and `StoreUnusable` where the position cannot be
 * of this store. Without arrivals it reads ahead at times: the position moves past filtered events, and a dead
 * subscription is detected.
 */
export async function* follow(
  { connection, reader, timing }: FollowDependencies,
  from: bigint,
  { filter, ended, onConfirmed }: Following,
): AsyncGenerator<EventBatch> {
  const passes = eventPredicate(filter);
  let position = from;
  let reportedCaughtUp = false;
  let state = 'opening' as 'opening' | 'history' | 'live';
  let quietMs = timing.quietMs;
  /** A server that has sent all events does not tell of the position, which others may wait for. */
  let hasLookedAhead = !filter;
  let withheldSince: number | undefined;

  await unlessAborted(assertKept(reader, from), ended);
  const call = openArrivals(connection, { from, filter });
  const inbox = new Inbox<Arrival>(call.stream);

  function accept(arrivals: readonly Arrival[]): RecordedEvent[] {
    connection.heard();
    const events: RecordedEvent[] = [];
    quietMs = timing.quietMs;
    for (const arrival of arrivals) {
      if (!('mark' in arrival)) {
        const { event } = arrival;
        if (!event || event.position.commit <= position) continue;
        position = event.position.commit;
        if (passes(event)) events.push(toRecordedEvent(event));
      } else if (arrival.mark === 'checkpoint') {
        if (arrival.position > position) position = arrival.position;
        quietMs = timing.quietMs * filteredQuiet;
      } else if (arrival.mark === 'caught-up') {
        state = 'live';
      } else {
        state = 'history';
        onConfirmed();
      }
    }
    withheldSince = undefined;
    return events;
  }

  async function wait(): Promise<void> {
    const silentMs = quietMs < timing.quietMs * filteredQuiet ? quietMs : nextMultiple(quietMs);
    const limitMs = state === 'live' ? silentMs : state === 'history' ? timing.callMs * historyPatience : timing.callMs;
    if ((await inbox.arrival(limitMs, ended)) || ended.aborted) return;
    if (state !== 'live') throw new NoAnswer('a subscription went silent');
    await look();
  }

  async function look(): Promise<void> {
    hasLookedAhead = true;
    const look = await unlessAborted(lookAhead(reader, position, passes), ended);
    if (!look) return;
    if (connection.leads) connection.heard();
    quietMs =
      look.upTo > position ? timing.quietMs * filteredQuiet : Math.min(quietMs * 2, timing.quietMs * longestQuiet);
    position = look.upTo;
    if (!look.blocked) return;
    withheldSince ??= performance.now();
    if (performance.now() - withheldSince > timing.callMs * withheldPatience)
      throw new NoAnswer('a subscription withholds events');
  }

  try {
    while (!ended.aborted) {
      const before = position;
      const arrivals = inbox.take(pageSize);
      const events = arrivals.length > 0 ? accept(arrivals) : [];
      if (arrivals.length === 0) {
        if (inbox.ended) throw endOf(inbox.ended.error, call.needs);
        if (state === 'live' && !hasLookedAhead) await look();
        else await wait();
      }
      const caughtUp = state === 'live' && hasLookedAhead && inbox.isEmpty;
      if (events.length === 0 && position === before && caughtUp === reportedCaughtUp) continue;
      reportedCaughtUp = caughtUp;
      yield { events, position, caughtUp };
    }
  } finally {
    // fails where the call was never made; that error was thrown above
    if (!inbox.ended) call.cancel().catch(() => undefined);
  }
}

/** Time until then on the wall clock, as of `alignedDelay`; at least half of it. */
const nextMultiple = (ms: number): number => Math.ceil(ms * 1.5 - ((Date.now() + ms / 2) % ms));

const endOf = (error: unknown, needed: Right): unknown =>
  accessRefused(error, needed) ?? error ?? new NoAnswer('the server ended a subscription');

/** A server that has lost its data takes a later position for its end, and would silently start over. */
async function assertKept(reader: Reader, position: bigint): Promise<void> {
  if (position < 0n || (await reader.onwards(position, 1)).length > 0) return;
  const head = await reader.head();
  if (head >= position) return;
  throw new StoreUnusable(
    `position ${position} lies beyond the end of this EventStoreDB, ${head}: it has lost data, or is another database`,
  );
}

/** `position`: no event matches up to here. */
async function lookAhead(
  reader: Reader,
  position: bigint,
  passes: ReturnType<typeof eventPredicate>,
): Promise<{ upTo: bigint; blocked: boolean }> {
  let upTo = position;
  for (;;) {
    const from = upTo;
    const page = await reader.onwards(from, maxSearchWindow);
    for (const { event } of page) {
      if (!event || event.position.commit <= position) continue;
      if (passes(event)) return { upTo, blocked: true };
      upTo = event.position.commit;
    }
    if (page.length < maxSearchWindow || upTo === from) return { upTo, blocked: false };
  }
}
