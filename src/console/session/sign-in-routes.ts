import Router from '@koa/router';
import { AuthorizationRefused } from '../../access/errors.js';
import { beginNothingForHead, type Context, type RequestState, type Routes } from '../../http/context.js';
import { beginFailure, Forbidden, Unauthenticated } from '../../http/errors.js';
import type { WrongKeys } from '../../http/limits/request-limits.js';
import { fieldsOf } from '../../site/fields.js';
import { requireSameOrigin } from '../../site/page-security.js';
import type { ConsoleSessions } from './console-sessions.js';
import type { ProviderSignIn } from './provider-sign-in.js';
import { returnPath } from './return-path.js';
import type { SignInPage } from './sign-in-page.js';

export type SignInRoutesDependencies = {
  /** The path of the console's routes, and that in its public URL. */
  base: string;
  publicBase: string;
  originOf: (ctx: Context) => string;
  sessions: ConsoleSessions;
  hasKeys: boolean;
  checkingKey: WrongKeys;
  /** Undefined: none is configured. */
  provider: ProviderSignIn | undefined;
  show: (ctx: Context, page: SignInPage) => void;
};

/** The result of the last attempt, for the page. */
type Outcome = Pick<SignInPage, 'problem' | 'keyProblem' | 'isSignedOut' | 'isRefused'>;

/** Sign-in and sign-out of operators; `signIn` leads a request without a session there. */
export type SignInRoutes = { routes: Routes; signIn: (ctx: Context) => Promise<void> };

/** `/sign-in` with an admin key, `/openid` and `/openid/callback` with an identity provider, `POST /sign-out`. */
export function signInRoutes(dependencies: SignInRoutesDependencies): SignInRoutes {
  const { base, publicBase, originOf, sessions, hasKeys, checkingKey, provider, show } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true, prefix: base });
  const callbackOf = (ctx: Context) => `${originOf(ctx)}${publicBase}/openid/callback`;
  const at = (path: string, to: string, fields: Readonly<Record<string, string>> = {}) =>
    withFields(`${publicBase}${path}`, { ...(to !== publicBase && { to }), ...fields });

  /** `isRefused`, `isSignedOut`: then the page also offers to sign out of the provider. */
  async function page(to: string, more: Outcome = {}): Promise<SignInPage> {
    const signOut = more.isRefused || more.isSignedOut ? await provider?.endSessionUrl() : undefined;
    return {
      keyAction: `${publicBase}/sign-in`,
      providerHref: provider && at('/openid', to, more.isRefused ? { account: 'other' } : {}),
      providerSignOutHref: signOut?.href,
      hasKeys,
      to,
      ...more,
    };
  }

  /** Shows the page for signing in again if a step fails. */
  async function trying(ctx: Context, to: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const { status, message } = beginFailure(
        ctx,
        error instanceof AuthorizationRefused ? refused(ctx, error) : error,
      );
      ctx.status = status;
      ctx.remove('WWW-Authenticate'); // browsers would ask for a password
      const outcome = ctx.method === 'POST' ? { keyProblem: message } : { problem: message };
      show(ctx, await page(to, { ...outcome, isRefused: error instanceof AuthorizationRefused }));
    }
  }

  router.get('/sign-in', async (ctx) => {
    const fields = fieldsOf(ctx.query);
    const to = returnPath(publicBase, fields.text('to'));
    const session = await sessions.find(ctx);
    if (session && session !== 'expired') redirect(ctx, to);
    else show(ctx, await page(to, { isSignedOut: fields.text('notice') === 'signed-out' }));
  });

  router.post('/sign-in', async (ctx) => {
    const form = fieldsOf(ctx.state.body);
    const to = returnPath(publicBase, form.text('to'));
    await trying(ctx, to, async () => {
      requireSameOrigin(ctx, originOf(ctx));
      if (ctx.state.bodyError) throw ctx.state.bodyError;
      const key = form.text('key')?.trim() ?? '';
      await checkingKey(ctx, key, async () => {
        if (!(await sessions.beginWithKey(ctx, key)))
          throw new Unauthenticated('this is not an admin key of this service');
      });
      redirect(ctx, to);
    });
  });

  if (provider) {
    router.get('/openid', beginNothingForHead, async (ctx) => {
      const fields = fieldsOf(ctx.query);
      const to = returnPath(publicBase, fields.text('to'));
      const choice = { otherAccount: fields.text('account') === 'other' };
      await trying(ctx, to, async () => redirect(ctx, (await provider.begin(ctx, callbackOf(ctx), to, choice)).href));
    });
    router.get('/openid/callback', beginNothingForHead, (ctx) =>
      trying(ctx, publicBase, async () => {
        const { operator, to } = await provider.complete(ctx, callbackOf(ctx));
        await sessions.beginWithProvider(ctx, operator);
        redirect(ctx, returnPath(publicBase, to));
      }),
    );
  }

  router.post('/sign-out', async (ctx) => {
    requireSameOrigin(ctx, originOf(ctx));
    sessions.end(ctx);
    redirect(ctx, `${publicBase}/sign-in?notice=signed-out`);
  });

  return {
    routes: router,
    async signIn(ctx) {
      // A form leads back to its page, where the script has what was typed.
      const asked = ctx.method === 'GET' ? `${publicBase}${ctx.url.slice(base.length)}` : pageOf(ctx.get('referer'));
      const to = returnPath(publicBase, asked);
      // Browsers do not follow a form to the provider, which is another origin: `form-action 'self'`.
      const isKnown = provider && ctx.method === 'GET' && (await sessions.find(ctx)) === 'expired';
      const href = at(isKnown ? '/openid' : '/sign-in', to);
      if (ctx.get('hx-request') === '') redirect(ctx, href);
      else {
        ctx.set('HX-Redirect', href); // htmx would follow a redirect and put the page for signing in into this one
        ctx.body = '';
      }
    },
  };
}

/** Path and query of a URL of this origin: `returnPath` decides on the path. */
function pageOf(referrer: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined;
  const { pathname, search } = new URL(referrer);
  return `${pathname}${search}`;
}

function withFields(path: string, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(fields).toString();
  return query === '' ? path : `${path}?${query}`;
}

function refused(ctx: Context, error: AuthorizationRefused): Forbidden {
  ctx.state.log.info({ detail: error.detail }, 'sign-in to the console refused');
  return new Forbidden(error.message);
}

function redirect(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = '';
}
