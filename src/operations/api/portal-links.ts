import type { Logger } from 'pino';
import type { PortalAccess } from '../../access/portal/portal-access.js';
import { createPortalLinkRoute } from './contracts/portal-links.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type PortalLinkRoutes = {
  readonly portalAccess: Pick<PortalAccess, 'sealLink'>;
  /** Where browsers reach this service, without a slash at the end. */
  readonly serviceUrl: () => string;
  readonly log: Logger;
};

/** The path below which `consoleRoutes` serves the portal. */
export const portalBase = '/portal';

export const portalLinkRoutes = ({ portalAccess, serviceUrl, log }: PortalLinkRoutes): readonly BoundRoute[] => [
  handle(createPortalLinkRoute, async ({ body }, { now, caller }) => {
    const { orgId, role, user, expiresInSeconds, sessionMinutes } = body;
    const lifetimeMs = expiresInSeconds * 1_000;
    const link = { orgId, role, actor: `portal:${user ?? orgId}`, sessionMs: sessionMinutes * 60_000 };
    const token = await portalAccess.sealLink(link, lifetimeMs);
    const expiresAt = new Date(now.getTime() + lifetimeMs).toISOString();
    log.info({ ...link, expiresAt, by: caller.actor }, 'a link to the portal has been made');
    // The token is in the query: paths are in access logs and traces.
    return { url: `${serviceUrl()}${portalBase}/open?${new URLSearchParams({ token })}`, expiresAt };
  }),
];
