import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
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

/**
 * Applies a listener's subscription type, filter and transformation to an event, and sends nothing. Throws `StoreUnavailable`
 * while expressions cannot be evaluated.
 */
async function tryEvent(
  transform: Transformer['transform'],
  { orgId, listenerId, subscription: { subscriptionType, filter, transform: expression } }: ListenerDetails,
  event: PayloadSource,
): Promise<TriedEvent> {
  if (!matches(subscriptionType, event.type)) {
    return notSent(`the listener is subscribed to ${subscriptionType}, and the type of the event is ${event.type}`);
  }
  const failed = mismatches(filter, payloadOf(event));
  if (failed.length > 0) return notSent(`the listener's filter excludes the event: ${mismatchText(failed)}`);
  const body = bodyOf(event);
  if (expression === null) return sent(body);
  const transformed = await transform({ orgId, owner: listenerId, expression, body });
  if (transformed.kind === 'busy') throw new StoreUnavailable('expressions cannot be evaluated now');
  return transformed.kind === 'done'
    ? sent(transformed.body)
    : notSent(`the listener's transformation fails, which makes the delivery a dead letter: ${transformed.reason}`);
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

const sent = (body: string): TriedEvent => ({ sent: true, body: parseJson(body) as Json, because: null });
const notSent = (because: string): TriedEvent => ({ sent: false, body: null, because });
