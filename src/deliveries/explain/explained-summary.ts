import { filterObject } from '../../listeners/filters/filter.js';
import { maskedHookUrl } from '../../listeners/hook-url.js';
import { attemptSummary } from '../queries/summaries.js';
import type { ExplainedDelivery } from './explain-delivery.js';
import type { Explained } from './explain-flow-event.js';
import type { ExplainedListener } from './explain-listener.js';

/**
 * Summary of an explanation in the CLI's JSON and the admin API. Shows the hook URL of a listener that the caller named
 * by it.
 */
export const explainedSummary = (
  { event, producerId, listeners, next }: Explained,
  { byHookUrl }: { byHookUrl: boolean },
) => ({
  event: {
    eventId: producerId,
    storeEventId: event.eventId,
    orgId: event.orgId,
    type: event.type,
    position: event.position.toString(),
  },
  items: listeners.map((listener) => explainedListener(listener, byHookUrl)),
  next: next ?? null,
});

const explainedListener = ({ hookUrl, details, deliveries, ...listener }: ExplainedListener, byHookUrl: boolean) => ({
  ...listener,
  hookUrl: byHookUrl ? hookUrl : maskedHookUrl(hookUrl),
  details: {
    state: details.state,
    subscriptionType: details.subscriptionType ?? null,
    filter: filterObject(details.filter),
    subscribed: details.subscribed ?? null,
    paused: details.paused ?? null,
    removed: details.removed ?? null,
  },
  deliveries: deliveries.map(explainedDelivery),
});

const explainedDelivery = ({ replay, waitsFor, until, attempts, ...delivery }: ExplainedDelivery) => ({
  ...delivery,
  replay: replay ?? null,
  waitsFor: waitsFor ?? null,
  until: until === undefined ? null : new Date(until).toISOString(),
  attempts: attempts.map(attemptSummary),
});
