import { LRUCache } from 'lru-cache';
import { RateLimited } from '../../http/limits/rate-limit.js';
import type { ReadModel } from '../../views/read-model.js';
import { currentListeners } from '../queries/registered-listeners.js';
import { isExpired } from './agent-subscription.js';

/** The member has as many subscriptions of agents as it may have. */
export class TooManySubscriptions extends RateLimited {
  constructor(max: number) {
    super(
      `the caller has ${max} subscriptions in this organisation, which is the maximum`,
      { name: 'agent-subscriptions', count: max },
      retryAfterMs,
    );
  }
}

/** A retry helps only after a subscription has ended. */
const retryAfterMs = 60_000;
/** The view is read again after this time: other instances may have registered some. */
const recountAfterMs = 10_000;
/** Maximum number of members in memory. */
const maxMembers = 1_000;

type Member = { orgId: string; userId: string; now: Date };

/** Live subscriptions of a member, by hook URL. */
export type AgentQuota = {
  /** Counts one more. Throws `TooManySubscriptions`, and the errors of the view. */
  take: (member: Member, hookUrl: string) => Promise<void>;
  /** Counts one less. */
  release: (member: Omit<Member, 'now'>, hookUrl: string) => void;
};

/**
 * Bounds the subscriptions of the agents of one member, with all its clients, so that none uses up the listeners of its organisation.
 * `max` undefined: no quota.
 */
export function agentQuota(max: number | undefined, readModel: Pick<ReadModel, 'find'>): AgentQuota {
  if (max === undefined) return { take: async () => undefined, release: () => undefined };
  const members = new LRUCache<string, Set<string>, Member>({
    max: maxMembers,
    ttl: recountAfterMs,
    fetchMethod: (_, __, { context }) => liveOf(readModel, context),
  });
  return {
    async take(member, hookUrl) {
      const live = await members.forceFetch(nameOf(member), { context: member });
      if (live.size >= max && !live.has(hookUrl)) throw new TooManySubscriptions(max);
      live.add(hookUrl);
    },
    release: (member, hookUrl) => void members.peek(nameOf(member))?.delete(hookUrl),
  };
}

const nameOf = ({ orgId, userId }: Omit<Member, 'now'>): string => JSON.stringify([orgId, userId]);

async function liveOf(readModel: Pick<ReadModel, 'find'>, { orgId, userId, now }: Member): Promise<Set<string>> {
  const live = new Set<string>();
  for await (const page of currentListeners(readModel, orgId))
    for (const { hookUrl, agent, ...listener } of page)
      if (agent && listener.userId === userId && !isExpired(listener, now)) live.add(hookUrl);
  return live;
}
