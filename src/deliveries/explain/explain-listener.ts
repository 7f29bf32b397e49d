import type { HistoryEntry } from '../../../projections/listener-history.js';
import type { Payload } from '../../flows/flow-event.js';
import { selectsEvent } from '../../flows/types/subscription-types.js';
import { mismatches, mismatchText } from '../../listeners/filters/filter.js';
import type { AttemptReport, DeliveryRecord } from '../../queue/delivery-log.js';
import type { ListenerState } from '../../queue/listener-log.js';
import type { HandOver } from '../queries/locate-flow-event.js';
import { type DeliveryOutcome, type ExplainedDelivery, explainDelivery } from './explain-delivery.js';
import { type ListenerAt, listenerAt, type Moment } from './listener-at.js';

type ListenerOutcome =
  | DeliveryOutcome
  | 'not-subscribed'
  | 'type-mismatch'
  /** Type selected, and excluded by the filter. */
  | 'filter-mismatch'
  | 'not-handed-over'
  /** Due for the listener; the log has forgotten the outcome. */
  | 'purged';

export type ExplainedListener = {
  listenerId: string;
  hookUrl: string;
  outcome: ListenerOutcome;
  /** A sentence for people. */
  because: string;
  details: ListenerAt;
  /** The deliveries of the flow event itself first, then those of replays. */
  deliveries: readonly ExplainedDelivery[];
};

export type ListenerFacts = {
  /** All that happened to the listener, in order: at least one entry. */
  history: readonly HistoryEntry[];
  event: {
    type: string;
    position: bigint;
    handOver: HandOver;
    /** The event as it is delivered, if a listener has a filter; undefined where it has been deleted. */
    delivered: Payload | undefined;
  };
  deliveries: readonly { record: DeliveryRecord; attempts: readonly AttemptReport[] }[];
  /** Undefined where the queue does not know the listener. */
  listener: ListenerState | undefined;
  now: number;
};

type Explanation = Pick<ExplainedListener, 'outcome' | 'because'>;

/** Outcome of a flow event for a listener, with the reason, from the history as of the event's position. */
export function explainListener(facts: ListenerFacts): Omit<ExplainedListener, 'listenerId' | 'hookUrl'> {
  const { history, event, listener, now } = facts;
  const details = listenerAt(history, event.position);
  const deliveries = facts.deliveries
    .map((delivery) => explainDelivery({ ...delivery, details, listener, now }))
    .sort((one, other) => Number(one.replay !== undefined) - Number(other.replay !== undefined));
  return { ...explanationOf(details, event, deliveries), details, deliveries };
}

function explanationOf(
  details: ListenerAt,
  event: ListenerFacts['event'],
  deliveries: readonly ExplainedDelivery[],
): Explanation {
  const [first] = deliveries;
  if (first && first.replay === undefined) return { outcome: first.outcome, because: first.because };
  const alone = withoutDelivery(details, event);
  const replayed = deliveries.find(({ outcome }) => outcome === 'delivered') ?? first;
  if (!replayed) return alone;
  return {
    outcome: replayed.outcome,
    because: `${alone.because}; a replay sent it (${replayed.replay}): ${replayed.because}`,
  };
}

function withoutDelivery(details: ListenerAt, event: ListenerFacts['event']): Explanation {
  const { state, subscriptionType = '', subscribed, paused, removed } = details;
  if (state === 'not-yet') {
    return { outcome: 'not-subscribed', because: `the listener was subscribed later${momentText(subscribed)}` };
  }
  if (state === 'removed') {
    return { outcome: 'not-subscribed', because: `the listener had been removed before${momentText(removed)}` };
  }
  if (!selectsEvent(subscriptionType, event)) {
    return {
      outcome: 'type-mismatch',
      because: `the listener was subscribed to ${subscriptionType}, and the type of the event is ${event.type}`,
    };
  }
  if (details.filter !== null) {
    // Its deliveries are forgotten before the event is deleted, or with it.
    if (!event.delivered) return { outcome: 'purged', because: unknownMatch };
    const failed = mismatches(details.filter, event.delivered);
    if (failed.length > 0) {
      return {
        outcome: 'filter-mismatch',
        because: `the listener's filter excluded the event: ${mismatchText(failed)}`,
      };
    }
  }
  if (event.handOver !== 'done') return { outcome: 'not-handed-over', because: handOvers[event.handOver] };
  // Held deliveries are never forgotten: those of the pause have been redelivered or cancelled since.
  const wasToGo =
    state === 'paused'
      ? `the listener was paused${momentText(paused)}, and the event was held for it`
      : 'the event was due for the listener';
  return { outcome: 'purged', because: `${wasToGo}; ${forgotten}` };
}

const unknownMatch =
  'the listener had a filter, and the event has been deleted: it is unknown whether the filter selected it';

const forgotten =
  'it is unknown whether it was delivered, given up or cancelled: the delivery log forgets ended deliveries after DELIVERY_RETENTION';

const handOvers: Readonly<Record<Exclude<HandOver, 'done'>, string>> = {
  'not-yet': 'the fan-out has not reached the event yet, or it waits behind costly filters of the organisation',
  never: 'the event is before the position at which the fan-out began, so no listener received it',
};

/** `, at 2026-01-31T12:00:00.000Z by user:42 (gone)` */
const momentText = (moment: Moment | undefined): string =>
  moment === undefined
    ? ''
    : `, at ${moment.at}${moment.by ? ` by ${moment.by}` : ''}${moment.reason ? ` (${moment.reason})` : ''}`;
