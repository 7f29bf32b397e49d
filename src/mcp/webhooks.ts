import { randomUUID } from 'node:crypto';
import { ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { includesRole } from '../access/admin-keys.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { Caller } from '../admin/api/routing/admin-route.js';
import { countChange } from '../admin/api/routing/call-limits.js';
import { causeOf } from '../http/context.js';
import type { AdminLimits } from '../http/limits/request-limits.js';
import type { AgentSubscriptionKey } from '../listeners/agents/agent-subscription.js';
import type { AgentSubscriptions } from '../listeners/agents/agent-subscriptions.js';
import { isObject } from '../listeners/filters/selected-values.js';
import { CallbackNotVerified, type VerifyCallback } from './callbacks.js';
import type { NotifyGap } from './gaps.js';
import { endOfFeed, replayMissed, replayOf, requireCursor } from './missed-events.js';
import type { ProgressOf } from './progress.js';
import { type EventNumbering, eventErrorNumbers, jsonRpcErrors } from './protocol.js';
import type { McpCall } from './tools.js';

export type Webhooks = {
  subscriptions: AgentSubscriptions;
  verifyCallback: VerifyCallback;
  progressOf: ProgressOf;
  notifyGap: NotifyGap;
};

const hour = 3_600_000;
/** A host that is not there any more is found by the end alone: it need not unsubscribe. */
const ttl = { defaultMs: hour, minMs: hour / 12, maxMs: 24 * hour };

/** Events of a type. `arguments` as they were sent: `z.record` leaves out a field named `__proto__`. */
export const selection = {
  name: z.string().min(1).max(256),
  arguments: z.custom<Readonly<Record<string, unknown>>>(isObject, 'arguments must be an object').nullish(),
};
export const subscribeParams = z.looseObject({
  ...selection,
  delivery: z.looseObject({ mode: z.string(), url: z.string(), secret: z.string() }),
  cursor: z.string().max(256).nullish(), // is kept
  maxAgeMs: z.number().min(0).nullish(),
  ttlMs: z.number().nullish(),
});
export const unsubscribeParams = z.looseObject({ ...selection, delivery: z.looseObject({ url: z.string() }) });

type WebhookCall = {
  webhooks: Webhooks;
  api: AdminApi;
  limits: AdminLimits;
  call: McpCall;
  eventNumbering: EventNumbering;
  filter: object | undefined;
};

/** `events/subscribe`, for a declared type and valid arguments. */
export async function subscribeWebhook(
  params: z.output<typeof subscribeParams>,
  {
    webhooks: { subscriptions, verifyCallback, progressOf, notifyGap },
    api,
    limits,
    call,
    eventNumbering,
    filter,
  }: WebhookCall,
) {
  const errorNumbers = eventErrorNumbers[eventNumbering];
  const { mode, url, secret } = params.delivery;
  if (mode !== 'webhook')
    throw new ProtocolError(errorNumbers.Unsupported, 'the delivery mode is webhook', {
      feature: 'delivery.mode',
      value: mode,
    });
  requireSecret(secret);
  const key = keyOf(params, url, call, eventNumbering);
  const caller = JSON.stringify([key.orgId, key.actor, key.clientId]);
  const interest = { orgId: key.orgId, name: key.name, filter };
  const reading: Caller = { actor: call.caller.actor, role: 'viewer', orgId: null };
  const { cursor: given = null } = params;
  const ttlMs = granted(params.ttlMs);
  let beginning: string | undefined;
  const beforeBeginning = async (subscriptionId: string) => {
    await countChange(limits, call.caller);
    if (given !== null) await requireCursor(api, interest, { cursor: given, caller: reading });
    beginning = given ?? (await endOfFeed(api, interest, reading));
    await verifyCallback({ orgId: key.orgId, caller, url, secret, subscriptionId });
  };
  try {
    const { id, details, refreshBefore } = await subscriptions.subscribe(
      { key, secret, filter, sessionId: sessionOf(call.caller), cursor: given, ttlMs, beforeBeginning },
      { cause: causedBy(call.caller), now: new Date() },
    );
    const { listenerId, agent } = details;
    const answer = { resultType: 'complete', id, refreshBefore };
    if (beginning !== undefined && given === null) return { ...answer, cursor: beginning, truncated: false };
    const replay = await replayOf(api, listenerId, reading); // first: its deliveries are open after it
    // The answer to the request with which the subscription began may have failed before the replay.
    const isBack = beginning !== undefined || (agent?.cursor === given && !replay);
    if (given !== null && isBack) {
      // After it, so that events until the subscription began are found too; a host that comes back before the replay has ended gets them again.
      const since = { cursor: given, maxAge: params.maxAgeMs ?? undefined, caller: reading };
      return { ...answer, ...(await replayMissed(api, interest, { ...since, listenerId })) };
    }
    const { cursor: reached = given, deliveryStatus } = await progressOf(key.orgId, listenerId, given);
    const cursor = replay?.state === 'running' ? given : reached;
    // The subscription lasts twice as long as was granted, so its last refresh may be that old.
    if (cursor !== null) void notifyGap(details, { since: Date.now() - 2 * ttlMs, cursor });
    return { ...answer, cursor, truncated: false, deliveryStatus };
  } catch (error) {
    if (!(error instanceof CallbackNotVerified)) throw error;
    throw new ProtocolError(errorNumbers.CallbackEndpointError, error.message, { reason: error.reason });
  }
}

/** `events/unsubscribe`. */
export async function unsubscribeWebhook(
  params: z.output<typeof unsubscribeParams>,
  { webhooks: { subscriptions }, call, eventNumbering }: Pick<WebhookCall, 'webhooks' | 'call' | 'eventNumbering'>,
) {
  const key = keyOf(params, params.delivery.url, call, eventNumbering);
  const wasThere = await subscriptions.unsubscribe(key, { cause: causedBy(call.caller), now: new Date() });
  if (!wasThere && eventNumbering === 'sep-3415')
    throw new ProtocolError(eventErrorNumbers[eventNumbering].NotFound, 'no such subscription', {
      kind: 'subscription',
    });
  return { resultType: 'complete' };
}

/** Requests of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64, with its padding or without. */
function requireSecret(secret: string): void {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const encoded = `whsec_${key.toString('base64')}`;
  const isExact = secret === encoded || secret === encoded.replace(/=+$/, ''); // other libraries refuse what this decoder skips
  if (!isExact || key.length < 24 || key.length > 64)
    throw new ProtocolError(jsonRpcErrors.invalidParams, 'delivery.secret must be whsec_ and 24 to 64 bytes in base64');
}

const granted = (requestedMs: number | null | undefined): number =>
  Math.min(ttl.maxMs, Math.max(ttl.minMs, requestedMs === null ? ttl.maxMs : (requestedMs ?? ttl.defaultMs)));

function keyOf(
  { name, arguments: given }: { name: string; arguments?: Record<string, unknown> | null | undefined },
  url: string,
  { caller, orgId }: McpCall,
  eventNumbering: EventNumbering,
): AgentSubscriptionKey {
  const refusal = refusalOf(caller, orgId);
  if (refusal !== undefined || orgId === undefined)
    throw new ProtocolError(eventErrorNumbers[eventNumbering].Forbidden, refusal ?? '', { reason: refusal });
  const clientId = (caller.apiKey ? undefined : caller.member?.clientId) ?? null;
  return { orgId, actor: caller.actor, clientId, url, name, arguments: given ?? {} };
}

function refusalOf(caller: Caller, orgId: string | undefined): string | undefined {
  if (orgId === undefined) return 'events are those of an organisation: use its credentials, or send the header orgid';
  if (caller.apiKey)
    return caller.apiKey.scopes.includes('listeners:write') ? undefined : 'the API key needs the scope listeners:write';
  return includesRole(caller.role, 'operator') ? undefined : 'the role operator is needed';
}

const causedBy = ({ request, actor }: Caller) =>
  causeOf(request ?? { requestId: randomUUID(), traceparent: undefined }, actor);

const sessionOf = (caller: Caller): string | null => (caller.apiKey ? undefined : caller.member?.sessionId) ?? null;
