import Router from '@koa/router';
import type { z } from 'zod';
import type { Identity, Publisher } from '../access/identity/caller.js';
import { jsonBody } from '../http/body.js';
import { answerFailuresWith500, causeOf, type RequestState, type Routes } from '../http/context.js';
import { Forbidden } from '../http/errors.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { requireActiveTask } from '../registrations/integration-tasks/effective-task.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { type publishAnswer, publishRequest } from './contract.js';
import { warnOfLargeEvents } from './large-events.js';
import { publishFlowEvent } from './publish-flow-event.js';
import type { PublishingPace } from './publishing-pace.js';
import { sampleTriggers } from './triggers.js';

export type FlowRoutesDependencies = {
  /** `/api/hooks` unless configured: no slash at the end. */
  readonly prefix: string;
  readonly store: EventStore;
  readonly identity: Identity;
  /** The subscription types that are allowed; undefined: any. */
  readonly subscriptionTypes: readonly string[] | undefined;
  /** The most that a flow event may hold, as JSON. */
  readonly maxEventBytes: number;
  readonly pace: PublishingPace;
};

/** `POST /api/flows` and `GET {prefix}/perform-list`. */
export function flowRoutes(dependencies: FlowRoutesDependencies): Routes {
  const { prefix, store, identity, subscriptionTypes, maxEventBytes, pace } = dependencies;
  const router: Routes = new Router<RequestState>();
  const warnOfSize = warnOfLargeEvents();
  const samples = sampleTriggers(subscriptionTypes);

  router.post('/api/flows', async (ctx) => {
    const publisher = await identity.publisher(ctx);
    const request = jsonBody(ctx, publishRequest);
    const orgId = organisationOf(publisher, request.orgId);
    await pace();
    const { id, bytes } = await publishFlowEvent(store, request, {
      orgId,
      cause: causeOf(ctx.state, publisher.actor),
      now: new Date(),
      maxBytes: maxEventBytes,
    });
    warnOfSize({ orgId, type: request.type, bytes }, ctx.state.log);
    ctx.status = 202;
    ctx.body = { id } satisfies z.output<typeof publishAnswer>;
  });

  // Platforms ask for samples before anybody has signed in: nobody is asked who they are.
  router.get(`${prefix}/perform-list`, answerFailuresWith500, async (ctx) => {
    await requireActiveTask(store, null);
    ctx.status = 201;
    ctx.body = samples;
  });

  return router;
}

/** The caller's own organisation; the one that the body names where the caller may speak for any. */
function organisationOf(publisher: Publisher, named: string | undefined): string {
  const orgId = publisher.orgId ?? named;
  if (orgId === undefined) throw new InvalidRequest('orgId is required: the credentials name no organisation');
  if (named !== undefined && named !== orgId) throw new Forbidden('these credentials are for another organisation');
  return orgId;
}
