import type { MasterKeys } from '../../access/keys/master-keys.js';
import { streamTimeline } from '../../audit/history.js';
import { resumeAndRelease } from '../../deliveries/commands/resume-and-release.js';
import { sendTestDelivery } from '../../deliveries/commands/test-delivery.js';
import { testDeliverySummary } from '../../deliveries/queries/summaries.js';
import { tryRegistered } from '../../deliveries/queries/try-event.js';
import type { Transformer } from '../../deliveries/transforms/transformer.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { inBatches } from '../../kernel/in-batches.js';
import {
  type ListenerOperations,
  type OperateListener,
  operateListener,
} from '../../listeners/commands/operate-listener.js';
import type { Subscribe } from '../../listeners/commands/subscribe.js';
import { IntegrationTaskInactive, IntegrationTaskMissing } from '../../listeners/integration-task.js';
import { detailsOf, listenerStream } from '../../listeners/listener.js';
import { deliverableListener } from '../../listeners/queries/deliverable-listener.js';
import { registeredSince } from '../../listeners/queries/history.js';
import { listenerAsOf } from '../../listeners/queries/listener-as-of.js';
import { listenerHealthSummary } from '../../listeners/queries/listener-health.js';
import { listenerFacts, listenerSummary, operatedSummary } from '../../listeners/queries/listener-summary.js';
import { listListeners } from '../../listeners/queries/registered-listeners.js';
import { type FoundListener, searchListeners } from '../../listeners/queries/search-listeners.js';
import { showListener } from '../../listeners/queries/show-listener.js';
import { verifyingKeys } from '../../listeners/signing-secret.js';
import { replacedSubscription } from '../../listeners/subscription.js';
import {
  changeListenerOptionsRoute,
  searchListenersRoute,
  showListenerAsOfRoute,
  showListenerRoute,
  showListenerTimelineRoute,
} from './contracts/listener-queries.js';
import {
  listListenersRoute,
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  subscribeListenerRoute,
  testListenerRoute,
  tryListenerRoute,
  unsubscribeListenerRoute,
} from './contracts/listeners.js';
import { type BoundRoute, type CallContext, handle, type RouteStores } from './routing/admin-route.js';
import { listenerOwner, orNotFound } from './routing/listener-owner.js';

type ListenerChangeRoutes = RouteStores & {
  operations: ListenerOperations;
  masterKeys: MasterKeys;
  subscribe: Subscribe;
};

const hourMs = 3_600_000;
const noneActive = 'no active listener has this ID';

export function listenerChangeRoutes(dependencies: ListenerChangeRoutes): readonly BoundRoute[] {
  const { operations, queue, masterKeys, subscribe } = dependencies;
  const owner = listenerOwner(operations.findListener, noneActive);
  const change = (command: OperateListener, context: CallContext) =>
    orNotFound(() => operateListener(operations, command, context), noneActive);

  return [
    handle(subscribeListenerRoute, async ({ body: { userId, ...body } }, context) => {
      try {
        const handled = await subscribe({ ...body, userId: userId ?? context.caller.actor }, context);
        return {
          ...operatedSummary(handled),
          ...verifyingKeys(masterKeys, detailsOf(handled.state)),
          replaced: replacedSubscription(handled.events),
        };
      } catch (error) {
        // A 500 for subscribing platforms; here an error of the request.
        const isRefused = error instanceof IntegrationTaskMissing || error instanceof IntegrationTaskInactive;
        throw isRefused ? new InvalidRequest(error.message) : error;
      }
    }),
    handle(
      pauseListenerRoute,
      async ({ params }, context) => operatedSummary(await change({ change: 'pause', ...params }, context)),
      owner,
    ),
    handle(
      resumeListenerRoute,
      async ({ params, body }, context) => {
        const { handled, released } = await orNotFound(
          () => resumeAndRelease({ operations, queue, clock: Date.now }, { ...params, ...body }, context),
          noneActive,
        );
        return { ...operatedSummary(handled), ...released };
      },
      owner,
    ),
    handle(
      rotateListenerSecretRoute,
      async ({ params, body: { overlapHours, replaces } }, context) => {
        const keyGeneration = masterKeys.current;
        const overlapMs = overlapHours * hourMs;
        const handled = await change(
          { change: 'rotate-secret', ...params, keyGeneration, overlapMs, replaces },
          context,
        );
        return { ...operatedSummary(handled), ...verifyingKeys(masterKeys, detailsOf(handled.state)) };
      },
      owner,
    ),
    handle(
      changeListenerOptionsRoute,
      async ({ params, body }, context) =>
        operatedSummary(await change({ change: 'options', ...params, options: body }, context)),
      owner,
    ),
    handle(
      unsubscribeListenerRoute,
      async ({ params }, context) => operatedSummary(await change({ change: 'unsubscribe', ...params }, context)),
      owner,
    ),
  ];
}

type ListenerRoutes = RouteStores & {
  operations: ListenerOperations;
  transform: Transformer['transform'];
  stopping: AbortSignal;
};

const missing = 'no listener has this ID';

export function listenerRoutes({
  store,
  readModel,
  queue,
  operations,
  transform,
  stopping,
}: ListenerRoutes): readonly BoundRoute[] {
  const { findListener } = operations;
  const owner = listenerOwner(findListener, missing);

  return [
    handle(listListenersRoute, async ({ query: { orgId, ...page } }) => {
      const { listeners, next } = await listListeners(readModel, orgId, page);
      const items = await inBatches(listeners, async (listener) => ({
        ...listenerSummary(listener),
        registeredAt: (await registeredSince(readModel, listener.listenerId)) ?? listener.since,
      }));
      return { items: [...items], next: next ?? null };
    }),

    handle(searchListenersRoute, async ({ body }) => {
      const { listeners, next, searched } = await searchListeners({ readModel, queue, clock: Date.now }, body);
      return { items: listeners.map(foundListenerSummary), next: next ?? null, searched };
    }),

    handle(
      showListenerRoute,
      ({ params }) =>
        orNotFound(() => showListener({ store, readModel, queue, findListener }, params.listenerId), missing),
      owner,
    ),

    handle(
      showListenerTimelineRoute,
      async ({ params, query: { limit, after } }) => {
        const { orgId, hookUrl } = await orNotFound(() => findListener(params.listenerId), missing);
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
      ({ params, body: { at } }) =>
        orNotFound(() => listenerAsOf({ store, findListener }, params.listenerId, at), missing),
      owner,
    ),

    handle(
      testListenerRoute,
      async ({ params: { listenerId } }) => {
        const { orgId } = await orNotFound(() => findListener(listenerId), missing);
        const listener = await deliverableListener(operations, { orgId, listenerId });
        return testDeliverySummary(await sendTestDelivery({ queue, clock: Date.now, signal: stopping }, listener));
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

const foundListenerSummary = ({ details, state }: FoundListener) => {
  const { status, since } = details;
  return { ...listenerFacts(details), status, since, health: listenerHealthSummary(state) };
};
