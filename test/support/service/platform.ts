import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openBrowser } from '../identity-provider/browser.js';
import { orgIdOf, type Tokens } from './journey.js';
import type { ReachableService, RunningService } from './service.js';

/** A client as it is registered with the service, and with its platform. */
export type PlatformClient = {
  clientId: string;
  /** Undefined: a public client. */
  clientSecret: string | undefined;
  redirectUri: string;
};

/** Style in which a platform sends its credentials and parameters to a token route. */
export type CredentialStyle = {
  credentials: 'header' | 'body';
  encoding: 'form' | 'json';
  pkce: boolean;
  /** `/refresh` unless it knows one token endpoint only. */
  refreshAt?: '/access';
};

type Answer = ReturnType<ReachableService['fetch']>;
type Fields = Readonly<Record<string, string>>;

export type Authorization = { code: string; codeVerifier: string };

/** A platform that connects its users to the service, step by step. */
export type Platform = {
  /** Sends a user through `/oauth2` and the sign-in page of development mode, as a browser would. */
  authorise: (user?: { orgId?: string; userId?: string }, scope?: string) => Promise<Authorization>;
  exchange: (authorization: Authorization, on?: ReachableService) => Answer;
  refresh: (refreshToken: string, on?: ReachableService) => Answer;
  /** All of it, for tokens. */
  connect: (scope?: string) => Promise<Tokens & { scope?: string }>;
};

export function platform(
  service: RunningService,
  { clientId, clientSecret, redirectUri }: PlatformClient,
  { credentials, encoding, pkce, refreshAt }: CredentialStyle,
): Platform {
  const state = randomBytes(8).toString('hex');
  const secret: Fields = clientSecret === undefined ? {} : { client_secret: clientSecret };
  const authentication: { headers: Fields; fields: Fields } =
    credentials === 'header'
      ? { headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret ?? ''}`)}` }, fields: {} }
      : { headers: {}, fields: { client_id: clientId, ...secret } };

  const ask = (path: string, fields: Fields, on: ReachableService): Answer =>
    on.fetch(path, { headers: authentication.headers, [encoding]: { ...fields, ...authentication.fields } });

  const result: Platform = {
    async authorise({ orgId = orgIdOf(service), userId = 'ada' } = {}, scope = '') {
      const codeVerifier = randomBytes(32).toString('base64url');
      const code_challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        ...(scope && { scope }),
        ...(pkce && { code_challenge, code_challenge_method: 'S256' }),
      });
      const returned = await passSignIn(service, query, { userId, orgId });
      expect(returned.href.startsWith(redirectUri)).to.equal(true);
      expect(returned.searchParams.get('state')).to.equal(state);
      return { code: returned.searchParams.get('code') ?? '', codeVerifier };
    },

    exchange: ({ code, codeVerifier }, on = service) =>
      ask(
        '/access',
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          ...(pkce && { code_verifier: codeVerifier }),
        },
        on,
      ),

    refresh: (refresh_token, on = service) =>
      ask(refreshAt ?? '/refresh', { grant_type: 'refresh_token', refresh_token }, on),

    async connect(scope) {
      const { status, body } = await result.exchange(await result.authorise({}, scope));
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as Tokens;
    },
  };
  return result;
}

/** Goes through `/oauth2` and the sign-in page of development mode, as a browser would; resolves to the address at the end, also that of a refusal. */
export async function passSignIn(
  { origin }: Pick<RunningService, 'origin'>,
  query: URLSearchParams,
  { userId, orgId }: { userId: string; orgId: string },
): Promise<URL> {
  const browser = openBrowser(query.get('redirect_uri') ?? '');
  const page = await browser.open(`${origin}/oauth2?${query}`);
  if (page.status === 0) return page.url; // the platform
  return (await browser.submit(page, { user_id: userId, org_id: orgId })).url;
}
