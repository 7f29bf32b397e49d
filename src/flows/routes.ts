import Router from '@koa/router';
import type { z } from 'zod';
import type { Identity, Publisher } from '../access/identity/caller.js';
import { jsonBody } from '../http/body.js';
import { answerFailuresWith500, causeOf, type RequestState, type Routes } from '../http/context.js';
import { Forbidden } from '../http/errors.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { requireActiveTask } from '../registrations/integration-tasks/effective-task.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import { type publishAnswer, publishRequest, type subscriptionTypesAnswer } from './contract.js';
import { warnOfLargeEvents } from './large-events.js';
import { publishFlowEvent } from './publish-flow-event.js';
import type { PublishingPace } from './publishing-pace.js';
import { sampleTriggers } from './triggers.js';
import type { CheckPublished } from './types/publishing-checks.js';
import { subscriptionTypeOptions } from './types/subscription-types.js';

export type FlowRoutesDependencies = {
  /** Without a slash at the end; `/api/hooks` by default. */
  readonly prefix: string;
  readonly store: EventStore;
  readonly readModel: Pick<ReadModel, 'find'>;
  readonly checkPublished: CheckPublished;
  readonly identity: Identity;
  /** The subscription types that are allowed; undefined: any. */
  readonly subscriptionTypes: readonly string[] | undefined;
  /** Maximum size of a flow event as JSON. */
  readonly maxEventBytes: number;
  readonly pace: PublishingPace;
  readonly limits: Pick<RequestLimits, 'arrival' | 'flowEvent'>;
};

/** `POST /api/flows`, `GET {prefix}/perform-list` and `GET {prefix}/subscription-types`. */
export function flowRoutes(dependencies: FlowRoutesDependencies): Routes {
  const { prefix, store, identity, subscriptionTypes, maxEventBytes, pace, limits, readModel, checkPublished } =
    dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });
  const warnOfSize = warnOfLargeEvents();
  const samples = sampleTriggers(subscriptionTypes);

  router.post('/api/flows', async (ctx) => {
    await limits.arrival(ctx);
    const publisher = await identity.publisher(ctx);
    const request = jsonBody(ctx, publishRequest);
    const orgId = organisationOf(publisher, request.orgId);
    await limits.flowEvent(publisher, orgId);
    await pace();
    const warning = await checkPublished(orgId, request);
    if (warning !== undefined) ctx.set(warningHeader, asciiOnly(warning));
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

  // Without authentication, as perform-list: it contains names, no data and no schemas.
  router.get(`${prefix}/subscription-types`, answerFailuresWith500, async (ctx) => {
    await limits.arrival(ctx);
    ctx.body = [...(await subscriptionTypeOptions(readModel, subscriptionTypes))] satisfies z.output<
      typeof subscriptionTypesAnswer
    >;
  });

  // Without authentication: platforms request samples before a user has signed in.
  router.get(`${prefix}/perform-list`, answerFailuresWith500, async (ctx) => {
    await limits.arrival(ctx);
    await requireActiveTask(store, null);
    ctx.status = 201;
    ctx.body = samples;
  });

  return router;
}

/** A header of an accepted request; texts of other alphabets are escaped. */
const warningHeader = 'Flow-Hooks-Warning';

const asciiOnly = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The caller's own organisation, or the one in the body if the caller may publish for any. */
function organisationOf(publisher: Publisher, named: string | undefined): string {
  const orgId = publisher.orgId ?? named;
  if (orgId === undefined)
    throw new InvalidRequest('orgId is required: the credentials do not contain an organisation');
  if (named !== undefined && named !== orgId) throw new Forbidden('these credentials are for another organisation');
  return orgId;
}
