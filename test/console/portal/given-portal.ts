import { Buffer } from 'node:buffer';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { type PortalAccess, type PortalGrant, portalAccess } from '../../../src/access/portal/portal-access.js';
import { customerActions } from '../../../src/admin/api/routing/admin-route.js';
import { customerSubjects } from '../../../src/console/console.js';
import { portalRoutes } from '../../../src/console/portal/portal.js';
import type { PortalSettings } from '../../../src/console/settings.js';
import type { GivenOperations } from '../../support/admin/given-operations.js';
import { siteSettings } from '../../support/console/site-settings.js';
import { serveRoutes } from '../../support/service/serve-routes.js';

export type Answer = { status: number; html: string; headers: Headers };

export type PortalClient = {
  origin: string;
  access: PortalAccess;
  send: (path: string, init?: RequestInit) => Promise<Answer>;
};

export type Visitor = {
  get: (path: string) => Promise<Answer>;
  post: (path: string, form?: Readonly<Record<string, string>>) => Promise<Answer>;
};

/** Serves the portal while `use` runs. */
export async function withPortal<Result>(
  { api, store }: Pick<GivenOperations, 'api' | 'store'>,
  portal: Partial<PortalSettings> & { secure?: boolean },
  use: (client: PortalClient) => Promise<Result>,
  now = () => new Date(),
): Promise<Result> {
  const access = portalAccess({
    masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 7)]])),
    store,
    now,
  });
  const { secure = false, ...settings } = portal;
  const routes = portalRoutes(
    {
      portal: {
        origins: [],
        name: 'Example Company',
        logo: undefined,
        colours: undefined,
        actions: customerActions,
        ...settings,
      },
    },
    {
      ...siteSettings({ api, subjects: customerSubjects }),
      access,
      secure,
      files: { stylesheets: [], scripts: [], icon: '', icons: '' },
    },
  );
  const served = await serveRoutes(...routes);
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${served.origin}${path}`, { redirect: 'manual', ...init });
    return { status: response.status, html: await response.text(), headers: response.headers };
  };
  try {
    return await use({ origin: served.origin, access, send });
  } finally {
    await served.close();
  }
}

/** A browser with a session of the portal. */
export async function visitor(
  { access, origin, send }: PortalClient,
  orgId: string,
  role: 'viewer' | 'operator' = 'operator',
): Promise<Visitor> {
  const cookie = await openedCookie(access, { orgId, role, actor: `portal:${orgId}-user`, sessionMs: 60_000 });
  return {
    get: (path) => send(`/portal${path}`, { headers: { cookie } }),
    post: (path, form = {}) =>
      send(`/portal${path}`, { method: 'POST', headers: { cookie, origin }, body: new URLSearchParams(form) }),
  };
}

const someCause = (actor: string) => ({ actor, correlationId: 'test' });

/** The token of a new link. */
export const linkToken = (access: PortalAccess, grant: PortalGrant, lifetimeMs = 60_000): Promise<string> =>
  access.makeLink(grant, lifetimeMs, someCause('admin:backend'));

/** The cookie of a session that a new link has opened. */
export async function openedCookie(access: PortalAccess, grant: PortalGrant): Promise<string> {
  const link = await access.findLink(await linkToken(access, grant));
  const session = link && (await access.beginSession(link, someCause));
  if (session === undefined) throw new Error('the link opened no session');
  return `portal=${session}`;
}
