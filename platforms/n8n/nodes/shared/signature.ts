import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum difference between the time of a delivery and now, past or future: that of the Standard Webhooks libraries. */
const toleranceSeconds = 5 * 60;

/** A request to the listener. `body`: the bytes as they came; undefined for types that n8n does not read, such as files. */
export type SignedRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer | undefined;
};

/**
 * Why a request is not a delivery of the service, or undefined if it is: its signature (Standard Webhooks, `v1`) is valid under the
 * secret (`whsec_…`), and it is not older or newer than 5 minutes.
 */
export function refusalOf({ headers, body }: SignedRequest, secret: unknown, nowMs: number): string | undefined {
  if (typeof secret !== 'string') return 'the listener has no signing secret';
  if (!body) return 'the request has no body that could be signed';
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    return 'a header of the signature is missing';
  }
  if (!/^\d{1,12}$/.test(timestamp)) return 'the timestamp is not valid';
  if (Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) > toleranceSeconds)
    return 'the timestamp is too old or too new';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  // There are several while the secret is rotated.
  const isSigned = signatures.split(' ').some((signature) => isEqual(Buffer.from(signature), expected));
  return isSigned ? undefined : 'no signature matches';
}

/** Compares in a time that depends on the lengths only. */
const isEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
