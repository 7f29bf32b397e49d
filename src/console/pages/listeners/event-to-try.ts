import { listEventTypesRoute, showEventTypeRoute } from '../../../admin/api/contracts/event-types.js';
import { listFlowEventsRoute, showFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import { samplePayload } from '../../../flows/samples/static-samples.js';
import { matches, namesOneType } from '../../../flows/types/subscription-types.js';
import { DomainError } from '../../../kernel/domain-error.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { ListenerDetail } from './listener.js';

/** An event for the form, and where it comes from. */
export type EventToTry = {
  type: string;
  data: unknown;
  id?: string;
  flowId?: string;
  timestamp?: string;
  source: string;
};

type Subscribed = Pick<ListenerDetail, 'orgId' | 'subscriptionType'>;

/** Maximum length: a longer subscription type selects none. */
const maxTypeLength = 128;
const maxTypes = '100';

/**
 * Chooses in this order: the flow event of the query's ID, the latest of the subscription, the example of a declared type, a static one.
 * Throws as `showFlowEventRoute` for a given ID.
 */
export async function eventToTry(at: PageRequest, listener: Subscribed): Promise<EventToTry> {
  const eventId = at.query.text('eventId')?.trim();
  if (eventId) return { ...(await shown(at, listener.orgId, eventId)), source: 'The form holds the flow event.' };
  return (await latest(at, listener)) ?? (await declared(at, listener)) ?? staticEvent(listener);
}

const shown = (at: PageRequest, orgId: string, eventId: string) =>
  at
    .call(showFlowEventRoute, { params: { eventId }, query: { orgId } })
    .then(({ eventId: id, type, data, flowId, timestamp }) => ({ type, data, id, flowId, timestamp }));

async function latest(at: PageRequest, { orgId, subscriptionType }: Subscribed): Promise<EventToTry | undefined> {
  if (subscriptionType.length > maxTypeLength) return undefined;
  const { items } = await at.call(listFlowEventsRoute, { query: { orgId, type: subscriptionType } });
  const [last] = items;
  const event = last && (await unless(['flow_event_not_found', 'flow_event_deleted'], shown(at, orgId, last.eventId)));
  return (
    event && { ...event, source: 'The form holds the latest flow event of a type that the listener is subscribed to.' }
  );
}

/** Event types are of the whole service: a customer's caller may not read them. */
async function declared(at: PageRequest, { subscriptionType }: Subscribed): Promise<EventToTry | undefined> {
  if (at.caller.orgId !== null) return undefined;
  const type = (await declaredTypes(at, subscriptionType)).find(({ example }) => example !== null);
  return (
    type && {
      type: type.name,
      data: type.example,
      source: 'There is no flow event that it is subscribed to: the form holds the example of a declared event type.',
    }
  );
}

async function declaredTypes(at: PageRequest, subscriptionType: string) {
  if (!namesOneType(subscriptionType)) {
    const { items } = await at.call(listEventTypesRoute, { query: { limit: maxTypes } });
    return items.filter(({ name }) => matches(subscriptionType, name));
  }
  const named = at.call(showEventTypeRoute, { query: { name: subscriptionType } });
  const type = await unless(['event_type_not_found', 'invalid_request'], named); // it may be no name of a type
  return type?.state === 'declared' ? [type] : [];
}

function staticEvent({ subscriptionType }: Subscribed): EventToTry {
  const { type, data } = samplePayload(subscriptionType);
  return { type, data, source: 'There is no flow event that it is subscribed to: the form holds a sample.' };
}

/** Undefined if it fails with one of these errors. */
async function unless<Value>(codes: readonly string[], value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof DomainError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
