import type { Logger } from 'pino';
import type { PortalAccess } from '../access/portal/portal-access.js';
import { openAssets, ownAsset, packageAsset } from '../http/assets.js';
import type { Context, Routes } from '../http/context.js';
import { requestedHost } from '../http/forwarded.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Chrome, NavigationGroup } from './chrome.js';
import { liveViewers } from './live/live-viewers.js';
import type { Subject } from './page-view.js';
import { adminSubjects } from './pages/admin-subjects.js';
import { auditPages } from './pages/audit/audit.js';
import { type HealthDependencies, healthPages } from './pages/health/health.js';
import { hookPages } from './pages/hooks/hooks.js';
import { replayPages } from './pages/replays/replays.js';
import { type PortalSettings, portalRoutes } from './portal/portal.js';
import { portalOverviewPages } from './portal/portal-overview.js';
import { type SiteSettings, siteRoutes } from './site.js';

export type ConsoleSettings = PortalSettings & {
  readonly mode: 'development' | 'production';
  readonly http: {
    /** Without a slash at the end; undefined in development, where it follows from the request. */
    readonly publicUrl: string | undefined;
  };
};

export type ConsoleDependencies = HealthDependencies &
  Pick<SiteSettings, 'api'> & {
    readonly store: Pick<EventStore, 'subscribe'>;
    readonly log: Logger;
    readonly portalAccess: PortalAccess;
  };

export type Console = {
  readonly routes: readonly Routes[];
  /** Ends the live updates of open pages, for which the stop of the service would wait. */
  readonly endStreams: () => void;
};

/** The pages of the navigation, by path below the base. Each subject of pages has an entry. */
const groups: readonly {
  readonly heading?: string;
  readonly entries: readonly (readonly [text: string, path: string])[];
}[] = [
  {
    entries: [
      ['Overview', '/'],
      ['Hooks', '/hooks'],
      ['Replays', '/replays'],
      ['Deliveries', '/deliveries'],
      ['Flow events', '/flow-events'],
    ],
  },
  {
    heading: 'Customers',
    entries: [
      ['Organisations', '/organisations'],
      ['Integration tasks', '/tasks'],
      ['Sessions', '/sessions'],
      ['Audit', '/audit'],
    ],
  },
  {
    heading: 'Service',
    entries: [
      ['Views', '/views'],
      ['Clients', '/clients'],
      ['API keys', '/api-keys'],
      ['Keys', '/keys'],
      ['Health', '/health'],
    ],
  },
];

/** The console of operators below `/console`, and the files that its pages load. */
export function openConsole(settings: ConsoleSettings, dependencies: ConsoleDependencies): Console {
  const { mode, http } = settings;
  const assets = openAssets([
    { name: 'console.css', file: ownAsset('console/console.css') },
    { name: 'console.js', file: ownAsset('console/console.js') },
    { name: 'slider.js', file: ownAsset('console/slider.js') },
    { name: 'favicon.svg', file: ownAsset('console/favicon.svg') },
    { name: 'htmx.js', file: packageAsset('htmx.org/dist/htmx.min.js') },
    { name: 'uplot.js', file: packageAsset('uplot/dist/uPlot.iife.min.js') },
    { name: 'uplot.css', file: packageAsset('uplot/dist/uPlot.min.css') },
  ]);
  const { protocol, pathname } = new URL(http.publicUrl ?? 'http://localhost');
  const publicPath = pathname.replace(/\/$/, '');
  const asset = (name: string) => `${publicPath}${assets.path(name)}`;
  const files = {
    stylesheets: ['uplot.css', 'console.css'].map(asset),
    scripts: ['htmx.js', 'uplot.js', 'console.js', 'slider.js'].map(asset),
    icon: asset('favicon.svg'),
  };

  const live = liveViewers(dependencies);
  const common = {
    publicPath,
    api: dependencies.api,
    live,
    originOf: (ctx: Context) => `${protocol}//${requestedHost(ctx).toLowerCase()}`,
  };
  const pages = siteRoutes({
    ...common,
    base: '/console',
    frameAncestors: "'none'",
    sessionOf: async () => ({ caller: { actor: 'admin:development', role: 'owner', orgId: null } }),
    signIn: () => undefined,
    chromeOf: ({ caller, url }): Chrome => ({
      name: 'Flow Hooks',
      homeHref: url('/'),
      navigation: navigationOf(url),
      ...(mode === 'development' && { tag: 'dev' }),
      account: { name: caller.actor, role: caller.role, signOutHref: undefined },
      ...files,
    }),
    subjects: [hookPages(), replayPages(), healthPages(dependencies), ...adminSubjects()],
  });
  const portal = portalRoutes(settings, {
    ...common,
    access: dependencies.portalAccess,
    secure: protocol === 'https:',
    files,
    subjects: customerSubjects(),
  });
  return { routes: [assets.routes, pages, ...portal], endStreams: live.close };
}

/** The pages that a customer sees too. */
const customerSubjects = (): readonly Subject[] => [portalOverviewPages(), auditPages()];

const navigationOf = (url: (path: string) => string): readonly NavigationGroup[] =>
  groups.map(({ entries, ...group }) => ({
    ...group,
    entries: entries.map(([text, path]) => ({ text, path, href: url(path) })),
  }));
