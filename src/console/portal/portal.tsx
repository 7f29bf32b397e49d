import Router from '@koa/router';
import { type PortalAccess, portalPath } from '../../access/portal/portal-access.js';
import type { CustomerAction } from '../../admin/api/routing/admin-route.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { type Chrome, type Document, renderCard } from '../chrome.js';
import { type SiteSettings, siteRoutes } from '../site.js';
import { portalCookie } from './portal-cookie.js';
import { portalSessionRoutes } from './portal-session-routes.js';
import { type PortalColours, themeOf } from './theme.js';

export type PortalSettings = {
  portal: {
    /** Origins whose pages may embed the portal. */
    origins: readonly string[];
    /** The name at the top of the pages. */
    name: string;
    /** In place of the mark of the service. */
    logo: PortalLogo | undefined;
    /** Undefined: the colours of the console. */
    colours: PortalColours | undefined;
    /** What customers with the role operator may change. */
    actions: readonly CustomerAction[];
  };
};

type PortalLogo = { type: 'svg' | 'png'; content: Buffer; hash: string };

export type PortalDependencies = Pick<
  SiteSettings,
  'publicPath' | 'hooksPrefix' | 'originOf' | 'api' | 'live' | 'subjects'
> & {
  access: Omit<PortalAccess, 'makeLink'>;
  /** Browsers use https. */
  secure: boolean;
  files: Pick<Chrome, 'stylesheets' | 'scripts' | 'icon' | 'icons'>;
};

/** The entries of the navigation, by path below the base. */
const navigation = [
  ['Overview', '/'],
  ['Listeners', '/listeners'],
  ['Replays', '/replays'],
  ['Deliveries', '/deliveries'],
  ['Flow events', '/flow-events'],
  ['History', '/audit'],
] as const;

/**
 * `/portal`: the console's pages about an organisation, for that of the session. `/portal/open?token=…` begins the
 * session.
 */
export function portalRoutes({ portal }: PortalSettings, dependencies: PortalDependencies): readonly Routes[] {
  const { access, publicPath, originOf, secure } = dependencies;
  const cookie = portalCookie({ secure });
  const frameAncestors = portal.origins.length === 0 ? "'none'" : portal.origins.join(' ');
  const theme = portal.colours && themeOf(portal.colours);
  const themePath = theme && `${portalPath}/theme/${theme.hash}.css`;
  const logoPath = portal.logo && `${portalPath}/theme/${portal.logo.hash}.${portal.logo.type}`;
  const files = {
    ...dependencies.files,
    logo: logoPath && `${publicPath}${logoPath}`,
    stylesheets: [...dependencies.files.stylesheets, ...(themePath === undefined ? [] : [`${publicPath}${themePath}`])],
  };

  function showCard(ctx: Context, status: number, page: Pick<Document, 'title' | 'content'>): void {
    ctx.status = status;
    ctx.type = 'html';
    ctx.body = renderCard({ name: portal.name, ...files }, page);
  }

  const sessionIn = async (ctx: Context) => {
    const value = cookie.get(ctx);
    return value === undefined ? undefined : access.findSession(value);
  };

  const router: Routes = new Router<RequestState>({ sensitive: true });
  if (theme && themePath !== undefined) {
    router.get(themePath, async (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = 'css';
      ctx.body = theme.css;
    });
  }

  if (portal.logo && logoPath !== undefined) {
    const { type, content } = portal.logo;
    router.get(logoPath, async (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"); // where it is opened by itself
      ctx.type = type;
      ctx.body = content;
    });
  }

  const site = siteRoutes({
    ...dependencies,
    base: portalPath,
    frameAncestors,
    async sessionOf(ctx) {
      const session = await sessionIn(ctx);
      if (!session) return undefined;
      const { actor, role, orgId, expiresAt } = session;
      const isOpen = async () => (await sessionIn(ctx)) !== undefined;
      return { caller: { actor, role, orgId, actions: portal.actions }, until: expiresAt, isOpen };
    },
    signIn: (ctx) => showCard(ctx, 401, noSession),
    chromeOf: ({ caller, url }): Chrome => ({
      name: portal.name,
      homeHref: url('/'),
      navigation: navigation.map(([text, path]) => ({ text, path, href: url(path) })),
      searchHref: url('/search'),
      account: { name: caller.actor.replace(/^portal:/, ''), role: caller.role, signOutHref: url('/sign-out') },
      ...files,
    }),
  });
  const sessions = portalSessionRoutes({
    access,
    cookie,
    sessionIn,
    path: `${publicPath}${portalPath}`,
    originOf,
    frameAncestors,
    showCard,
  });
  return [sessions, router, site];
}

const noSession: Pick<Document, 'title' | 'content'> = {
  title: 'Your session has ended',
  content: (
    <p>
      Open this page again from where you came. If this appears at once, your browser does not keep the cookie of this
      page: permit cookies for it, or open it in its own tab.
    </p>
  ),
};
