import Router from '@koa/router';
import type { z } from 'zod';
import type { Identity } from '../access/identity/caller.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { jsonBody } from '../http/body.js';
import { answerFailuresWith500, causeOf, type RequestState, type Routes } from '../http/context.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { handle } from '../stores/event-store/handle.js';
import { type subscribeAnswer, subscribeRequest, type unsubscribeAnswer, unsubscribeRequest } from './contract.js';
import { normalisedHookUrl } from './hook-url.js';
import { detailsOf, type ListenerDetails, listenerDecider, listenerStream } from './listener.js';
import { unsubscribeListener } from './listener-commands.js';
import type { UnsubscribeBarrier } from './operate-listener.js';
import { signingSecret } from './signing-secret.js';
import type { Subscribe } from './subscribe.js';
import { subscriptionFacts } from './subscription.js';

export type ListenerRoutesDependencies = {
  readonly store: EventStore;
  readonly identity: Identity;
  readonly masterKeys: MasterKeys;
  readonly barrier: UnsubscribeBarrier;
  readonly limits: Pick<RequestLimits, 'arrival' | 'listenerRequest'>;
  readonly subscribe: Subscribe;
};

/** `POST {prefix}/subscribe/flows` and `POST {prefix}/unsubscribe/flows`. */
export function listenerRoutes(prefix: string, dependencies: ListenerRoutesDependencies): Routes {
  const { store, identity, masterKeys, barrier, limits, subscribe } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true, prefix });

  router.post('/subscribe/flows', answerFailuresWith500, async (ctx) => {
    await limits.arrival(ctx);
    const { orgId, userId, actor, ...caller } = await identity.member(ctx);
    await limits.listenerRequest(caller, orgId);
    const request = { ...jsonBody(ctx, subscribeRequest), orgId, userId };
    const { state } = await subscribe(request, { cause: causeOf(ctx.state, actor), now: new Date() });
    ctx.status = 201;
    ctx.set('Cache-Control', 'no-store'); // the response contains a secret
    ctx.body = subscribed(detailsOf(state), masterKeys);
  });

  router.post('/unsubscribe/flows', answerFailuresWith500, async (ctx) => {
    await limits.arrival(ctx);
    const { orgId, actor, ...caller } = await identity.organisation(ctx);
    await limits.listenerRequest(caller, orgId);
    const hookUrl = normalisedHookUrl(jsonBody(ctx, unsubscribeRequest).hookUrl);

    const { state } = await handle(
      store,
      listenerStream(orgId, hookUrl),
      listenerDecider,
      (listener) => unsubscribeListener({ reason: 'requested' }, listener),
      { cause: causeOf(ctx.state, actor), now: new Date() },
    );
    // On every repeat too: the platform's retry closes the gate that a crash left open.
    await barrier.close(detailsOf(state).listenerId);
    ctx.body = unsubscribed;
  });

  return router;
}

const subscribed = (details: ListenerDetails, masterKeys: MasterKeys): z.output<typeof subscribeAnswer> => {
  const { listenerId, orgId, hookUrl, subscription } = details;
  return {
    id: listenerId,
    listenerId,
    signingSecret: signingSecret(masterKeys, listenerId, details.secret),
    orgId,
    hookUrl,
    ...subscriptionFacts(subscription),
    message: 'The listener is registered.',
  };
};

const unsubscribed: z.output<typeof unsubscribeAnswer> = {
  success: true,
  message: 'The listener is removed: no delivery to it starts any more.',
};
