import { hookAsOf } from '../../deliveries/operate/hooks/hook-as-of.js';
import { hookHealthSummary } from '../../deliveries/operate/hooks/hook-health.js';
import { type FoundHook, searchHooks } from '../../deliveries/operate/hooks/search-hooks.js';
import { showHook } from '../../deliveries/operate/hooks/show-hook.js';
import { testDeliverySummary } from '../../deliveries/operate/summaries.js';
import { sendTestDelivery } from '../../deliveries/operate/test-delivery.js';
import { tryRegistered } from '../../deliveries/operate/try-event.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { Transformer } from '../../deliveries/transforms/transformer.js';
import { listenerStream } from '../../registrations/listeners/listener.js';
import { deliverableHook } from '../../registrations/listeners/queries/deliverable-hook.js';
import { listListeners } from '../../registrations/listeners/queries/find.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import { listenerSummary, registrationFacts } from '../../registrations/listeners/queries/listener-summary.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { streamTimeline } from '../audit/history.js';
import {
  searchListenersRoute,
  showListenerAsOfRoute,
  showListenerRoute,
  showListenerTimelineRoute,
} from './contracts/hooks.js';
import { listListenersRoute, testListenerRoute, tryListenerRoute } from './contracts/listeners.js';
import { type BoundRoute, handle } from './routing/handle.js';
import { hookOwner, orNotFound } from './routing/hook-owner.js';

export type ListenerRoutes = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly queue: Pick<
    DeliveryQueue,
    'hookStates' | 'hooksInTrouble' | 'enqueue' | 'list' | 'attempts' | 'cancelReplay'
  >;
  readonly operations: { readonly store: EventStore; readonly findHook: FindHook };
  readonly transform: Transformer['transform'];
};

const missing = 'no listener has this ID';

export function listenerRoutes({
  store,
  readModel,
  queue,
  operations,
  transform,
}: ListenerRoutes): readonly BoundRoute[] {
  const { findHook } = operations;
  const owner = hookOwner(findHook, missing);

  return [
    handle(listListenersRoute, async ({ query: { orgId, ...page } }) => {
      const { listeners, next } = await listListeners(readModel, orgId, page);
      return { items: listeners.map(listenerSummary), next: next ?? null };
    }),

    handle(searchListenersRoute, async ({ body }) => {
      const { hooks, next, searched } = await searchHooks({ readModel, queue, clock: Date.now }, body);
      return { items: hooks.map(foundHookSummary), next: next ?? null, searched };
    }),

    handle(
      showListenerRoute,
      ({ params }) => orNotFound(() => showHook({ store, readModel, queue, findHook }, params.listenerId), missing),
      owner,
    ),

    handle(
      showListenerTimelineRoute,
      async ({ params, query: { limit, after } }) => {
        const { orgId, hookUrl } = await orNotFound(() => findHook(params.listenerId), missing);
        const { entries, next } = await streamTimeline(store, 'listener', listenerStream(orgId, hookUrl), {
          before: after,
          limit,
        });
        return { items: [...entries], next: next?.toString() ?? null };
      },
      owner,
    ),

    handle(
      showListenerAsOfRoute,
      ({ params, body: { at } }) => orNotFound(() => hookAsOf({ store, findHook }, params.listenerId, at), missing),
      owner,
    ),

    handle(
      testListenerRoute,
      async ({ params: { listenerId } }) => {
        const { orgId } = await orNotFound(() => findHook(listenerId), missing);
        const hook = await deliverableHook(operations, { orgId, listenerId });
        return testDeliverySummary(await sendTestDelivery({ queue, clock: Date.now }, hook));
      },
      owner,
    ),

    handle(
      tryListenerRoute,
      ({ params: { listenerId }, body: { event } }, { now }) =>
        orNotFound(() => tryRegistered({ ...operations, transform }, listenerId, event, now), missing),
      owner,
    ),
  ];
}

const foundHookSummary = ({ registration, state }: FoundHook) => {
  const { status, since } = registration;
  return { ...registrationFacts(registration), status, since, health: hookHealthSummary(state) };
};
