import { type PortalEvent, type PortalLinkMade, portalCodec } from '../../events/portal-events.js';
import type { EventOf } from '../../stores/event-store/codec.js';
import type { Decider } from '../../stores/event-store/handle.js';

type LinkFacts = EventOf<typeof PortalLinkMade>['data'];

export type PortalLink =
  | { state: 'none' }
  /** `expiresAt`: the end of the time in which it can be opened. */
  | ({ state: 'unused' } & LinkFacts)
  /** `expiresAt`: the end of the session. */
  | ({ state: 'open' | 'ended' } & LinkFacts);

const stateAfter = { PortalLinkMade: 'unused', PortalSessionBegan: 'open', PortalSessionEnded: 'ended' } as const;

export const portalLinkDecider: Decider<PortalLink, PortalEvent> = {
  codec: portalCodec,
  initialState: () => ({ state: 'none' }),
  evolve: (_, { type, data: { linkId, orgId, role, actor, sessionMs, expiresAt } }) => ({
    state: stateAfter[type],
    linkId,
    orgId,
    role,
    actor,
    sessionMs,
    expiresAt,
  }),
};

export const portalStream = (linkId: string): string => `portal-${linkId}`;

const isOver = ({ expiresAt }: LinkFacts, now: Date): boolean => Date.parse(expiresAt) <= now.getTime();

export const isOpenPortalSession = (
  link: PortalLink,
  now: Date,
): link is Extract<PortalLink, { state: 'open' | 'ended' }> => link.state === 'open' && !isOver(link, now);

export const isUnusedPortalLink = (link: PortalLink, now: Date): link is Extract<PortalLink, { state: 'unused' }> =>
  link.state === 'unused' && !isOver(link, now);

/** Changes nothing unless the link is unused. */
export function beginPortalSession({ now }: { now: Date }, link: PortalLink): PortalEvent[] {
  if (!isUnusedPortalLink(link, now)) return [];
  const { state: _, ...facts } = link;
  const expiresAt = new Date(now.getTime() + link.sessionMs).toISOString();
  return [{ type: 'PortalSessionBegan', data: { ...facts, expiresAt } }];
}

/** Neither the link nor its session gives access afterwards. */
export function endPortalSession(link: PortalLink): PortalEvent[] {
  if (link.state === 'none' || link.state === 'ended') return [];
  const { state: _, ...facts } = link;
  return [{ type: 'PortalSessionEnded', data: facts }];
}
