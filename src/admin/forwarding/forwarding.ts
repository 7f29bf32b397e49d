import { type ForwardingEvent, type ForwardingFacts, forwardingCodec } from '../../events/forwarding-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Decider } from '../../stores/event-store/handle.js';

/** A command line that gets the flow events of an organisation, as a listener would: a listener without a hook URL, for a while. */
export type Forwarding = { state: 'none' } | ({ state: 'open' | 'ended' } & ForwardingFacts);

/** The forwarding was ended, has ended by itself, or never began. */
export class ForwardingOver extends DomainError {
  readonly code = 'forwarding_over';

  constructor() {
    super('the forwarding has ended: begin another one');
  }
}

export const forwardingDecider: Decider<Forwarding, ForwardingEvent> = {
  codec: forwardingCodec,
  initialState: () => ({ state: 'none' }),
  evolve: (_, { type, data }) => ({ state: type === 'ForwardingEnded' ? 'ended' : 'open', ...data }),
};

export const forwardingStream = (forwardingId: string): string => `forwarding-${forwardingId}`;

/** Time for which a forwarding outlives its command: killed, or without a network. A command extends it after half of this. */
const leaseMs = 10 * 60_000;

type Now = { now: Date };

const after = ({ now }: Now): string => new Date(now.getTime() + leaseMs).toISOString();

export const beginForwarding = (
  { now, ...facts }: Omit<ForwardingFacts, 'until'> & Now,
  forwarding: Forwarding,
): ForwardingEvent[] =>
  forwarding.state === 'none' ? [{ type: 'ForwardingBegan', data: { ...facts, until: after({ now }) } }] : [];

/** Changes nothing in the first half of its time, so that the history stays short. Throws `ForwardingOver`. */
export function extendForwarding({ now }: Now, forwarding: Forwarding): ForwardingEvent[] {
  if (!isOpen({ now }, forwarding)) throw new ForwardingOver();
  const { state: _, ...facts } = forwarding;
  if (Date.parse(facts.until) - now.getTime() > leaseMs / 2) return [];
  return [{ type: 'ForwardingExtended', data: { ...facts, until: after({ now }) } }];
}

export function endForwarding({ now }: Now, forwarding: Forwarding): ForwardingEvent[] {
  if (!isOpen({ now }, forwarding)) return [];
  const { state: _, ...facts } = forwarding;
  return [{ type: 'ForwardingEnded', data: { ...facts, until: now.toISOString() } }];
}

const isOpen = ({ now }: Now, forwarding: Forwarding): forwarding is Exclude<Forwarding, { state: 'none' }> =>
  forwarding.state === 'open' && Date.parse(forwarding.until) > now.getTime();
