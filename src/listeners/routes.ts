import Router from '@koa/router';
import type { z } from 'zod';
import type { Identity } from '../access/identity/caller.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { jsonBody } from '../http/body.js';
import { causeOf, type RequestState, type Routes } from '../http/context.js';
import { NotFound } from '../http/errors.js';
import type { ListenerLimits } from '../http/limits/request-limits.js';
import { serve } from '../http/route-contract.js';
import { listenerIdParameter } from '../kernel/input/texts.js';
import type { DocumentFinder } from '../views/read-model.js';
import { type EndingDependencies, endListener } from './commands/end-listener.js';
import type { Subscribe } from './commands/subscribe.js';
import {
  type publicKeysAnswer,
  publicKeysRoute,
  type subscribeAnswer,
  subscribeRoute,
  type unsubscribeAnswer,
  unsubscribeRoute,
} from './contract.js';
import { normalisedHookUrl } from './hook-url.js';
import { detailsOf } from './listener.js';
import { currentListener } from './queries/registered-listeners.js';
import { publicKeysOf, verifyingKeys } from './signing-secret.js';
import { replacedSubscription, subscriptionFacts } from './subscription.js';

export type ListenerRoutesSources = EndingDependencies & {
  identity: Identity;
  masterKeys: MasterKeys;
  limits: ListenerLimits;
  readModel: DocumentFinder;
};

type ListenerRoutesDependencies = ListenerRoutesSources & { subscribe: Subscribe };

/** `POST {prefix}/subscribe/flows`, `POST {prefix}/unsubscribe/flows` and `GET {prefix}/listeners/{listenerId}/public-keys`. */
export function listenerRoutes(prefix: string, dependencies: ListenerRoutesDependencies): Routes {
  const { identity, masterKeys, limits, subscribe, readModel } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true, prefix });

  serve(router, subscribeRoute, async (ctx) => {
    await limits.arrival(ctx);
    const { orgId, userId, actor, ...caller } = await identity.member(ctx);
    await limits.listenerRequest(caller, orgId);
    const request = { ...jsonBody(ctx, subscribeRoute.body), orgId, userId };
    const handled = await subscribe(request, { cause: causeOf(ctx.state, actor), now: new Date() });
    ctx.status = 201;
    ctx.set('Cache-Control', 'no-store'); // the response contains a secret
    ctx.body = subscribed(handled, masterKeys);
  });

  serve(router, unsubscribeRoute, async (ctx) => {
    await limits.arrival(ctx);
    const { orgId, actor, ...caller } = await identity.organisation(ctx);
    await limits.listenerRequest(caller, orgId);
    const hookUrl = normalisedHookUrl(jsonBody(ctx, unsubscribeRoute.body).hookUrl);
    const context = { cause: causeOf(ctx.state, actor), now: new Date() };
    await endListener(dependencies, { reason: 'requested', orgId, hookUrl }, context);
    ctx.body = unsubscribed;
  });

  // Needs no credentials: the keys are public, and a listener ID cannot be guessed.
  serve(router, publicKeysRoute, async (ctx) => {
    await limits.arrival(ctx);
    const { data: listenerId } = listenerIdParameter.safeParse(ctx.params.listenerId);
    const listener = listenerId && (await currentListener(readModel, listenerId));
    if (!listener) throw new NotFound('no registered listener has this ID');
    ctx.set('Cache-Control', 'public, max-age=60');
    ctx.body = { keys: publicKeysOf(masterKeys, listener, Date.now()) } satisfies z.output<typeof publicKeysAnswer>;
  });

  return router;
}

const subscribed = (
  { state, events }: Awaited<ReturnType<Subscribe>>,
  masterKeys: MasterKeys,
): z.output<typeof subscribeAnswer> => {
  const details = detailsOf(state);
  const { listenerId, orgId, hookUrl, subscription } = details;
  const replaced = replacedSubscription(events);
  return {
    id: listenerId,
    listenerId,
    ...verifyingKeys(masterKeys, details),
    orgId,
    hookUrl,
    ...subscriptionFacts(subscription),
    replaced,
    message: replaced
      ? `The listener is registered: its subscription is replaced, which had the type ${replaced.subscriptionType}.`
      : 'The listener is registered.',
  };
};

const unsubscribed: z.output<typeof unsubscribeAnswer> = {
  success: true,
  message: 'The listener is removed: no delivery to it starts any more.',
};
