import { filterObject } from '../../../registrations/filters/filter.js';
import { maskedHookUrl } from '../../../registrations/listeners/masked-hook-url.js';
import { attemptSummary } from '../summaries.js';
import type { ExplainedDelivery } from './explain-delivery.js';
import type { Explained } from './explain-flow-event.js';
import type { ExplainedHook } from './explain-hook.js';

/** An explanation as operators see it, in the CLI's JSON and the admin API. A hook that was named by its URL is shown by it. */
export const explainedSummary = (
  { event, hooks, next }: Explained,
  { byHookUrl }: { readonly byHookUrl: boolean },
) => ({
  event: { eventId: event.eventId, orgId: event.orgId, type: event.type, position: event.position.toString() },
  items: hooks.map((hook) => hookSummary(hook, byHookUrl)),
  next: next ?? null,
});

const hookSummary = ({ hookUrl, registration, deliveries, ...hook }: ExplainedHook, byHookUrl: boolean) => ({
  ...hook,
  hookUrl: byHookUrl ? hookUrl : maskedHookUrl(hookUrl),
  registration: {
    state: registration.state,
    subscriptionType: registration.subscriptionType ?? null,
    filter: filterObject(registration.filter),
    subscribed: registration.subscribed ?? null,
    paused: registration.paused ?? null,
    removed: registration.removed ?? null,
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
