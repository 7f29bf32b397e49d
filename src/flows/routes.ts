import Router from '@koa/router';
import type { Organisation } from '../access/identity/caller.js';
import { answerFailuresWith500, type Context, type RequestState, type Routes } from '../http/context.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import { requireActiveTask } from '../registrations/integration-tasks/effective-task.js';
import { type PublishRoutesDependencies, publishRoutes } from './publishing/routes.js';
import type { LatestFlowEvents } from './samples/latest-flow-events.js';
import { sampleRequest } from './samples/sample-request.js';
import { samples } from './samples/samples.js';
import type { Trigger } from './triggers.js';

export type FlowRoutesDependencies = PublishRoutesDependencies & {
  /** Without a slash at the end; `/api/hooks` by default. */
  readonly prefix: string;
  /** The subscription types that are allowed; undefined: any. */
  readonly subscriptionTypes: readonly string[] | undefined;
  readonly latestFlowEvents: LatestFlowEvents;
  readonly limits: Pick<RequestLimits, 'arrival' | 'flowEvents' | 'hookRequest'>;
};

/** The routes of producers, and `GET {prefix}/perform-list`. */
export function flowRoutes(dependencies: FlowRoutesDependencies): Routes {
  const { prefix, store, identity, subscriptionTypes, latestFlowEvents, limits } = dependencies;
  const router: Routes = new Router<RequestState>();
  const sampled = samples(latestFlowEvents, subscriptionTypes);

  router.use(publishRoutes(dependencies).routes());

  // Also without authentication: platforms request samples before a user has signed in.
  router.get(`${prefix}/perform-list`, answerFailuresWith500, async (ctx) => {
    await limits.arrival(ctx);
    const caller = await identity.organisationIfAccepted(ctx);
    await requireActiveTask(store, caller?.orgId ?? null);
    ctx.body = caller ? await samplesFor(ctx, caller) : sampled.common;
    ctx.status = 201;
  });

  async function samplesFor(ctx: Context, caller: Organisation): Promise<readonly Trigger[]> {
    await limits.hookRequest(caller, caller.orgId);
    ctx.set('Cache-Control', 'no-store');
    return sampled.ofOrganisation(caller.orgId, sampleRequest(ctx.query));
  }

  return router;
}
