import type { listDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Time } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';

export type ListedDelivery = RouteAnswer<typeof listDeliveriesRoute>['items'][number];
export type DeliveryState = ListedDelivery['state'];

/** States in the order in which a delivery may have them. */
export const stateTexts: Readonly<Record<DeliveryState, string>> = {
  waiting: 'Waiting',
  held: 'Held',
  succeeded: 'Delivered',
  exhausted: 'Dead letter',
  cancelled: 'Cancelled',
};

const tones: Readonly<Record<DeliveryState, Tone>> = {
  waiting: 'info',
  held: 'warn',
  succeeded: 'good',
  exhausted: 'bad',
  cancelled: 'neutral',
};

export const DeliveryBadge = ({ state }: { state: DeliveryState }) => (
  <Badge tone={tones[state]}>{stateTexts[state]}</Badge>
);

type WaitText = { short: string; long: string };

const waits: Readonly<Record<NonNullable<ListedDelivery['waitsFor']>, WaitText>> = {
  schedule: { short: 'next attempt', long: 'the time of its next attempt' },
  'retry-after': { short: 'Retry-After', long: 'the time that the listener asked for (Retry-After)' },
  breaker: { short: 'circuit breaker', long: 'the circuit breaker of the listener, which is open' },
  rate: { short: 'rate limit', long: 'the rate limit of the listener' },
  order: { short: 'order', long: 'an earlier delivery of this ordered listener' },
  'a worker': { short: 'a worker', long: 'a worker' },
  resume: { short: 'listener is paused', long: 'the resume of its listener, which is paused' },
  redelivery: { short: 'redelivery', long: 'its redelivery' },
};

/** Cell of a table: the state, the reason of a wait in a few words, and its end. */
export const DeliveryStateText = ({ delivery }: { delivery: ListedDelivery }) => (
  <span class="nowrap">
    <Badge tone={tones[delivery.state]}>
      {delivery.waitsFor === 'a worker' ? 'Queued' : stateTexts[delivery.state]}
    </Badge>
    <ShortWait delivery={delivery} />
  </span>
);

const ShortWait = ({ delivery: { waitsFor, waitsUntil } }: { delivery: ListedDelivery }) =>
  waitsFor === null || waitsFor === 'a worker' ? null : (
    <span class="muted small">
      {' '}
      {waits[waitsFor].short}
      {waitsUntil !== null && (
        <>
          , <Time at={waitsUntil} relative />
        </>
      )}
    </span>
  );

/** Reason and end of the wait; empty if the delivery does not wait. */
export const Wait = ({ delivery: { waitsFor, waitsUntil } }: { delivery: ListedDelivery }) =>
  waitsFor === null ? null : (
    <>
      {waits[waitsFor].long}
      {waitsUntil !== null && (
        <>
          , until <Time at={waitsUntil} />
        </>
      )}
    </>
  );

/** Result of the last attempt: status of the answer, class of the failure; null before it. */
export function answerText({ lastStatus, lastError }: Pick<ListedDelivery, 'lastStatus' | 'lastError'>): string | null {
  if (lastError !== null && lastError !== 'http_status') return lastError;
  return lastStatus === null ? null : String(lastStatus);
}
