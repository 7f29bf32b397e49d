import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { portalRoles } from '../../events/portal-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import { type SealingKeys, sealedValues } from '../providers/sealed-values.js';
import { notReserved } from '../reserved-organisation.js';
import {
  beginPortalSession,
  endPortalSession,
  isOpenPortalSession,
  isUnusedPortalLink,
  type PortalLink,
  portalLinkDecider,
  portalStream,
} from './portal-link.js';

export const portalPath = '/portal';

export type PortalGrant = {
  orgId: string;
  role: (typeof portalRoles)[number];
  actor: string;
  sessionMs: number;
};

/** `linkId`: the link that opened it, which opens no other. */
export type PortalSession = Pick<PortalGrant, 'orgId' | 'role' | 'actor'> & {
  linkId: string;
  expiresAt: Date;
};

export type PortalAccess = {
  /** Returns the token, which opens one session until the link expires. Rejects with `Forbidden` for the reserved organisation. */
  makeLink: (grant: PortalGrant, lifetimeMs: number, cause: Cause) => Promise<string>;
  /** Undefined if the token is not valid. */
  findLink: (token: string) => Promise<LinkFound | undefined>;
  /** Returns the cookie's value; undefined if the link has been opened or has ended. */
  beginSession: (link: LinkFound, causeOf: (actor: string) => Cause) => Promise<string | undefined>;
  /** Undefined if the cookie is not valid, or the session has ended. */
  findSession: (cookie: string) => Promise<PortalSession | undefined>;
  endSession: (session: PortalSession, cause: Cause) => Promise<void>;
};

type LinkFound = PortalGrant & { linkId: string; isUnused: boolean };

type PortalAccessDependencies = SealingKeys & { store: EventStore };

const carried = z.object({ linkId: z.uuid() });

/**
 * Links and sessions are streams, which every instance reads for each request; browsers carry only sealed IDs. All
 * methods reject with the store's errors.
 */
export function portalAccess({ store, ...keys }: PortalAccessDependencies): PortalAccess {
  const { now } = keys;
  const sealed = (purpose: string, lifetimeMs: number) => sealedValues(keys, { purpose, schema: carried, lifetimeMs });
  const links = (lifetimeMs: number) => sealed('portal-link', lifetimeMs);
  const sessions = (lifetimeMs: number) => sealed('portal-session', lifetimeMs);
  const stateOf = async ({ linkId }: { linkId: string }): Promise<PortalLink> =>
    (await load(store, portalStream(linkId), portalLinkDecider)).state;

  return {
    async makeLink(grant, lifetimeMs, cause) {
      notReserved(grant.orgId);
      const linkId = randomUUID();
      const at = now();
      const expiresAt = new Date(at.getTime() + lifetimeMs).toISOString();
      const made = { type: 'PortalLinkMade', data: { linkId, ...grant, expiresAt } } as const;
      await handle(store, portalStream(linkId), portalLinkDecider, () => [made], { cause, now: at });
      return links(lifetimeMs + grant.sessionMs).seal({ linkId }); // Also finds the session, for a page that is reloaded.
    },

    async findLink(token) {
      const found = await links(0).open(token);
      const link = found && (await stateOf(found));
      if (!link || link.state === 'none') return undefined;
      const { linkId, orgId, role, actor, sessionMs } = link;
      return { linkId, orgId, role, actor, sessionMs, isUnused: isUnusedPortalLink(link, now()) };
    },

    async beginSession({ linkId, actor, sessionMs }, causeOf) {
      const at = now();
      const begin = (link: PortalLink) => beginPortalSession({ now: at }, link);
      const context = { cause: causeOf(actor), now: at };
      const { events } = await handle(store, portalStream(linkId), portalLinkDecider, begin, context);
      return events.length > 0 ? sessions(sessionMs).seal({ linkId }) : undefined;
    },

    async findSession(cookie) {
      const found = await sessions(0).open(cookie);
      const link = found && (await stateOf(found));
      if (!link || !isOpenPortalSession(link, now())) return undefined;
      const { linkId, orgId, role, actor, expiresAt } = link;
      return { linkId, orgId, role, actor, expiresAt: new Date(expiresAt) };
    },

    async endSession({ linkId }, cause) {
      await handle(store, portalStream(linkId), portalLinkDecider, endPortalSession, { cause, now: now() });
    },
  };
}
