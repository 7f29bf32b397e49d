import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

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
