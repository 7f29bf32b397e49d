import { matches } from '../../flows/subscription-types.js';
import { deliveredBody, type TriggerEvent, triggerOf } from '../../flows/triggers.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { mismatches, mismatchText } from '../../registrations/filters/filter.js';
import type { Registration } from '../../registrations/listeners/listener.js';
import type { Json } from '../../stores/event-store/event-store.js';
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
  { listenerId, subscriptionType, filter, transform: expression }: Registration,
  event: TriggerEvent,
): Promise<TriedEvent> {
  if (!matches(subscriptionType, event.type)) {
    return notSent(`the hook is subscribed to ${subscriptionType}, and the event is a ${event.type}`);
  }
  const failed = mismatches(filter, triggerOf(event));
  if (failed.length > 0) return notSent(`the hook's filter excludes the event: ${mismatchText(failed)}`);
  const body = deliveredBody(event);
  if (expression === null) return sent(body);
  const transformed = await transform({ listenerId, expression, event: body });
  if (transformed.kind === 'busy') throw new StoreUnavailable('expressions cannot be evaluated now');
  return transformed.kind === 'done'
    ? sent(transformed.body)
    : notSent(`the hook's transformation fails, which makes the delivery a dead letter: ${transformed.reason}`);
}

const sent = (body: string): TriedEvent => ({ sent: true, body: JSON.parse(body) as Json, because: null });
const notSent = (because: string): TriedEvent => ({ sent: false, body: null, because });
