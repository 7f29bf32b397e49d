import { type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { buildConnector } from 'undici';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { hasHash, hashOfSecret } from '../access/secret-hash.js';
import { type ListenerPools, listenerPools } from '../deliveries/posting/listener-pools.js';
import type { Post, PostResult } from '../deliveries/posting/post.js';
import { FairQueue } from '../deliveries/transforms/fair-queue.js';
import { signatures, signingKey } from '../deliveries/worker/signed-headers.js';
import type { ListenerDetails } from '../events/listener-events.js';
import { TooManyRequests } from '../http/errors.js';
import { limiter } from '../http/limits/limiter.js';
import { organisationShare } from '../http/limits/organisation-share.js';
import type { RateLimit } from '../http/limits/rate-limit.js';
import { DomainError } from '../kernel/domain-error.js';
import { version } from '../kernel/version.js';
import { subscriptionIdIn } from '../listeners/agents/agent-subscription.js';
import { signingDerivations, signingSecret } from '../listeners/signing-secret.js';
import { webhookHeaders, webhookTimestamp } from '../queue/delivery.js';
import { type EventNumbering, eventErrorNumbers } from './protocol.js';

/** The callback did not prove that it belongs to the caller. The code is public, and says nothing of the host. */
export class CallbackNotVerified extends DomainError {
  readonly code = 'callback_not_verified';

  constructor(readonly reason: 'connection_failed' | 'timeout' | 'http_status' | 'challenge_failed') {
    super(`the callback could not be verified: ${reason}`);
  }
}

const timeoutMs = 5_000;

type Callback = { url: string; secret: string; subscriptionId: string };

/** `caller`: for whom, in this organisation, the callback is verified. Throws `CallbackNotVerified` and `TooManyRequests`. */
export type VerifyCallback = (callback: Callback & { orgId: string; caller: string }) => Promise<void>;

const windowMs = 60_000;
/** Challenges of one caller: each is a request to an address that the caller chooses. */
const maxChallenges = { count: 10, windowMs };
/** Failed challenges to one host: of one organisation, which must not stop others, and of all. */
const maxFailures = { count: 120, windowMs };
const maxFailuresOfAll = { count: 1_200, windowMs };
/** Challenges of one organisation at one host that are under way, and that wait for these: callbacks that hang must not take all connections. */
const maxUnderWay = 5;
const maxWaiting = 20;
const rememberedMs = 24 * 3_600_000;
const max = 10_000;

/** Remembers for a day the callbacks that a caller has proved to be its own. */
export function callbackVerification(post: Post): VerifyCallback {
  const challenges = limiter('challenges of a caller', maxChallenges);
  const failures = failureLimit('failed challenges of an organisation to a host', maxFailures);
  const failuresOfAll = failureLimit('failed challenges to a host', maxFailuresOfAll);
  const inTurn = organisationShare(maxUnderWay, 'too many callbacks at this host are being verified', { maxWaiting });
  const verified = new LRUCache<string, true>({ max, ttl: rememberedMs });
  return async ({ orgId, caller, ...callback }) => {
    const name = JSON.stringify([caller, callback.url]);
    if (verified.has(name)) return;
    if (challenges.count(caller).isExceeded)
      throw new TooManyRequests('too many callbacks are verified for this caller');
    const { host } = new URL(callback.url);
    const ofOrganisation = JSON.stringify([orgId, host]);
    await inTurn(ofOrganisation, () =>
      failures(ofOrganisation, () => failuresOfAll(host, () => verifyCallback(post, callback))),
    );
    verified.set(name, true);
  };
}

/** Limits challenges that fail. Those under way count too. Throws `TooManyRequests`. */
function failureLimit(name: string, limit: RateLimit) {
  const failures = limiter(name, limit);
  const underWay = new Map<string, number>();
  return async (key: string, challenge: () => Promise<void>): Promise<void> => {
    const others = underWay.get(key) ?? 0;
    if (failures.usage(key, others).isExhausted)
      throw new TooManyRequests('too many callbacks at this host were not verified');
    underWay.set(key, others + 1);
    try {
      await challenge();
    } catch (error) {
      if (error instanceof CallbackNotVerified) failures.count(key);
      throw error;
    } finally {
      const left = (underWay.get(key) ?? 1) - 1;
      if (left > 0) underWay.set(key, left);
      else underWay.delete(key);
    }
  };
}

/**
 * Posts a challenge that the callback has to return (MCP Events). It is signed with the secret of the agent, so that a host that did not
 * request it refuses it. Throws `CallbackNotVerified`.
 */
async function verifyCallback(post: Post, { url, secret, subscriptionId }: Callback): Promise<void> {
  const challenge = randomBytes(32).toString('base64url');
  const body = { type: 'verification', challenge };
  const id = `msg_verification_${randomBytes(16).toString('hex')}`;
  const result = await postControl(post, { url, subscriptionId, keys: [signingKey(secret)], id, body });
  if (result.kind === 'withheld') throw new CallbackNotVerified('connection_failed');
  if (result.kind === 'failed') throw new CallbackNotVerified(reasonOf(result.error));
  const { status, answer, brokenOff } = result;
  if (status < 200 || status > 299) throw new CallbackNotVerified('http_status');
  if (!hasHash(challengeIn(answer), hashOfSecret(challenge)))
    throw new CallbackNotVerified(brokenOff === undefined ? 'challenge_failed' : reasonOf(brokenOff));
}

const reasonOf = (failure: string) => (failure === 'timeout' ? 'timeout' : 'connection_failed');

type Control = { url: string; subscriptionId: string; keys: readonly KeyObject[]; id: string; body: object };

function postControl(post: Post, { url, subscriptionId, keys, id, body: content }: Control): Promise<PostResult> {
  const body = JSON.stringify(content);
  const now = Date.now();
  const headers = {
    ...webhookHeaders(id, now),
    'user-agent': `Flow-Hooks/${version}`,
    'x-mcp-subscription-id': subscriptionId,
    'webhook-signature': signatures(keys, { id, timestamp: webhookTimestamp(now), body }),
  };
  return post({ url, headers, body, mayStart: () => true, timeoutMs });
}

export type AgentSettings = { post: Post; masterKeys: MasterKeys; log: Logger };

/** Notices at once: an operator may end any number of subscriptions. */
const maxNotices = 20;

/**
 * Connections to callbacks. Many are at one host, and the wait for a connection counts in the time of a request: all notices have one, and
 * so have challenges of four organisations.
 */
export const callbackPools = (connect: buildConnector.connector): ListenerPools =>
  listenerPools({ connect, connections: maxNotices + 4 * maxUnderWay, maxPools: 50 });

type Message = { id: string; body: object };

/**
 * Posts messages about a subscription to its callback: one signed attempt each, whose result is logged. `message` undefined: there is none.
 * Organisations get equal time, so that none waits for another whose callbacks hang. Never rejects; false: the callback could not be
 * reached, or failed.
 */
export function notifyAgents({ post, masterKeys, log }: AgentSettings, that: string) {
  const waiting = new FairQueue<() => Promise<void>>();
  let underWay = 0;

  function startNext(): void {
    for (; underWay < maxNotices; underWay += 1) {
      const start = waiting.take();
      if (!start) return;
      void start().finally(() => {
        underWay -= 1;
        startNext();
      });
    }
  }

  async function notify(
    { listenerId, hookUrl, secret }: ListenerDetails,
    message: () => Promise<Message | undefined>,
  ): Promise<boolean> {
    try {
      const content = await message();
      if (!content) return true;
      const keys = signingDerivations(secret, Date.now()).map((each) =>
        signingKey(signingSecret(masterKeys, listenerId, each)),
      );
      const subscriptionId = subscriptionIdIn(hookUrl) ?? '';
      const result = await postControl(post, { url: hookUrl, subscriptionId, keys, ...content });
      const status = result.kind === 'withheld' ? undefined : result.status;
      log.info({ listenerId, status, result: result.kind }, `notified an agent that ${that}`);
      return result.kind === 'answered' && result.status < 500;
    } catch (failure) {
      log.warn({ err: failure, listenerId }, `an agent could not be notified that ${that}`);
      return false;
    }
  }

  return (details: ListenerDetails, message: () => Promise<Message | undefined>): Promise<boolean> =>
    new Promise((resolve) => {
      const { orgId, userId } = details;
      waiting.add(orgId, userId, async () => {
        const startedAt = performance.now();
        resolve(await notify(details, message));
        waiting.charge(orgId, performance.now() - startedAt);
      });
      startNext();
    });
}

/** Notifies an agent that its subscription has ended. Never rejects. */
export function terminationNotices({
  eventNumbering,
  ...settings
}: AgentSettings & { eventNumbering: EventNumbering }) {
  const notify = notifyAgents(settings, 'its subscription has ended');
  const error = {
    code: eventErrorNumbers[eventNumbering].Forbidden,
    message: 'Access revoked',
    data: { reason: 'Access revoked' },
  };
  return (details: ListenerDetails): Promise<unknown> =>
    notify(details, async () => ({
      id: `msg_terminated_${details.listenerId.replaceAll('-', '')}`,
      body: { type: 'terminated', error },
    }));
}

function challengeIn(answer = ''): string {
  try {
    const { challenge } = JSON.parse(answer) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}
