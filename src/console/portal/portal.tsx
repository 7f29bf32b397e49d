import Router from '@koa/router';
import { type PortalAccess, type PortalSession, portalPath } from '../../access/portal/portal-access.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { type Chrome, type Document, renderCard } from '../chrome.js';
import { setPageHeaders } from '../security-headers.js';
import { requireSameOrigin } from '../session/same-origin.js';
import { type SiteSession, type SiteSettings, siteRoutes } from '../site.js';
import { portalCookie } from './portal-cookie.js';
import { type PortalColours, themeOf } from './theme.js';

export type PortalSettings = {
  readonly portal: {
    /** Origins whose pages may embed the portal. */
    readonly origins: readonly string[];
    /** The name at the top of the pages. */
    readonly name: string;
    /** Undefined: the colours of the console. */
    readonly colours: PortalColours | undefined;
  };
};

export type PortalDependencies = Pick<SiteSettings, 'publicPath' | 'originOf' | 'api' | 'live' | 'subjects'> & {
  readonly access: Pick<PortalAccess, 'openLink' | 'openSession' | 'sealSession'>;
  /** Whether browsers use https. */
  readonly secure: boolean;
  readonly files: Pick<Chrome, 'stylesheets' | 'scripts' | 'icon'>;
};

/** The entries of the navigation, by path below the base. */
const navigation = [
  ['Overview', '/'],
  ['Hooks', '/hooks'],
  ['Replays', '/replays'],
  ['Deliveries', '/deliveries'],
  ['Flow events', '/flow-events'],
  ['History', '/audit'],
] as const;

/**
 * The pages of one customer below `/portal`: the pages of the console that concern an organisation, for the one of the session.
 * `/portal/open?token=…` exchanges the token of a link for a session.
 */
export function portalRoutes({ portal }: PortalSettings, dependencies: PortalDependencies): readonly Routes[] {
  const { access, publicPath, originOf, secure } = dependencies;
  const cookie = portalCookie({ secure });
  const frameAncestors = portal.origins.length === 0 ? "'none'" : portal.origins.join(' ');
  const theme = portal.colours && themeOf(portal.colours);
  const themePath = theme && `${portalPath}/theme/${theme.hash}.css`;
  const files = {
    ...dependencies.files,
    stylesheets: [...dependencies.files.stylesheets, ...(themePath === undefined ? [] : [`${publicPath}${themePath}`])],
  };

  function showCard(ctx: Context, status: number, page: Pick<Document, 'title' | 'content'>): void {
    ctx.status = status;
    ctx.type = 'html';
    ctx.body = renderCard({ name: portal.name, ...files }, page);
  }

  const router: Routes = new Router<RequestState>();

  router.get(`${portalPath}/open`, async (ctx) => {
    setPageHeaders(ctx, frameAncestors);
    ctx.set('Referrer-Policy', 'no-referrer'); // the URL has the token
    const { token } = ctx.query;
    const link = typeof token === 'string' ? await access.openLink(token) : undefined;
    if (!link) return showCard(ctx, 403, linkExpired);
    cookie.set(ctx, await access.sealSession(link), link.sessionMs);
    ctx.status = 303;
    ctx.set('Location', `${publicPath}${portalPath}`);
    ctx.body = '';
  });

  router.post(`${portalPath}/sign-out`, async (ctx) => {
    setPageHeaders(ctx, frameAncestors);
    requireSameOrigin(ctx, originOf(ctx));
    cookie.clear(ctx);
    showCard(ctx, 200, signedOut);
  });

  if (theme && themePath !== undefined) {
    router.get(themePath, async (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = 'css';
      ctx.body = theme.css;
    });
  }

  const site = siteRoutes({
    ...dependencies,
    base: portalPath,
    frameAncestors,
    async sessionOf(ctx) {
      const value = cookie.get(ctx);
      const session = value === undefined ? undefined : await access.openSession(value);
      return session && sessionOf(session);
    },
    signIn: (ctx) => showCard(ctx, 401, noSession),
    chromeOf: ({ caller, url }): Chrome => ({
      name: portal.name,
      homeHref: url('/'),
      navigation: [{ entries: navigation.map(([text, path]) => ({ text, path, href: url(path) })) }],
      account: { name: caller.actor.replace(/^portal:/, ''), role: caller.role, signOutHref: url('/sign-out') },
      ...files,
    }),
  });
  return [router, site];
}

const sessionOf = ({ actor, role, orgId, expiresAt }: PortalSession): SiteSession => ({
  caller: { actor, role, orgId },
  until: new Date(expiresAt),
});

const linkExpired: Pick<Document, 'title' | 'content'> = {
  title: 'This link has expired',
  content: <p>Open this page again from where you came: that makes a new link.</p>,
};

const noSession: Pick<Document, 'title' | 'content'> = {
  title: 'Your session has ended',
  content: (
    <p>
      Open this page again from where you came. If this appears at once, your browser does not keep the cookie of this
      page: permit cookies for it, or open it in a tab of its own.
    </p>
  ),
};

const signedOut: Pick<Document, 'title' | 'content'> = {
  title: 'You have signed out',
  content: <p>You can close this page.</p>,
};
