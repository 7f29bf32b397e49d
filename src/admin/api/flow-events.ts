import { nameOfActor } from '../../audit/actor-names.js';
import { type ExplainSources, explainFlowEvent } from '../../deliveries/explain/explain-flow-event.js';
import { explainedSummary } from '../../deliveries/explain/explained-summary.js';
import { showFlowEvent } from '../../deliveries/queries/locate-flow-event.js';
import { searchFlowEvents } from '../../deliveries/queries/search-flow-events.js';
import { shownData } from '../../flows/flow-event.js';
import { publishFlowEvent } from '../../flows/publish-flow-event.js';
import { sizeWarning } from '../../flows/publishing/publish-events.js';
import { differsWarning } from '../../flows/repeated-event.js';
import type { CheckPublished } from '../../flows/types/publishing-checks.js';
import { organisationShare } from '../../http/limits/organisation-share.js';
import type { PublishingLimits } from '../../http/limits/request-limits.js';
import { explainFlowEventRoute } from './contracts/explanation.js';
import { listFlowEventsRoute, publishFlowEventRoute, showFlowEventRoute } from './contracts/flow-events.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';
import { orNotFound } from './routing/listener-owner.js';

/** Limit per organisation: a large one takes seconds of the thread. */
const maxExplaining = 2;
const tooMany = 'flow events of this organisation are being explained already; try again shortly';

export type FlowEventRoutes = RouteStores & {
  limits: Pick<PublishingLimits, 'flowEvent'>;
  checkPublished: CheckPublished;
  maxEventBytes: number;
  explain: ExplainSources;
};

export const flowEventRoutes = ({
  store,
  queue,
  limits,
  checkPublished,
  maxEventBytes,
  explain,
}: FlowEventRoutes): readonly BoundRoute[] => {
  const ofOrganisation = organisationShare(maxExplaining, tooMany);
  return [
    handle(listFlowEventsRoute, async ({ query }) => {
      const { events, next } = await searchFlowEvents(queue, query);
      const items = events.map(({ publishedId, eventId, orgId, type, recordedAt, position }) => ({
        eventId: publishedId ?? eventId,
        storeEventId: eventId,
        orgId,
        type,
        recordedAt: recordedAt === undefined ? null : new Date(recordedAt).toISOString(),
        position: `${position}`,
      }));
      return { items, next: next ?? null };
    }),

    handle(showFlowEventRoute, async ({ query: { orgId }, params }) => {
      const found = await showFlowEvent({ store, queue }, orgId, params.eventId);
      const { event, place, handedOver, publishedBy, cloudEvent } = found;
      const { id, eventId, traceparent: _, dataText: __, ...shown } = event;
      const { stream, revision, position } = place;
      return {
        ...shown,
        data: shownData(event),
        eventId: id,
        storeEventId: eventId,
        stream,
        revision: `${revision}`,
        position: `${position}`,
        handedOver,
        publishedBy,
        publisherName: await nameOfActor(store, publishedBy),
        cloudEvent,
      };
    }),

    handle(publishFlowEventRoute, async ({ body: { orgId, ...event } }, { cause, now }) => {
      await limits.flowEvent({}, orgId);
      const mismatch = await checkPublished(orgId, event);
      const options = { orgId, cause, now, maxBytes: maxEventBytes };
      const { id, bytes, differs } = await publishFlowEvent(store, event, options);
      const size = sizeWarning(bytes);
      const large = size === undefined ? [] : [`${size} (${event.type}: ${bytes} bytes)`];
      return {
        id,
        ...(differs && { differs }),
        warnings: [...(differs ? [differsWarning] : []), ...(mismatch === undefined ? [] : [mismatch]), ...large],
      };
    }),

    handle(explainFlowEventRoute, async ({ params, body }) => {
      const explained = await ofOrganisation(body.orgId, () =>
        orNotFound(() => explainFlowEvent(explain, { ...body, ...params }), 'the organisation never had this listener'),
      );
      return explainedSummary(explained, { byHookUrl: body.hookUrl !== undefined });
    }),
  ];
};
