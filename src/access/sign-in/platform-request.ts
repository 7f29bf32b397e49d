import { z } from 'zod';
import type { Client } from '../../events/client-events.js';
import type { Context } from '../../http/context.js';
import { AuthorizationRefused, InvalidTarget } from '../errors.js';
import type { RequestedResource } from '../protected-resource.js';
import type { IssuerOf } from '../service-issuer.js';
import { redirect, withQuery } from './routes.js';
import type { TrustedClient } from './trusted-client.js';

/** RFC 6749 §4.1.1, checked. */
export const platformRequest = z.object({
  clientId: z.string(),
  redirectUri: z.string(),
  scopes: z.array(z.string()),
  /** Returned unchanged. */
  state: z.string().optional(),
  /** RFC 7636, S256. */
  codeChallenge: z.string().optional(),
  /** RFC 8707, as it was sent. */
  resource: z.string().optional(),
});

export type PlatformRequest = z.output<typeof platformRequest>;

export type AnswerAddress = Pick<PlatformRequest, 'redirectUri' | 'state'>;

/** RFC 7636 §4.2: the base64url of a SHA-256 digest. */
const challenge = /^[\w-]{43}$/;

/** `resourceOf`: reads the parameter `resource`. Throws `AuthorizationRefused`. */
export function checkedRequest(
  query: URLSearchParams,
  { client, redirectUri, state }: TrustedClient,
  resourceOf: (sent: string | null) => RequestedResource = () => undefined,
): PlatformRequest {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1) throw invalid(`the parameter ${printable(name)} must be sent once`);
  }
  const responseType = query.get('response_type');
  if (!responseType) throw invalid('the parameter response_type is missing');
  if (responseType !== 'code') {
    throw new AuthorizationRefused('unsupported_response_type', 'the response_type must be code');
  }
  const mode = query.get('response_mode') || 'query';
  if (mode !== 'query') throw invalid('the response_mode must be query');
  return {
    clientId: client.clientId,
    redirectUri,
    scopes: requestedScopes(query.get('scope'), client),
    ...(state !== undefined && { state }),
    ...requestedChallenge(query, client),
    ...requestedResource(query.get('resource'), resourceOf),
  };
}

/** RFC 6749 §3.3: without a scope, all that the client may have. */
function requestedScopes(scope: string | null, { scopes }: Client): string[] {
  const requested = [...new Set((scope ?? '').split(' ').filter((each) => each !== ''))];
  const allowed: readonly string[] = scopes;
  const refused = requested.find((each) => !allowed.includes(each));
  if (refused !== undefined) {
    throw new AuthorizationRefused('invalid_scope', `the client may request: ${allowed.join(' ')}`);
  }
  return requested.length > 0 ? requested : [...allowed];
}

function requestedChallenge(query: URLSearchParams, { type }: Client): Pick<PlatformRequest, 'codeChallenge'> {
  const codeChallenge = query.get('code_challenge') || undefined;
  const method = query.get('code_challenge_method') || undefined;
  if (codeChallenge === undefined) {
    // RFC 9700 §2.1.1.
    if (type === 'public') throw invalid('a public client must send a code_challenge');
    if (method !== undefined) throw invalid('the parameter code_challenge is missing');
    return {};
  }
  // RFC 7636 §4.3: without a method it would be plain.
  if (method !== 'S256') throw invalid('the code_challenge_method must be S256');
  if (!challenge.test(codeChallenge)) throw invalid('the code_challenge must have 43 characters of base64url');
  return { codeChallenge };
}

function requestedResource(
  sent: string | null,
  resourceOf: (sent: string | null) => RequestedResource,
): Pick<PlatformRequest, 'resource'> {
  try {
    return resourceOf(sent) && sent !== null ? { resource: sent } : {};
  } catch (error) {
    if (error instanceof InvalidTarget) throw new AuthorizationRefused('invalid_target', 'the resource is unknown');
    throw error;
  }
}

const invalid = (message: string) => new AuthorizationRefused('invalid_request', message);

/** The characters of an `error_description` (RFC 6749 §4.1.2.1). */
const printable = (name: string): string => name.slice(0, 50).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');

export type PlatformAnswers = ReturnType<typeof platformAnswers>;

/** Redirects to the platform. Each answer has `iss`, so that platforms detect mix-ups (RFC 9207). */
export function platformAnswers(issuerOf: IssuerOf) {
  function send(ctx: Context, { redirectUri, state }: AnswerAddress, answer: Readonly<Record<string, string>>): void {
    const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuerOf(ctx) });
    redirect(ctx, withQuery(redirectUri, query.toString()));
    ctx.set('Referrer-Policy', 'no-referrer');
  }

  return {
    /** RFC 6749 §4.1.2. */
    code: (ctx: Context, address: AnswerAddress, code: string) => send(ctx, address, { code }),
    /** RFC 6749 §4.1.2.1. */
    refusal(ctx: Context, address: AnswerAddress, { code, message, detail, cause }: AuthorizationRefused): void {
      const level = code === 'server_error' ? 'error' : 'info';
      ctx.state.log[level]({ error: code, detail, err: cause }, 'sign-in refused');
      send(ctx, address, { error: code, error_description: message });
    },
  };
}
