import { Webhook } from 'standardwebhooks';
import { FlowHooksError } from './errors.js';
import type { DeliveredEvent } from './types.js';

/** Headers of a request: a `Headers` object, or those of Node. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery as Standard Webhooks says, and returns its event. The type parameter is for listeners with a transformation.
 *
 * @param secrets signing secret of the listener (`whsec_…`), or several of which one has signed
 * @param body of the request, byte for byte as it arrived, not parsed
 *
 * Throws `FlowHooksError`: `invalid_signature` if no secret has signed it, or it is older than 5 minutes; `invalid_body` if it is signed,
 * but no JSON; `invalid_option` for a secret that is none.
 */
export function verify<Event = DeliveredEvent>(
  secrets: string | readonly string[],
  headers: RequestHeaders,
  body: string | Uint8Array,
): Event {
  const webhooks = [secrets].flat().map(webhookOf);
  if (webhooks.length === 0) throw new FlowHooksError('a signing secret is required', { code: 'invalid_option' });
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const signed = signedHeaders(headers);
  const reasons = webhooks.map((webhook) => mismatch(webhook, text, signed));
  if (!reasons.includes(undefined)) throw new FlowHooksError(reasons[0] ?? '', { code: 'invalid_signature' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FlowHooksError('the body is not JSON', { code: 'invalid_body', cause });
  }
}

function webhookOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new FlowHooksError('a signing secret is whsec_ and base64', { code: 'invalid_option' });
  }
}

/** The reason for which a signature is not accepted; undefined if it is. */
function mismatch(webhook: Webhook, body: string, headers: Record<string, string>): string | undefined {
  try {
    webhook.verify(body, headers, { jsonParse: false });
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
