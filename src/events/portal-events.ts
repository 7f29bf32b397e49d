import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

export const portalRoles = ['viewer', 'operator'] as const;

/** Name of the user of a portal session in the history; `name`: the user's ID, else the organisation's. */
export const portalActor = (name: string): string => `portal:${name}`;

/** `customer` in place of `operator`, where a session of the portal is the actor. */
export const reasonOf = <Reason extends string>(reason: Reason, actor: string | null): Reason | 'customer' =>
  reason === 'operator' && actor?.startsWith(portalActor('')) ? 'customer' : reason;

const link = {
  linkId: z.uuid(),
  orgId: z.string(),
  role: z.enum(portalRoles),
  actor: z.string(),
  sessionMs: z.int().positive(),
};

/** ISO 8601; unless ended before. */
const session = { ...link, expiresAt: z.string() };

const portalEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'portal', type, version: 1, schema: z.object(shape) });

/** `expiresAt`: last time at which the link opens a session; ISO 8601. */
export const PortalLinkMade = portalEvent('PortalLinkMade', { ...link, expiresAt: z.string() });
const PortalSessionBegan = portalEvent('PortalSessionBegan', session);
const PortalSessionEnded = portalEvent('PortalSessionEnded', session);

const portalEvents = [PortalLinkMade, PortalSessionBegan, PortalSessionEnded] as const;

export type PortalEvent = EventOf<(typeof portalEvents)[number]>;

export const portalCodec = codecFor(portalEvents);
