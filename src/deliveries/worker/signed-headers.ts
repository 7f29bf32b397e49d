import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { SigningSecret } from '../../events/listener-events.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { signatures, signingKey } from '../posting/sign.js';
import { webhookHeaders, webhookTimestamp } from '../queue/delivery.js';
import type { LeasedDelivery } from '../queue/leasing.js';

/**
 * The present key, and during an overlap the one before it. `now`: milliseconds since 1970. Throws
 * `UnknownKeyGeneration`.
 */
export type SecretsOf = (delivery: Pick<LeasedDelivery, 'listenerId' | 'secret'>, now: number) => readonly KeyObject[];

/** Caches the keys: each costs an HMAC, and a key object more than that. */
export function derivedSecrets(masterKeys: MasterKeys, maxCached = 10_000): SecretsOf {
  const cached = new LRUCache<string, KeyObject>({ max: maxCached });

  function keyOf(listenerId: string, named: Omit<SigningSecret, 'previous'>): KeyObject {
    const name = `${listenerId}/${named.version}/${named.keyGeneration}`;
    const known = cached.get(name);
    if (known !== undefined) return known;
    const key = signingKey(signingSecret(masterKeys, listenerId, named));
    cached.set(name, key);
    return key;
  }

  return ({ listenerId, secret }, now) => {
    const present = keyOf(listenerId, secret);
    if (!secret.previous || now >= Date.parse(secret.previous.until)) return [present];
    return [present, keyOf(listenerId, secret.previous)];
  };
}

export type Headers = Readonly<Record<string, string>>;

/** Undefined if the key is not here. */
export type HeadersOf = (delivery: LeasedDelivery, startedAt: number) => Headers | undefined;

type HeaderSettings = {
  readonly secretsOf: SecretsOf;
  readonly userAgent: string;
  readonly sendTraceparent: boolean;
  readonly log: Logger;
};

/** Standard Webhooks: the id stays the same for all attempts, the timestamp is that of this one. */
export const signedHeaders =
  ({ secretsOf, userAgent, sendTraceparent, log }: HeaderSettings): HeadersOf =>
  (delivery, startedAt) => {
    const { webhookId, body, listenerId, traceparent } = delivery;
    const timestamp = webhookTimestamp(startedAt);
    try {
      return {
        ...webhookHeaders(webhookId, startedAt),
        'user-agent': userAgent,
        'webhook-signature': signatures(secretsOf(delivery, startedAt), { id: webhookId, timestamp, body }),
        ...(sendTraceparent && traceparent !== undefined && { traceparent }),
      };
    } catch (error) {
      log.error({ err: error, listenerId }, 'a delivery cannot be signed');
      return undefined;
    }
  };
