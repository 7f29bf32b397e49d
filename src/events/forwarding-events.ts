import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** Whole state. `from`: position after which it forwards, -1 in an empty store. `until`: it has ended by itself then, unless it is extended before; ISO 8601. */
const facts = {
  forwardingId: z.uuid(),
  orgId: z.string(),
  subscriptionType: z.string(),
  from: z.string().regex(/^(-1|\d+)$/),
  until: z.iso.datetime(),
};

const forwardingEvent = <const Type extends string>(type: Type) =>
  defineEvent({ category: 'forwarding', type, version: 1, schema: z.object(facts) });

export const ForwardingBegan = forwardingEvent('ForwardingBegan');
const ForwardingExtended = forwardingEvent('ForwardingExtended');
/** Recorded by the command itself; `until` is the time. */
const ForwardingEnded = forwardingEvent('ForwardingEnded');

const forwardingEvents = [ForwardingBegan, ForwardingExtended, ForwardingEnded] as const;

export type ForwardingEvent = EventOf<(typeof forwardingEvents)[number]>;

export const forwardingCodec = codecFor(forwardingEvents);
