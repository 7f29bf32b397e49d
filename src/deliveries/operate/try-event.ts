import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { publishRequest } from '../../flows/contract.js';
import { matches } from '../../flows/subscription-types.js';
import { deliveredBody, type TriggerEvent, triggerOf } from '../../flows/triggers.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { mismatches, mismatchText } from '../../registrations/filters/filter.js';
import {
  listenerLifecycle,
  listenerStream,
  type Registration,
  requireRegistered,
} from '../../registrations/listeners/listener.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import type { EventStore, Json } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { Transformer } from '../transforms/transformer.js';

/** What a hook would receive of an event: the body, or the reason why nothing would be sent. */
export type TriedEvent =
  | { readonly sent: true; readonly body: Json; readonly because: null }
  | { readonly sent: false; readonly body: null; readonly because: string };

/**
 * Applies a registration's subscription type, filter and transformation to an event, and sends nothing. Throws `StoreUnavailable`
 * while expressions cannot be evaluated.
 */
export async function tryEvent(
  transform: Transformer['transform'],
  { orgId, listenerId, subscriptionType, filter, transform: expression }: Registration,
  event: TriggerEvent,
): Promise<TriedEvent> {
  if (!matches(subscriptionType, event.type)) {
    return notSent(`the hook is subscribed to ${subscriptionType}, and the type of the event is ${event.type}`);
  }
  const failed = mismatches(filter, triggerOf(event));
  if (failed.length > 0) return notSent(`the hook's filter excludes the event: ${mismatchText(failed)}`);
  const body = deliveredBody(event);
  if (expression === null) return sent(body);
  const transformed = await transform({ orgId, owner: listenerId, expression, event: body });
  if (transformed.kind === 'busy') throw new StoreUnavailable('expressions cannot be evaluated now');
  return transformed.kind === 'done'
    ? sent(transformed.body)
    : notSent(`the hook's transformation fails, which makes the delivery a dead letter: ${transformed.reason}`);
}

export type TryRegistered = {
  readonly store: EventStore;
  readonly findHook: FindHook;
  readonly transform: Transformer['transform'];
};

/** An event to try: missing fields get new values. */
export type EventToTry = Omit<z.output<typeof publishRequest>, 'orgId'>;

/** As `tryEvent`, with the current registration of a hook, active or paused. Throws `ListenerNotFound` too. */
export async function tryRegistered(
  { store, findHook, transform }: TryRegistered,
  listenerId: string,
  event: EventToTry,
  now: Date,
): Promise<TriedEvent> {
  const { orgId, hookUrl } = await findHook(listenerId);
  const { state } = await load(store, listenerStream(orgId, hookUrl), listenerLifecycle);
  const { registration } = requireRegistered(state, listenerId);
  const { type, id = randomUUID(), flowId = id, occurredAt = now.toISOString() } = event;
  const data = event.data as Json; // it was parsed from JSON
  return tryEvent(transform, registration, { id, orgId, flowId, type, timestamp: occurredAt, data });
}

const sent = (body: string): TriedEvent => ({ sent: true, body: JSON.parse(body) as Json, because: null });
const notSent = (because: string): TriedEvent => ({ sent: false, body: null, because });
