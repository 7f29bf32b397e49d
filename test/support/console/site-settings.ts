import { pino } from 'pino';
import { exampleCommands } from '../../../src/site/example-commands.js';
import { liveViewers } from '../../../src/site/live/live-viewers.js';
import { type SiteSettings, siteRoutes } from '../../../src/site/site.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { serveRoutes } from '../service/serve-routes.js';

const log = pino({ level: 'silent' });

/** A store in which nothing happens. */
const quietStore: Pick<EventStore, 'subscribe'> = {
  async *subscribe({ signal } = {}) {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  },
};

/** Settings of a site under `/console`, whose callers are viewers, and which calls no route of the API. */
export const siteSettings = (changes: Partial<SiteSettings> = {}): SiteSettings => ({
  base: '/console',
  publicPath: '',
  hooksPrefix: '/api/hooks',
  originOf: (ctx) => `http://${ctx.host}`,
  commandsAt: (address) =>
    exampleCommands({ mode: 'production', http: { hooksPrefix: '/api/hooks' }, dataDirectory: '/data' }, address),
  sessionOf: async () => ({ caller: { actor: 'admin:ada', role: 'viewer', orgId: null } }),
  signIn(ctx) {
    ctx.status = 303;
    ctx.set('Location', '/console/sign-in');
    ctx.body = '';
  },
  api: { call: () => Promise.reject(new Error('no route is called')) },
  live: liveViewers({ store: quietStore, log }),
  chromeOf: ({ url }) => ({
    name: 'Test',
    homeHref: url('/'),
    navigation: [{ text: 'Greetings', path: '/greet', href: url('/greet/all') }],
    stylesheets: [],
    scripts: [],
    icon: '',
    icons: '',
  }),
  frameAncestors: "'none'",
  subjects: [],
  ...changes,
});

/** Serves the site while `use` runs; `origin`: its address. */
export async function withSite<Result>(
  changes: Partial<SiteSettings>,
  use: (origin: string) => Promise<Result>,
): Promise<Result> {
  const served = await serveRoutes(siteRoutes(siteSettings(changes)));
  try {
    return await use(served.origin);
  } finally {
    await served.close();
  }
}
