import { createHmac, createSecretKey, type KeyObject, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { signingDerivations, signingPrivateKey, signingSecret } from '../../listeners/signing-secret.js';
import { webhookHeaders, webhookTimestamp } from '../../queue/delivery.js';
import type { LeasedDelivery } from '../../queue/leasing.js';
import { subscriptionHeader } from './agent-delivery.js';

/**
 * The present key, and during an overlap the one before it; then the private keys beside them, if the listener wants their
 * signatures. `now`: milliseconds since 1970. Throws `UnknownKeyGeneration`.
 */
export type SecretsOf = (
  delivery: Pick<LeasedDelivery, 'listenerId' | 'secret' | 'subscription'>,
  now: number,
) => readonly KeyObject[];

/** Caches the keys: each costs an HMAC, and a key object more than that. */
export function derivedSecrets(masterKeys: MasterKeys, maxCached = 10_000): SecretsOf {
  const cached = new LRUCache<string, KeyObject>({ max: maxCached });

  function keyOf(name: string, derive: () => KeyObject): KeyObject {
    const known = cached.get(name);
    if (known !== undefined) return known;
    const key = derive();
    cached.set(name, key);
    return key;
  }

  return ({ listenerId, secret, subscription }, now) => {
    const derivations = signingDerivations(secret, now).map(
      (each) => [`${listenerId}/${each.version}/${each.keyGeneration}`, each] as const,
    );
    const secrets = derivations.map(([name, each]) =>
      keyOf(name, () => signingKey(signingSecret(masterKeys, listenerId, each))),
    );
    if (!subscription.signedWithKeyPair) return secrets;
    const privateKeys = derivations.map(([name, each]) =>
      keyOf(`${name}/private`, () => signingPrivateKey(masterKeys, listenerId, each)),
    );
    return [...secrets, ...privateKeys];
  };
}

export type Headers = Readonly<Record<string, string>>;

/** Undefined if the key is not here. */
export type HeadersOf = (delivery: LeasedDelivery, startedAt: number) => Headers | undefined;

type HeaderSettings = {
  secretsOf: SecretsOf;
  userAgent: string;
  sendTraceparent: boolean;
  log: Logger;
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
        ...subscriptionHeader(delivery),
        'webhook-signature': signatures(secretsOf(delivery, startedAt), { id: webhookId, timestamp, body }),
        ...(sendTraceparent && traceparent !== undefined && { traceparent }),
      };
    } catch (error) {
      log.error({ err: error, listenerId }, 'a delivery cannot be signed');
      return undefined;
    }
  };

/** Signed content: `body` as it is sent, byte for byte; `timestamp` in seconds since 1970. */
export type Signable = { id: string; timestamp: number; body: string };

/** The key of a secret in the format of Standard Webhooks 1.0.0: `whsec_` and the key in base64. */
export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));

/** The `webhook-signature` header: a signature for each key, so that a receiver may know any of them. */
export const signatures = (keys: readonly KeyObject[], signed: Signable): string =>
  keys.map((key) => signature(key, signed)).join(' ');

/**
 * One signature (Standard Webhooks 1.0.0) of id, timestamp and body, in base64: `v1,` and the HMAC-SHA-256 by a secret, or
 * `v1a,` and the Ed25519 signature by a private key.
 */
export function signature(key: KeyObject, { id, timestamp, body }: Signable): string {
  const content = `${id}.${timestamp}.${body}`;
  return key.type === 'secret'
    ? `v1,${createHmac('sha256', key).update(content).digest('base64')}`
    : `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`;
}
