import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { SigningSecret } from '../../events/listener-events.js';
import { signingSecret } from '../../listeners/signing-secret.js';
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

/** Signed content: `body` as it is sent, byte for byte; `timestamp` in seconds since 1970. */
export type Signable = { readonly id: string; readonly timestamp: number; readonly body: string };

/** The key of a secret in the format of Standard Webhooks 1.0.0: `whsec_` and the key in base64. */
export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));

/** The `webhook-signature` header: a signature for each key, so that a receiver may know any of them. */
export const signatures = (keys: readonly KeyObject[], signed: Signable): string =>
  keys.map((key) => signature(key, signed)).join(' ');

/** One signature (Standard Webhooks 1.0.0): `v1,` and the HMAC-SHA-256, in base64, of id, timestamp and body. */
export const signature = (key: KeyObject, { id, timestamp, body }: Signable): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
