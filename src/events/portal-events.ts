import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** The roles that a portal link can give, within one organisation. */
export const portalRoles = ['viewer', 'operator'] as const;

/** The data of every event of a portal link, so that the last event alone is enough for the next decision. */
const link = {
  linkId: z.uuid(),
  orgId: z.string(),
  role: z.enum(portalRoles),
  /** Names the user in the history. */
  actor: z.string(),
  /** The duration of the session that the link opens, in milliseconds. */
  sessionMs: z.int().positive(),
};

/** ISO 8601: the end of the session, unless it is ended before. */
const session = { ...link, expiresAt: z.string() };

const portalEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'portal', type, version: 1, schema: z.object(shape) });

/** `expiresAt`, ISO 8601: until then the link opens a session. */
export const PortalLinkMade = portalEvent('PortalLinkMade', { ...link, expiresAt: z.string() });
const PortalSessionBegan = portalEvent('PortalSessionBegan', session);
/** Signed out, or ended by the erasure of the organisation. */
const PortalSessionEnded = portalEvent('PortalSessionEnded', session);

const portalEvents = [PortalLinkMade, PortalSessionBegan, PortalSessionEnded] as const;

export type PortalEvent = EventOf<(typeof portalEvents)[number]>;

export const portalCodec = codecFor(portalEvents);
