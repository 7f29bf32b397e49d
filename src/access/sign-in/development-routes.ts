import Router from '@koa/router';
import { z } from 'zod';
import type { RequestState, Routes } from '../../http/context.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import type { DevelopmentCodes } from './development-codes.js';
import { codePage, signInPage } from './development-page.js';
import { showPage } from './page.js';
import { showRefusals } from './show-refusals.js';
import { trustedClient } from './trusted-client.js';
import { withQuery } from './with-query.js';

const redirectUri = z
  .string({ error: 'must be sent once' })
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'must be an http or https URL',
  });
const once = z.string({ error: 'must be sent once' }).optional();

/** Parameters of the platform's request that the page's form sends back. Others are ignored. */
export const carried = z.object({
  redirect_uri: z.preprocess((value) => (value === '' ? undefined : value), redirectUri.optional()),
  state: once,
  client_id: once,
  scope: once,
  code_challenge: once,
  code_challenge_method: z.literal('S256', { error: 'must be S256' }).optional(),
});

export const signIn = carried.extend({ user_id: opaqueId, org_id: opaqueId });

/** The page's form may lead to any http or https URL. */
const formTargets = 'http: https:';

export type DevelopmentSignInDependencies = {
  readonly codes: DevelopmentCodes;
  readonly clients: Pick<ClientRegistry, 'current'>;
};

/**
 * `GET /sign-in`, a page that accepts any user without a check, and `POST /sign-in`: development mode only. Once clients are registered, a
 * code is for one of them, and goes to one of its redirect URIs.
 */
export function developmentSignInRoutes({ codes, clients }: DevelopmentSignInDependencies): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });

  /** Throws `SignInRefused`. */
  async function requireTrusted(request: z.output<typeof carried>): Promise<void> {
    const registered = await clients.current();
    if (registered.size > 0) trustedClient(new URLSearchParams(withoutUndefined(request)), registered);
  }

  router.get('/sign-in', showRefusals, async (ctx) => {
    const request = parseInput(carried, ctx.query);
    await requireTrusted(request);
    showPage(ctx, signInPage(withoutUndefined(request)), formTargets);
  });

  router.post('/sign-in', showRefusals, async (ctx) => {
    if (ctx.state.bodyError) throw ctx.state.bodyError;
    const form = parseInput(signIn, ctx.request.body);
    await requireTrusted(form);
    const { code, expiresInSeconds } = await codes.issue({
      userId: form.user_id,
      orgId: form.org_id,
      codeChallenge: form.code_challenge,
      clientId: form.client_id,
      redirectUri: form.redirect_uri,
      scope: form.scope,
    });
    ctx.set('Cache-Control', 'no-store');
    if (form.redirect_uri !== undefined) {
      const answer = new URLSearchParams(withoutUndefined({ code, state: form.state }));
      ctx.status = 303;
      ctx.set('Location', withQuery(new URL(form.redirect_uri).href, answer.toString()));
    } else if (ctx.accepts('html', 'json') === 'json') {
      ctx.body = { code, expires_in: expiresInSeconds };
    } else {
      showPage(ctx, codePage(code, expiresInSeconds), formTargets);
    }
  });

  return router;
}

const withoutUndefined = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));
