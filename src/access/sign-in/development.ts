import Router from '@koa/router';
import { type Client, clientScope } from '../../events/client-events.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { serve } from '../../http/route-contract.js';
import { defined } from '../../kernel/input/defined.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import type { CurrentClients } from '../clients/client-registry.js';
import { AuthorizationRefused, SignInRefused } from '../errors.js';
import { localKeySet } from '../keys/key-set.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { RequestedResource, ResourceOf } from '../protected-resource.js';
import { signCode, signedCodes } from './codes.js';
import { carried, signIn, signInPageRoute, submitSignInRoute } from './contract.js';
import { escaped, page, showPage, showRefusals } from './page.js';
import { checkedRequest, type PlatformAnswers } from './platform-request.js';
import { rawQuery } from './routes.js';
import { trustedClient } from './trusted-client.js';

const formTargets = 'http: https:';

/** Accepts any user without a check: development mode only. */
export function developmentSignInRoutes(
  codes: DevelopmentCodes,
  clients: CurrentClients,
  answers: PlatformAnswers,
  resourceOf: ResourceOf = () => undefined,
): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });

  /** Checks a request as with an OpenID provider. False: the platform is sent its error. Throws `SignInRefused`. */
  async function isAccepted(ctx: Context, query: URLSearchParams): Promise<boolean> {
    const registered = await clients.current(query.get('client_id'));
    if (registered.size === 0) {
      requireSense(query, (sent) => resourceOf(ctx, sent));
      return true;
    }
    const trusted = trustedClient(query, registered);
    try {
      checkedRequest(query, trusted, (sent) => resourceOf(ctx, sent));
      return true;
    } catch (error) {
      if (!(error instanceof AuthorizationRefused)) throw error;
      answers.refusal(ctx, trusted, error);
      return false;
    }
  }

  serve(router, signInPageRoute, showRefusals, async (ctx) => {
    if (!(await isAccepted(ctx, new URLSearchParams(rawQuery(ctx.req.url ?? ''))))) return;
    const request = parseInput(carried, ctx.query);
    showPage(ctx, signInPage(defined(request)), formTargets);
  });

  serve(router, submitSignInRoute, showRefusals, async (ctx) => {
    if (ctx.state.bodyError) throw ctx.state.bodyError;
    const form = parseInput(signIn, ctx.state.body);
    const { user_id, org_id, ...request } = form;
    if (!(await isAccepted(ctx, new URLSearchParams(defined(request))))) return;
    const { code, expiresInSeconds } = await codes.issue({
      userId: user_id,
      orgId: org_id,
      codeChallenge: form.code_challenge,
      clientId: form.client_id,
      redirectUri: form.redirect_uri,
      scope: form.scope,
      resource: form.resource,
    });
    ctx.set('Cache-Control', 'no-store');
    if (form.redirect_uri !== undefined) {
      answers.code(ctx, { redirectUri: new URL(form.redirect_uri).href, ...defined({ state: form.state }) }, code);
    } else if (ctx.accepts('html', 'json') === 'json') {
      ctx.body = { code, expires_in: expiresInSeconds };
    } else {
      showPage(ctx, codePage(code, expiresInSeconds), formTargets);
    }
  });

  return router;
}

/** Stands for a client while none is registered. */
const anyClient: Client = {
  clientId: '',
  name: '',
  type: 'confidential',
  redirectUris: [],
  scopes: [...clientScope.options],
  secrets: [],
  registeredAt: '',
};

/**
 * Checks a request while no client is registered; a redirect URI that is not registered gets no error. Without a `client_id` it is
 * made by hand, and the `response_type` may be missing. Throws `SignInRefused`.
 */
function requireSense(query: URLSearchParams, resourceOf: (sent: string | null) => RequestedResource): void {
  const sent = new URLSearchParams(query);
  if (!sent.has('client_id') && !sent.has('response_type')) sent.set('response_type', 'code');
  try {
    checkedRequest(sent, { client: anyClient, redirectUri: '' }, resourceOf);
  } catch (error) {
    throw error instanceof AuthorizationRefused ? new SignInRefused(error.message, { cause: error }) : error;
  }
}

/** `carried`: parameters that the form sends back unchanged. */
const signInPage = (carried: Readonly<Record<string, string>>): string =>
  page(`<h1>Sign in</h1>
<p>Development mode: any user and organisation are accepted without a check.</p>
<form method="post" action="/sign-in">
${Object.entries(carried)
  .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
  .join('\n')}
<label>User ID<input name="user_id" required maxlength="256" autocomplete="username" autofocus></label>
<label>Organisation ID<input name="org_id" required maxlength="256" autocomplete="organization"></label>
<button>Sign in</button>
</form>`);

const codePage = (code: string, expiresInSeconds: number): string =>
  page(`<h1>Your code</h1>
<p>Exchange it with POST /access within ${expiresInSeconds / 60} minutes. It works once.</p>
<code>${escaped(code)}</code>`);

/** The issuer of codes of the built-in login page: constant, because the page's address may change between starts. */
export const developmentIssuer = 'urn:flow-hooks:development-sign-in';

const lifetimeSeconds = 300;

export type DevelopmentCodes = ReturnType<typeof developmentCodes>;

/** Issues codes for any user without a check: development mode only. */
export function developmentCodes(keys: SigningKeys, now: () => Date) {
  return {
    verification: signedCodes({
      issuer: developmentIssuer,
      keys: localKeySet({ keys: [...keys.publicKeys.keys] }),
      now,
    }),
    issue: async (user: Parameters<typeof signCode>[1]) => ({
      code: await signCode(keys, user, { iss: developmentIssuer, now: now(), lifetimeSeconds }),
      expiresInSeconds: lifetimeSeconds,
    }),
  };
}
