import { isDocumentUrl } from '../../access/clients/client-documents.js';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { ListenerDetails } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import { endListener, type UnsubscribeBarrier } from '../commands/end-listener.js';
import type { NotifyChange } from '../commands/operate-listener.js';
import { filterText } from '../filters/filter.js';
import { effectiveTask } from '../integration-task.js';
import { detailsOf, isRegistered, type Listener, listenerDecider, listenerStream, newListenerId } from '../listener.js';
import type { ListenerQuota } from '../listener-quota.js';
import { givenSecret, signingSecret } from '../signing-secret.js';
import type { AgentQuota } from './agent-quota.js';
import {
  AccessRevoked,
  type AgentSubscriptionKey,
  agentHookUrl,
  agentSubscriptionId,
  isExpired,
  type SubscribeAgent,
  subscribeAgent,
} from './agent-subscription.js';
import { isAccessRevoked } from './revoked-access.js';

type AgentSubscriptionsDependencies = {
  store: EventStore;
  masterKeys: MasterKeys;
  /** Rejects with `target_not_allowed` if the service does not deliver to this URL. */
  checkTarget: (hookUrl: string) => Promise<void>;
  listenerQuota: ListenerQuota;
  agentQuota: AgentQuota;
  notifyChange: NotifyChange;
  barrier: UnsubscribeBarrier;
};

type AgentRequest = {
  key: AgentSubscriptionKey;
  /** `whsec_` and the key in base64, which the agent chose. */
  secret: string;
  filter: object | undefined;
  sessionId: string | null;
  /** Kept with a subscription that begins, for a repeat after a failure. */
  cursor: string | null;
  ttlMs: number;
  /** Called before a subscription begins, and not for one that is in force. Rejects if it must not. */
  beforeBeginning: (subscriptionId: string) => Promise<void>;
};

type Context = { cause: Cause; now: Date };

export type AgentSubscriptions = {
  /** Registers or renews. Throws as `subscribeAgent`, and the errors of `checkTarget`, `AgentQuota` and `beforeBeginning`. */
  subscribe: (
    request: AgentRequest,
    context: Context,
  ) => Promise<{ id: string; details: ListenerDetails; refreshBefore: string }>;
  /** No delivery starts after it. False: there was none. */
  unsubscribe: (key: AgentSubscriptionKey, context: Context) => Promise<boolean>;
};

/** Subscriptions of agents are listeners: see decision 47. */
export function agentSubscriptions(dependencies: AgentSubscriptionsDependencies): AgentSubscriptions {
  const { store, masterKeys, checkTarget, listenerQuota, agentQuota, notifyChange, barrier } = dependencies;

  async function stateOf({ orgId }: AgentSubscriptionKey, hookUrl: string) {
    return (await load(store, listenerStream(orgId, hookUrl), listenerDecider)).state;
  }

  async function register(
    { key, secret, filter: sent, sessionId, cursor, ttlMs, beforeBeginning }: AgentRequest,
    before: Listener,
    { cause, now }: Context,
  ) {
    const { orgId, clientId, name } = key;
    const hookUrl = agentHookUrl(key);
    const filter = filterText(sent);
    const [task, exhaustedQuota] = await Promise.all([effectiveTask(store, orgId), listenerQuota(orgId)]);
    const command: SubscribeAgent = {
      orgId,
      userId: userIdOf(key),
      hookUrl,
      agent: { clientId, sessionId },
      subscription: {
        subscriptionType: name,
        filter,
        transform: null,
        ordered: false,
        ratePerSecond: null,
        description: descriptionOf(clientId),
        signedWithKeyPair: false,
      },
      listenerId: newListenerId(),
      task,
      ...(exhaustedQuota !== undefined && { exhaustedQuota }),
      encrypted: (listenerId) => givenSecret(masterKeys, listenerId, secret),
      isSecretOf: (listenerId, { previous: _, expiresAt: __, ...present }) =>
        signingSecret(masterKeys, listenerId, present) === secret,
      currentGeneration: masterKeys.current,
      cursor,
      ttlMs,
      now,
    };
    const isInForce = isInForceAt(before, now);
    if (!isInForce) {
      subscribeAgent(command, before); // refused before anything is sent
      if (await isAccessRevoked(store, command)) throw new AccessRevoked();
      await beforeBeginning(agentSubscriptionId(key));
    }
    const { state, events, position } = await handle(
      store,
      listenerStream(orgId, hookUrl),
      listenerDecider,
      (listener) => subscribeAgent(command, listener),
      { cause, now },
    );
    const ended = events.find(({ type }) => type === 'ListenerUnsubscribed');
    if (ended) await barrier.close(ended.data.listenerId);
    if (position !== undefined && isInForce && isRegistered(state))
      await notifyChange({ details: state.details, paused: false, position, isHealthReset: isResumed(events) });
    const refreshBefore = new Date(now.getTime() + ttlMs).toISOString();
    return { id: agentSubscriptionId(key), details: detailsOf(state), refreshBefore };
  }

  return {
    async subscribe(request, context) {
      const { key } = request;
      const hookUrl = agentHookUrl(key);
      await checkTarget(hookUrl);
      const { now } = context;
      const before = await stateOf(key, hookUrl);
      if (isInForceAt(before, now)) return register(request, before, context);
      await agentQuota.take({ ...memberOf(key), now }, hookUrl);
      try {
        return await register(request, before, context);
      } catch (error) {
        agentQuota.release(memberOf(key), hookUrl);
        throw error;
      }
    },

    async unsubscribe(key, context) {
      const hookUrl = agentHookUrl(key);
      if ((await stateOf(key, hookUrl)).state === 'none') return false;
      await endListener({ store, barrier }, { reason: 'requested', orgId: key.orgId, hookUrl }, context);
      agentQuota.release(memberOf(key), hookUrl);
      return true;
    },
  };
}

const isInForceAt = (listener: Listener, now: Date): boolean =>
  isRegistered(listener) && !isExpired(listener.details, now);

const userIdOf = ({ actor }: AgentSubscriptionKey): string => actor.replace(/^user:/, '');

const memberOf = (key: AgentSubscriptionKey) => ({ orgId: key.orgId, userId: userIdOf(key) });

/** Names the host in lists, where a person decides about it. */
const descriptionOf = (clientId: string | null): string =>
  clientId === null ? 'Agent' : `Agent: ${isDocumentUrl(clientId) ? new URL(clientId).host : clientId}`;

const isResumed = (events: readonly { type: string }[]): boolean =>
  events.some(({ type }) => type === 'ListenerResumed');
