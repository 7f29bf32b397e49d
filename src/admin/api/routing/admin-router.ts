import Router from '@koa/router';
import type { AdministratedMember, Administrator, AdministratorIdentity } from '../../../access/identity/caller.js';
import { hasBody, jsonValue } from '../../../http/body.js';
import { type Context, goneSignal, type RequestState, type Routes } from '../../../http/context.js';
import { statusOf } from '../../../http/route-contract.js';
import { perform } from './admin-api.js';
import type { BoundRoute, Caller, CustomerAction } from './admin-route.js';
import type { CallLimits } from './call-limits.js';

/** A route must come before another whose path parameter matches it. */
export function adminRouter(
  routes: readonly BoundRoute[],
  identity: AdministratorIdentity,
  limits: CallLimits,
): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  for (const route of routes)
    router[route.contract.method](route.contract.path, (ctx) => answer(route, { identity, limits }, ctx));
  return router;
}

async function answer(
  route: BoundRoute,
  { identity, limits }: { identity: AdministratorIdentity; limits: CallLimits },
  ctx: Context & { params: Readonly<Record<string, string>> },
): Promise<void> {
  ctx.set('Cache-Control', 'no-store');
  const { tokenScope, waits } = route.contract.access;
  const administrator = callerOf(await identity.administrator(ctx, tokenScope), ctx.state);
  const caller = waits ? { ...administrator, gone: goneSignal(ctx) } : administrator;
  const sent = { params: ctx.params, query: { ...ctx.query }, body: () => (hasBody(ctx) ? jsonValue(ctx) : {}) };
  const body = await perform(route, sent, caller, limits);
  if (waits) await identity.administrator(ctx, tokenScope); // the credentials may have been revoked meanwhile
  ctx.status = statusOf(route.contract.answer, body);
  ctx.body = body;
}

/** Listeners of a member are changed by its platform. */
const actionsOf = ({ scopes }: AdministratedMember): readonly CustomerAction[] =>
  scopes === null || scopes.includes('flows:publish') ? ['publish'] : [];

export function callerOf(administrator: Administrator, request: RequestState): Caller {
  const { actor, apiKey, member } = administrator;
  if (apiKey) return { actor, apiKey, request };
  if (member) return { actor, role: 'operator', orgId: member.orgId, actions: actionsOf(member), member, request };
  return { actor, role: administrator.role, orgId: null, request };
}
