import { z } from 'zod';
import type { Context } from '../../http/context.js';
import { authorizationHeaders } from '../authorization-header.js';
import { InvalidClient, InvalidTokenRequest } from '../oauth-errors.js';
import { parameter, parseParameters, text, tokenBody } from '../token-parameters.js';

/** What a client sent to identify itself; `clientSecret` undefined: it claims to be a public client. */
export type ClientCredentials = { readonly clientId: string; readonly clientSecret: string | undefined };

export const bodyCredentials = z.object({
  client_id: parameter(text(256).optional()),
  client_secret: parameter(text(1_024).optional()),
});

/**
 * The client's credentials in a request (RFC 6749 §2.3.1): `client_secret_basic`, or `client_secret_post` in a form or in
 * JSON; undefined where there are none. Throws `InvalidTokenRequest` if both methods are used, and `InvalidClient` if the header
 * is malformed.
 */
export function clientCredentials(ctx: Context): ClientCredentials | undefined {
  const body = parseParameters(bodyCredentials, tokenBody(ctx));
  const basic = basicCredentials(ctx);
  if (!basic) {
    if (body.client_id !== undefined) return { clientId: body.client_id, clientSecret: body.client_secret };
    if (body.client_secret !== undefined) throw new InvalidTokenRequest('client_id is missing');
    return undefined;
  }
  if (body.client_secret !== undefined) {
    throw new InvalidTokenRequest(
      'send the client credentials in the Authorization header or in the body, not in both',
    );
  }
  if (body.client_id !== undefined && body.client_id !== basic.clientId) {
    throw new InvalidTokenRequest('client_id differs from the client in the Authorization header');
  }
  return basic;
}

/** RFC 7617: the scheme is case-insensitive. */
const basicHeader = /^basic +([A-Za-z0-9+/]*={0,2}) *$/i;

function basicCredentials(ctx: Context): ClientCredentials | undefined {
  const values = authorizationHeaders(ctx);
  if (values.length > 1) throw new InvalidTokenRequest('there are several Authorization headers');
  const [value = ''] = values;
  if (!/^basic( |$)/i.test(value)) return undefined;
  const encoded = basicHeader.exec(value)?.[1];
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const clientId = formDecoded(decoded.slice(0, Math.max(0, colon)));
  const clientSecret = formDecoded(decoded.slice(colon + 1));
  if (!clientId || clientSecret === undefined) throw new InvalidClient('the Authorization header is malformed');
  return { clientId, clientSecret: clientSecret === '' ? undefined : clientSecret };
}

/** Decodes `application/x-www-form-urlencoded`, as both parts are encoded; undefined if it is malformed. */
function formDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
