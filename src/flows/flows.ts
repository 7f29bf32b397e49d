import Router from '@koa/router';
import type { z } from 'zod';
import type { Identity, Organisation } from '../access/identity/caller.js';
import type { Context, RequestState, Routes } from '../http/context.js';
import type { ListenerLimits, PublishingLimits } from '../http/limits/request-limits.js';
import { below, serve } from '../http/route-contract.js';
import { parseInput } from '../kernel/input/parse-input.js';
import { requireActiveTask } from '../listeners/integration-task.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { DocumentFinder } from '../views/read-model.js';
import type { subscriptionTypesAnswer } from './contract.js';
import { samplesRoute, subscriptionTypesRoute } from './platform-routes.js';
import { type PublishRoutesDependencies, publishRoutes } from './publishing/routes.js';
import { type DispatcherLoad, publishingPace } from './publishing-pace.js';
import { sampleRequest } from './samples/sample-request.js';
import { type LatestFlowEvents, type SampleSources, type Samples, samples } from './samples/samples.js';
import type { TransformSample } from './samples/transform-samples.js';
import { type CheckPublished, remembered } from './types/publishing-checks.js';
import { pageOfOptions, subscriptionTypeOptions, subscriptionTypesQuery } from './types/subscription-types.js';

type FlowRoutesDependencies = PublishRoutesDependencies &
  SampleSources & {
    /** Prefix without a slash at the end. */
    prefix: string;
    subscriptionTypes: readonly string[] | undefined;
    readModel: DocumentFinder;
    limits: ListenerLimits & PublishingLimits;
  };

/** Routes for publishing, perform-list and subscription-types. */
export function flowRoutes(dependencies: FlowRoutesDependencies): Routes {
  const { prefix, store, readModel, identity, subscriptionTypes, limits } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });
  const sampled = samples(dependencies, subscriptionTypes);
  // Unauthenticated, and each answer reads all types.
  const options = remembered(1, () => subscriptionTypeOptions(readModel, subscriptionTypes));

  router.use(publishRoutes(dependencies).routes());

  // Unauthenticated: it contains names, no data and no schemas.
  serve(router, below(prefix)(subscriptionTypesRoute), async (ctx) => {
    await limits.arrival(ctx);
    const filled = Object.entries(ctx.query).filter(([, value]) => value !== '');
    const query = parseInput(subscriptionTypesQuery, Object.fromEntries(filled));
    const { types, next } = pageOfOptions(await options('all'), query);
    if (next) ctx.set('Link', `<?${next}>; rel="next"`); // RFC 8288: a relative reference
    ctx.body = [...types] satisfies z.output<typeof subscriptionTypesAnswer>;
  });

  // Unauthenticated: platforms request samples before a user has signed in.
  serve(router, below(prefix)(samplesRoute), async (ctx) => {
    await limits.arrival(ctx);
    const caller = await identity.organisationIfAccepted(ctx);
    await requireActiveTask(store, caller?.orgId ?? null);
    ctx.body = caller ? await samplesFor(ctx, caller) : sampled.common;
    ctx.status = 201;
  });

  async function samplesFor(ctx: Context, caller: Organisation): ReturnType<Samples['ofOrganisation']> {
    await limits.listenerRequest(caller, caller.orgId);
    ctx.set('Cache-Control', 'no-store');
    return sampled.ofOrganisation(caller.orgId, await sampleRequest(ctx.query));
  }

  return router;
}

export type FlowSettings = {
  http: { hooksPrefix: string };
  listeners: { subscriptionTypes: readonly string[] | undefined };
  flows: {
    maxEventBytes: number;
  };
};

type FlowDependencies = {
  store: EventStore;
  readModel: DocumentFinder;
  checkPublished: CheckPublished;
  identity: Identity;
  /** Undefined: not in this process. */
  dispatcher: DispatcherLoad | undefined;
  latestFlowEvents: LatestFlowEvents;
  transformSample: TransformSample;
  limits: ListenerLimits & PublishingLimits;
};

export const flows = (
  { http, listeners, flows: { maxEventBytes } }: FlowSettings,
  { dispatcher, ...dependencies }: FlowDependencies,
): Routes =>
  flowRoutes({
    ...dependencies,
    prefix: http.hooksPrefix,
    subscriptionTypes: listeners.subscriptionTypes,
    maxEventBytes,
    pace: dispatcher ? publishingPace(dispatcher) : async () => undefined,
  });
