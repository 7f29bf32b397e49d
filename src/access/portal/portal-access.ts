import { z } from 'zod';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { type SealedValues, type SealingKeys, sealedValues } from '../providers/sealed-values.js';

/** The path below which the portal is. */
export const portalPath = '/portal';

/** The roles that a portal link can give, within one organisation. */
export const portalRoles = ['viewer', 'operator'] as const;

const grant = z.object({
  orgId: opaqueId,
  role: z.enum(portalRoles),
  /** Names the user in the history. */
  actor: z.string(),
});

/** What the bearer of a link or of a portal session may do. */
export type PortalGrant = z.output<typeof grant>;

const link = z.object({ ...grant.shape, sessionMs: z.int().positive() });
const session = z.object({ ...grant.shape, /** Milliseconds since 1970. */ expiresAt: z.int().positive() });

export type PortalLink = z.output<typeof link>;
export type PortalSession = z.output<typeof session>;

export type PortalAccess = {
  /** The token of a link, which opens a session until it expires. */
  readonly sealLink: (link: PortalLink, lifetimeMs: number) => Promise<string>;
  /** Undefined if the text is no token of a link, or has expired. */
  readonly openLink: SealedValues<PortalLink>['open'];
  /** The value of a session's cookie; it begins now. */
  readonly sealSession: (link: PortalLink) => Promise<string>;
  /** Undefined if the text is no session, or the session has ended. */
  readonly openSession: SealedValues<PortalSession>['open'];
};

/** Links and sessions of the portal are sealed values: every instance with the master keys can read them, and none stores them. */
export function portalAccess(keys: SealingKeys): PortalAccess {
  const links = (lifetimeMs: number) => sealedValues(keys, { purpose: 'portal-link', schema: link, lifetimeMs });
  const sessions = (lifetimeMs: number) =>
    sealedValues(keys, { purpose: 'portal-session', schema: session, lifetimeMs });
  return {
    sealLink: (value, lifetimeMs) => links(lifetimeMs).seal(value),
    openLink: links(0).open,
    sealSession({ sessionMs, ...value }) {
      return sessions(sessionMs).seal({ ...value, expiresAt: keys.now().getTime() + sessionMs });
    },
    openSession: sessions(0).open,
  };
}
