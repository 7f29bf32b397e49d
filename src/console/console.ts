import type { PortalAccess } from '../access/portal/portal-access.js';
import { serviceAddressOf } from '../access/providers/routes.js';
import { type Context, type Routes, requestedHost } from '../http/context.js';
import type { ServiceAddress } from '../http/settings.js';
import type { Mode } from '../kernel/settings/setting.js';
import { brandFiles } from '../site/brand/brand-files.js';
import type { Chrome } from '../site/chrome.js';
import { exampleCommands } from '../site/example-commands.js';
import { liveViewers } from '../site/live/live-viewers.js';
import type { NavigationEntry } from '../site/navigation.js';
import { openPageFiles } from '../site/page-files.js';
import type { Subject } from '../site/page-view.js';
import { type SiteSettings, siteRoutes } from '../site/site.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { type OperatorsDependencies, operators } from './operators.js';
import { type AdminDependencies, adminSubjects } from './pages/admin-subjects.js';
import { auditPages } from './pages/audit/history.js';
import { deliveryPages } from './pages/deliveries/deliveries.js';
import { flowEventPages } from './pages/flow-events/flow-events.js';
import { healthPages } from './pages/health/health.js';
import { listenerPages } from './pages/listeners/listener-list.js';
import { overviewPages } from './pages/overview/overview.js';
import { replayPages } from './pages/replays/replays.js';
import { searchPages } from './pages/search.js';
import { portalRoutes } from './portal/portal.js';
import { portalOverviewPages } from './portal/portal-overview.js';
import type { ConsoleSettings, PortalSettings } from './settings.js';

export type PageSettings = {
  mode: Mode;
  dataDirectory: string;
  http: ServiceAddress;
  console: ConsoleSettings;
  portal: PortalSettings;
};

export type ConsoleDependencies = Pick<SiteSettings, 'api'> &
  AdminDependencies &
  Pick<OperatorsDependencies, 'keys' | 'limits' | 'provider'> & {
    store: Pick<EventStore, 'subscribe'>;
    portalAccess: PortalAccess;
  };

export type Console = {
  routes: readonly Routes[];
  /** Ends the live updates of open pages, for which the stop of the service would wait. */
  endStreams: () => void;
};

type Entry = readonly [text: string, path: string, pages?: readonly Entry[]];

/** Entries by path below the base. Each subject of pages has an entry. */
const entries: readonly Entry[] = [
  ['Overview', '/'],
  ['Listeners', '/listeners'],
  [
    'Deliveries',
    '/deliveries',
    [
      ['Deliveries', '/deliveries'],
      ['Replays', '/replays'],
    ],
  ],
  ['Flow events', '/flow-events'],
  ['Organisations', '/organisations'],
  ['Sessions', '/sessions'],
  ['Audit', '/audit'],
  [
    'Service',
    '/health',
    [
      ['Health', '/health'],
      ['Operational events', '/operations'],
      ['Event types', '/event-types'],
      ['Integration tasks', '/tasks'],
      ['Clients', '/clients'],
      ['API keys', '/api-keys'],
      ['Keys', '/keys'],
      ['Views', '/views'],
      ['Set-aside events', '/set-aside'],
    ],
  ],
];

/** The console of operators below `/console`, and the files that its pages load. */
export function openConsole(settings: PageSettings, dependencies: ConsoleDependencies): Console {
  const { mode } = settings;
  const { publicUrl, hooksPrefix } = settings.http;
  const publicPath = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const addressOf = serviceAddressOf(requestedHost, publicUrl);
  const files = openPageFiles(publicPath);
  const place = { base: '/console', publicPath, originOf: (ctx: Context) => addressOf(ctx).origin };
  const brand = brandFiles(settings.console, files, place);
  const { sessionOf, signIn, signOutPath, commandLinePath, ...signingIn } = operators({
    ...dependencies,
    mode,
    publicUrl,
    openid: settings.console.openid,
    place,
    card: brand.branded,
  });
  const live = liveViewers(dependencies);
  const commandsAt = (address: string) => exampleCommands(settings, address);
  const common = { ...place, hooksPrefix, commandsAt, api: dependencies.api, live };
  const pages = siteRoutes({
    ...common,
    frameAncestors: "'none'",
    sessionOf,
    signIn,
    chromeOf: ({ caller, url }): Chrome => ({
      homeHref: url('/'),
      navigation: navigationOf(url),
      searchHref: url('/search'),
      tag: mode === 'development' ? 'dev' : undefined,
      account: {
        name: caller.actor,
        role: caller.role,
        signOutHref: signOutPath && url(signOutPath),
        commandLineHref: commandLinePath && url(commandLinePath),
      },
      ...brand.branded,
    }),
    subjects: [overviewPages, ...commonSubjects, ...adminSubjects(dependencies), healthPages],
  });
  const portal = portalRoutes(settings, {
    ...common,
    access: dependencies.portalAccess,
    secure: publicUrl?.startsWith('https:') === true,
    files,
    subjects: customerSubjects,
  });
  return { routes: [files.routes, brand.routes, ...signingIn.routes, pages, ...portal], endStreams: live.close };
}

/** The pages that operators and customers have in common, except the audit. */
const commonSubjects: readonly Subject[] = [searchPages, listenerPages, replayPages, deliveryPages, flowEventPages];

/** The pages of the portal. */
export const customerSubjects: readonly Subject[] = [portalOverviewPages, ...commonSubjects, auditPages()];

const navigationOf = (url: (path: string) => string, shown: readonly Entry[] = entries): readonly NavigationEntry[] =>
  shown.map(([text, path, pages]) => ({
    text,
    path,
    href: url(path),
    pages: pages && navigationOf(url, pages),
  }));
