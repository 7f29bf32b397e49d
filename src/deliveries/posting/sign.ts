import { createHmac } from 'node:crypto';

/** What is signed: `body` byte for byte as it is sent, `timestamp` in seconds since 1970. */
export type Signable = { readonly id: string; readonly timestamp: number; readonly body: string };

/** The `webhook-signature` header: a signature for each secret, so that a receiver may know any of them. */
export const signatures = (secrets: readonly string[], signed: Signable): string =>
  secrets.map((secret) => signature(secret, signed)).join(' ');

/**
 * One signature (Standard Webhooks 1.0.0): `v1,` and the HMAC-SHA-256, in base64, of id, timestamp and body. `secret` is
 * `whsec_` and the key in base64.
 */
export function signature(secret: string, { id, timestamp, body }: Signable): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
