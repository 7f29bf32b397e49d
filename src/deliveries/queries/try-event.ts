import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Subscription } from '../../events/listener-events.js';
import type { publishRequest } from '../../flows/contract.js';
import { bodyOf, type PayloadSource, payloadOf, recordedData } from '../../flows/flow-event.js';
import { matches } from '../../flows/types/subscription-types.js';
import { parseJson } from '../../kernel/input/exact-json.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { mismatches, mismatchText } from '../../listeners/filters/filter.js';
import { type ListenerDetails, listenerDecider, listenerStream, requireRegistered } from '../../listeners/listener.js';
import type { FindListener } from '../../listeners/queries/find-listener.js';
import type { EventStore, Json } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { Transformer } from '../transforms/transformer.js';

/** The body that a listener would receive of an event, or the reason why none would be sent. */
export type TriedEvent = { sent: true; body: Json; because: null } | { sent: false; body: null; because: string };

/** Filter and transformation of a subscription. `owner`: whose evaluations take turns with those of others of the organisation. */
export type Selecting = Pick<Subscription, 'filter' | 'transform'> & { orgId: string; owner: string };

/** Effect of filter and transformation on an event. `busy`: it cannot be evaluated now. */
export type Outcome =
  | { outcome: 'sent'; body: string }
  | { outcome: 'dropped' | 'failed'; because: string }
  | { outcome: 'busy' };

/** Evaluates filter and transformation on an event of the subscription type, and sends nothing. */
export async function outcomeOf(
  transform: Transformer['transform'],
  { orgId, owner, filter, transform: expression }: Selecting,
  event: PayloadSource,
): Promise<Outcome> {
  const failed = mismatches(filter, payloadOf(event));
  if (failed.length > 0) return { outcome: 'dropped', because: mismatchText(failed) };
  const body = bodyOf(event);
  if (expression === null) return { outcome: 'sent', body };
  const transformed = await transform({ orgId, owner, expression, body });
  if (transformed.kind === 'busy') return { outcome: 'busy' };
  return transformed.kind === 'done'
    ? { outcome: 'sent', body: transformed.body }
    : { outcome: 'failed', because: transformed.reason };
}

const reasons = {
  dropped: "the listener's filter excludes the event",
  failed: "the listener's transformation fails, which makes the delivery a dead letter",
} as const;

/**
 * Applies a listener's subscription type, filter and transformation to an event, and sends nothing. Throws `StoreUnavailable`
 * while expressions cannot be evaluated.
 */
async function tryEvent(
  transform: Transformer['transform'],
  { orgId, listenerId, subscription }: ListenerDetails,
  event: PayloadSource,
): Promise<TriedEvent> {
  const { subscriptionType } = subscription;
  if (!matches(subscriptionType, event.type)) {
    return notSent(`the listener is subscribed to ${subscriptionType}, and the type of the event is ${event.type}`);
  }
  const found = await outcomeOf(transform, { ...subscription, orgId, owner: listenerId }, event);
  if (found.outcome === 'busy') throw new StoreUnavailable('expressions cannot be evaluated now');
  if (found.outcome !== 'sent') return notSent(`${reasons[found.outcome]}: ${found.because}`);
  return { sent: true, body: parseJson(found.body) as Json, because: null };
}

export type TryRegistered = {
  store: EventStore;
  findListener: FindListener;
  transform: Transformer['transform'];
};

/** An event to try: missing fields get new values. */
export type EventToTry = Omit<z.output<typeof publishRequest>, 'orgId'>;

/** Works as `tryEvent`, with the current listener, active or paused. Throws `ListenerNotFound` too. */
export async function tryRegistered(
  { store, findListener, transform }: TryRegistered,
  listenerId: string,
  event: EventToTry,
  now: Date,
): Promise<TriedEvent> {
  const { orgId, hookUrl } = await findListener(listenerId);
  const { state } = await load(store, listenerStream(orgId, hookUrl), listenerDecider);
  const { details } = requireRegistered(state, listenerId);
  const { type, id = randomUUID(), flowId = id, occurredAt = now.toISOString() } = event;
  return tryEvent(transform, details, { id, orgId, flowId, type, timestamp: occurredAt, ...recordedData(event.data) });
}

const notSent = (because: string): TriedEvent => ({ sent: false, body: null, because });
