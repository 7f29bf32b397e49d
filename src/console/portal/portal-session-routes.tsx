import Router from '@koa/router';
import { type PortalAccess, type PortalSession, portalPath } from '../../access/portal/portal-access.js';
import { beginNothingForHead, type Context, causeOf, type RequestState, type Routes } from '../../http/context.js';
import type { CardPage } from '../../site/chrome.js';
import { fieldsOf } from '../../site/fields.js';
import { requireSameOrigin, setPageHeaders } from '../../site/page-security.js';
import type { PortalCookie } from './portal-cookie.js';

export type PortalSessionDependencies = {
  access: Pick<PortalAccess, 'findLink' | 'beginSession' | 'endSession'>;
  cookie: PortalCookie;
  sessionIn: (ctx: Context) => Promise<PortalSession | undefined>;
  /** The path of the portal in its public URL. */
  path: string;
  originOf: (ctx: Context) => string;
  frameAncestors: string;
  showCard: (ctx: Context, status: number, card: CardPage) => void;
};

/** `GET` and `POST /portal/open` exchange a link's token for a session; `POST /portal/sign-out`. */
export function portalSessionRoutes(dependencies: PortalSessionDependencies): Routes {
  const { access, cookie, sessionIn, path, originOf, frameAncestors, showCard } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  /** Opens a link, or continues its session. `mayReplace`: a session of another organisation may end by it. */
  async function open(ctx: Context, token: unknown, mayReplace: boolean): Promise<void> {
    const link = typeof token === 'string' ? await access.findLink(token) : undefined;
    if (!link) return showCard(ctx, 403, linkOver);
    const session = await sessionIn(ctx);
    if (session?.linkId !== link.linkId) {
      if (!link.isUnused) return showCard(ctx, 403, linkOver);
      const action = `${path}/open`;
      if (session && session.orgId !== link.orgId && !mayReplace)
        return showCard(
          ctx,
          200,
          replacingAsked({ action, token: String(token), from: session.orgId, to: link.orgId }),
        );
      const value = await access.beginSession(link, (actor) => causeOf(ctx.state, actor));
      if (value === undefined) return showCard(ctx, 403, linkOver); // another request was faster
      cookie.set(ctx, value, link.sessionMs);
    }
    ctx.status = 303;
    ctx.set('Location', path);
    ctx.body = '';
  }

  router.get(`${portalPath}/open`, beginNothingForHead, async (ctx) => {
    setPageHeaders(ctx, frameAncestors);
    // Another site could otherwise move the user to its organisation unnoticed (login CSRF).
    await open(ctx, ctx.query.token, ['same-origin', 'none'].includes(ctx.get('sec-fetch-site')));
    if (ctx.status !== 200) ctx.set('Referrer-Policy', 'no-referrer'); // the URL has the token; a page with a form needs its origin
  });

  router.post(`${portalPath}/open`, async (ctx) => {
    setPageHeaders(ctx, frameAncestors);
    requireSameOrigin(ctx, originOf(ctx));
    if (ctx.state.bodyError) throw ctx.state.bodyError;
    await open(ctx, fieldsOf(ctx.state.body).text('token'), true);
  });

  router.post(`${portalPath}/sign-out`, async (ctx) => {
    setPageHeaders(ctx, frameAncestors);
    requireSameOrigin(ctx, originOf(ctx));
    const session = await sessionIn(ctx);
    if (session) await access.endSession(session, causeOf(ctx.state, session.actor));
    cookie.clear(ctx);
    showCard(ctx, 200, signedOut);
  });
  return router;
}

const linkOver: CardPage = {
  title: 'This link has expired or has been used',
  content: <p>Open this page again from where you came: that makes a new link.</p>,
};

/** Asks before the session of another organisation is replaced. */
const replacingAsked = ({
  action,
  token,
  from,
  to,
}: Readonly<Record<'action' | 'token' | 'from' | 'to', string>>): CardPage => ({
  title: `Open ${to}?`,
  content: (
    <>
      <p>
        A link leads to the organisation {to}. In this browser the organisation {from} is open, whose pages then end.
      </p>
      <form method="post" action={action} class="stack">
        <input type="hidden" name="token" value={token} />
        <button type="submit" class="primary">
          Open {to}
        </button>
      </form>
      <p>
        <a href={action.replace(/\/open$/, '')}>Stay with {from}</a>
      </p>
    </>
  ),
});

const signedOut: CardPage = {
  title: 'You have signed out',
  content: <p>You can close this page.</p>,
};
