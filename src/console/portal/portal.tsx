import { type PortalAccess, portalPath } from '../../access/portal/portal-access.js';
import type { Context, Routes } from '../../http/context.js';
import { brandFiles } from '../../site/brand/brand-files.js';
import { type CardPage, type Chrome, type PageFiles, renderCard } from '../../site/chrome.js';
import { type SiteSettings, siteRoutes } from '../../site/site.js';
import type { PortalSettings } from '../settings.js';
import { portalCookie } from './portal-cookie.js';
import { portalSessionRoutes } from './portal-session-routes.js';

export type PortalDependencies = Pick<
  SiteSettings,
  'publicPath' | 'hooksPrefix' | 'originOf' | 'commandsAt' | 'api' | 'live' | 'subjects'
> & {
  access: Omit<PortalAccess, 'makeLink'>;
  /** Browsers use https. */
  secure: boolean;
  files: PageFiles;
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
export function portalRoutes(
  { portal }: { portal: PortalSettings },
  dependencies: PortalDependencies,
): readonly Routes[] {
  const { access, publicPath, originOf, secure } = dependencies;
  const cookie = portalCookie({ secure });
  const frameAncestors = portal.origins.length === 0 ? "'none'" : portal.origins.join(' ');
  const { routes, branded } = brandFiles(portal, dependencies.files, { base: portalPath, publicPath });

  function showCard(ctx: Context, status: number, page: CardPage): void {
    ctx.status = status;
    ctx.type = 'html';
    ctx.body = renderCard(branded, page);
  }

  const sessionIn = async (ctx: Context) => {
    const value = cookie.get(ctx);
    return value === undefined ? undefined : access.findSession(value);
  };

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
      homeHref: url('/'),
      navigation: navigation.map(([text, path]) => ({ text, path, href: url(path) })),
      searchHref: url('/search'),
      account: { name: caller.actor.replace(/^portal:/, ''), role: caller.role, signOutHref: url('/sign-out') },
      ...branded,
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
  return [sessions, routes, site];
}

const noSession: CardPage = {
  title: 'Your session has ended',
  content: (
    <p>
      Open this page again from where you came. If this appears at once, your browser does not keep the cookie of this
      page: permit cookies for it, or open it in its own tab.
    </p>
  ),
};
