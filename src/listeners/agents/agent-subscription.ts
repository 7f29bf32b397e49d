import { createHash } from 'node:crypto';
import type { ListenerDetails, ListenerEvent, SigningSecret, Subscription } from '../../events/listener-events.js';
import { Forbidden } from '../../http/errors.js';
import { canonicalJson } from '../../stores/event-store/serialise.js';
import { resumedFor } from '../commands/listener-commands.js';
import { normalisedHookUrl } from '../hook-url.js';
import { type IntegrationTask, requireActive } from '../integration-task.js';
import { type EndedListener, isRegistered, type Listener, type RegisteredListener } from '../listener.js';
import { TooManyListeners } from '../listener-quota.js';

/** Identity of a subscription of an agent (MCP Events, webhook mode); another value is another subscription. */
export type AgentSubscriptionKey = {
  orgId: string;
  /** The caller as the history names it, and the client of its token. */
  actor: string;
  clientId: string | null;
  url: string;
  name: string;
  arguments: Readonly<Record<string, unknown>>;
};

/** Checkpoint of the reader of the history that notifies agents' hosts of ended subscriptions. Without it, none has begun. */
export const agentAccessReader = 'agent-access';

/** ID of the subscription: not secret, and never an input. */
export const agentSubscriptionId = (key: AgentSubscriptionKey): string =>
  `sub_${createHash('sha256').update(canonicalJson(key)).digest('hex').slice(0, 32)}`;

/**
 * Hook URL of the listener. One callback may have many subscriptions, so the ID is the fragment, which is never sent. A platform's hook URL
 * has no fragment. Throws `InvalidRequest` as `normalisedHookUrl`.
 */
export const agentHookUrl = (key: AgentSubscriptionKey): string =>
  `${normalisedHookUrl(key.url, 'delivery.url')}#${agentSubscriptionId(key)}`;

/** Undefined: the listener of a platform. */
export const subscriptionIdIn = (hookUrl: string): string | undefined => /#(sub_[0-9a-f]{32})$/.exec(hookUrl)?.[1];

/** The agent had access, which a person or the service has ended. */
export class AccessRevoked extends Forbidden {
  constructor() {
    super('Access revoked');
  }
}

export type SubscribeAgent = Required<Pick<ListenerDetails, 'orgId' | 'userId' | 'hookUrl' | 'agent'>> & {
  subscription: Subscription;
  /** ID for a new listener. */
  listenerId: string;
  task: IntegrationTask;
  exhaustedQuota?: number;
  /** Encrypts the secret for this listener, under the current master key. */
  encrypted: (listenerId: string) => Pick<SigningSecret, 'keyGeneration' | 'sealed'>;
  /** True if the secret of the listener is this one. */
  isSecretOf: (listenerId: string, secret: SigningSecret) => boolean;
  currentGeneration: string;
  /** Place in the feed after which the host has missed events. */
  cursor: string | null;
  ttlMs: number;
  now: Date;
};

/** Time for which deliveries are also signed with the replaced secret. */
const secretGraceMs = 24 * 3_600_000;

/**
 * Registers the listener of an agent, or renews it: it is resumed, gets the secret and a later end. The recorded end has one more `ttlMs`
 * than was granted, so that most refreshes append nothing. Throws as `subscribeListener`, and `AccessRevoked`.
 */
export function subscribeAgent(command: SubscribeAgent, listener: Listener): ListenerEvent[] {
  const { task, orgId, exhaustedQuota, now } = command;
  if (isRegistered(listener) && !isExpired(listener.details, now)) return renewed(command, listener);
  if (listener.state === 'unsubscribed' && isStillRevoked(command, listener)) throw new AccessRevoked();
  requireActive(task, orgId);
  if (exhaustedQuota !== undefined) throw new TooManyListeners(exhaustedQuota);
  const begun: ListenerEvent = { type: 'ListenerSubscribed', data: newDetails(command) };
  if (!isRegistered(listener)) return [begun];
  const { details, since } = listener;
  return [{ type: 'ListenerUnsubscribed', data: { ...details, reason: 'expired', since: since.toString() } }, begun];
}

export const isExpired = ({ secret }: Pick<ListenerDetails, 'secret'>, now: Date): boolean =>
  secret.expiresAt !== undefined && Date.parse(secret.expiresAt) <= now.getTime();

/** An end by others holds for the session or, without one, for the time of the subscription: hosts ask again every few minutes. */
function isStillRevoked({ agent, now }: SubscribeAgent, { details, reason }: EndedListener): boolean {
  if (reason !== 'operator' && reason !== 'access-revoked') return false;
  return agent.sessionId === null ? !isExpired(details, now) : agent.sessionId === details.agent?.sessionId;
}

const endAfter = ({ now, ttlMs }: SubscribeAgent): string => new Date(now.getTime() + 2 * ttlMs).toISOString();

const newDetails = (command: SubscribeAgent): ListenerDetails => {
  const { listenerId, orgId, userId, hookUrl, subscription, encrypted, cursor } = command;
  const agent = cursor === null ? command.agent : { ...command.agent, cursor };
  const secret = { ...encrypted(listenerId), version: 1, previous: null, expiresAt: endAfter(command) };
  return { listenerId, orgId, userId, hookUrl, subscription, secret, failing: null, agent };
};

function renewed(command: SubscribeAgent, listener: RegisteredListener): ListenerEvent[] {
  const { listenerId, secret } = listener.details;
  const { agent, now, ttlMs, encrypted, isSecretOf, currentGeneration } = command;
  const { resumed, details: known, since } = resumedFor({ listenerId, now, redeliverHeld: true }, listener);
  const details = { ...known, agent: { ...known.agent, ...agent } };
  const ends = { paused: false, since } as const;
  const { previous, expiresAt = '', ...present } = secret;

  if (!isSecretOf(listenerId, secret)) {
    const until = new Date(now.getTime() + secretGraceMs).toISOString();
    const next = { ...encrypted(listenerId), version: secret.version + 1, previous: { ...present, until } };
    const data = { ...details, secret: { ...next, expiresAt: endAfter(command) }, ...ends };
    return [...resumed, { type: 'ListenerSecretRotated', data }];
  }
  const isLonger = now.getTime() + ttlMs > Date.parse(expiresAt);
  const isOfSession = listener.details.agent?.sessionId === agent.sessionId;
  const isUnderCurrentKey = secret.keyGeneration === currentGeneration;
  if (!isLonger && isOfSession && isUnderCurrentKey) return resumed;
  const kept = isUnderCurrentKey ? present : { ...encrypted(listenerId), version: secret.version + 1 };
  const data = { ...details, secret: { ...kept, previous, expiresAt: endAfter(command) }, ...ends };
  return [...resumed, { type: 'ListenerRenewed', data }];
}
