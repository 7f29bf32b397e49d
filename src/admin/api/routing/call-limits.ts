import { setTimeout as pause } from 'node:timers/promises';
import { organisationShare } from '../../../http/limits/organisation-share.js';
import type { AdminLimits, ListenerLimits } from '../../../http/limits/request-limits.js';
import { type AnyAdminRoute, type Caller, limitOf } from './admin-route.js';

/** Runs a call of an authorised caller within the caller's limits. Throws `RateLimited` and `TooManyRequests`. */
export type CallLimits = <Result>(route: AnyAdminRoute, caller: Caller, work: () => Promise<Result>) => Promise<Result>;

/** Reads take turns on the threads of the service and of the queue: in each, others wait for this many chunks at most. */
const maxReadsOfCaller = 4;
const maxReadsOfOrganisation = 1;
const maxWaiting = 100;
const tooMany = 'too many requests are waiting for an answer; send fewer at a time';

/**
 * Limits of one instance: requests and reads of an API key, reads of a session or an admin key, and reads and changes of an
 * organisation whose callers see nothing else.
 */
export function callLimits(
  limits: AdminLimits & ListenerLimits,
  rest: (workedMs: number) => Promise<unknown> | undefined = restAsLong,
): CallLimits {
  const ofCaller = organisationShare(maxReadsOfCaller, tooMany, { maxWaiting });
  const ofOrganisation = organisationShare(maxReadsOfOrganisation, tooMany, { maxWaiting, rest });
  return async ({ access }, caller, work) => {
    await countRequest(limits, caller);
    if (access.waits) return work();
    if (access.role === 'viewer') return ofCaller(caller.actor, () => ofOrganisation(limitOf(caller), work));
    // Flow events have their own limit.
    if (access.action !== 'publish') await countChange(limits, caller);
    return work();
  };
}

/** Counts a request of an API key or a session. Throws `RateLimited`. */
export async function countRequest(limits: AdminLimits & ListenerLimits, caller: Caller): Promise<void> {
  if (caller.apiKey) await limits.apiKeyRequest(caller.apiKey.apiKeyId);
  else if (caller.member) await limits.listenerRequest(caller.member, caller.member.orgId);
}

/** Counts a change by a caller that sees one organisation alone. Throws `RateLimited`. */
export async function countChange(limits: AdminLimits, caller: Caller): Promise<void> {
  const orgId = limitOf(caller);
  if (orgId !== null) await limits.change(orgId);
}

/** Counts a request that is refused before it calls a route, whose limits would count it. Throws what `work` throws, and `RateLimited`. */
export async function countedIfRefused<Result>(
  work: () => Result | Promise<Result>,
  limits: AdminLimits & ListenerLimits,
  caller: Caller,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await countRequest(limits, caller);
    throw error;
  }
}

/** A read that took several time slices is followed by a rest, so that an organisation reads half of the time. */
const restAsLong = (workedMs: number) => (workedMs > 25 ? pause(workedMs, undefined, { ref: false }) : undefined);

export const noCallLimits: CallLimits = (_, __, work) => work();
