import { Buffer } from 'node:buffer';
import { createPublicKey, verify as isSignature } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { FlowHooksError } from './errors.js';
import type { DeliveredEvent } from './types.js';

/** Headers of a request: a `Headers` object, or those of Node. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery as Standard Webhooks says, and returns its event. The type parameter is for listeners with a transformation.
 *
 * @param keys signing secret of the listener (`whsec_…`, for signatures `v1`) or its public key (`whpk_…`, `v1a`), or several of
 *   which one has signed
 * @param body of the request, byte for byte as it arrived, not parsed
 *
 * Throws `FlowHooksError`: `invalid_signature` if no key has signed it, or it is older than 5 minutes; `invalid_body` if it is signed,
 * but no JSON; `invalid_option` for a key that is none.
 */
export function verify<Event = DeliveredEvent>(
  keys: string | readonly string[],
  headers: RequestHeaders,
  body: string | Uint8Array,
): Event {
  const verifiers = [keys].flat().map(verifierOf);
  if (verifiers.length === 0) throw new FlowHooksError('a key is required', { code: 'invalid_option' });
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const signed = signedHeaders(headers);
  const reasons = verifiers.map((verifier) => mismatch(verifier, text, signed));
  if (!reasons.includes(undefined)) throw new FlowHooksError(reasons[0] ?? '', { code: 'invalid_signature' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FlowHooksError('the body is not JSON', { code: 'invalid_body', cause });
  }
}

/** Throws an error with the reason for which a signature is not accepted. */
type Verifier = (body: string, headers: Record<string, string>) => unknown;

function verifierOf(key: string): Verifier {
  try {
    if (key.startsWith('whpk_')) return publicKeyVerifier(key.slice('whpk_'.length));
    const webhook = new Webhook(key);
    return (body, headers) => webhook.verify(body, headers, { jsonParse: false });
  } catch {
    throw new FlowHooksError('a key is whsec_ or whpk_ and base64', { code: 'invalid_option' });
  }
}

/** Tolerance of standardwebhooks. */
const toleranceSeconds = 300;

/** Verifier of signatures `v1a`, which standardwebhooks does not know. Throws for a key that is none. */
function publicKeyVerifier(encoded: string): Verifier {
  const x = Buffer.from(encoded, 'base64').toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return (body, headers) => {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures } = headers;
    if (!id || !signatures) throw new Error('a header of the signature is missing');
    const isRecent = /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds;
    if (!isRecent) throw new Error('the time of the delivery is too far off');
    const content = Buffer.from(`${id}.${timestamp}.${body}`);
    const isSigned = signatures
      .split(' ')
      .filter((each) => each.startsWith('v1a,'))
      .some((each) => isSignature(null, content, publicKey, Buffer.from(each.slice('v1a,'.length), 'base64')));
    if (!isSigned) throw new Error('no signature matches');
  };
}

/** The reason for which a signature is not accepted; undefined if it is. */
function mismatch(verifier: Verifier, body: string, headers: Record<string, string>): string | undefined {
  try {
    verifier(body, headers);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function signedHeaders(headers: RequestHeaders): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const texts = entries.map(([name, value]) => [name.toLowerCase(), [value].flat()[0]]);
  return Object.fromEntries(texts.filter(([name, value]) => name?.startsWith('webhook-') && typeof value === 'string'));
}
