import type { ListenerEvent } from '../../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';

export type ResumeListener = {
  readonly listenerId: string;
  readonly now: Date;
  /** What is held of it is delivered too. */
  readonly redeliverHeld?: boolean | undefined;
};

/**
 * Delivers to a paused hook again; changes nothing where it is not paused. What failed before does not count against it any
 * more. Throws `ListenerNotFound` unless this very registration holds.
 */
export function resumeListener(
  { listenerId, now, redeliverHeld }: ResumeListener,
  listener: Listener,
): ListenerEvent[] {
  const { state, registration, since } = requireRegistered(listener, listenerId);
  if (state === 'active') return [];
  const failing = { since: now.toISOString(), failures: 0, percent: 0 };
  const told = redeliverHeld ? { redeliverHeld } : {};
  return [{ type: 'ListenerResumed', data: { ...registration, failing, since: since.toString(), ...told } }];
}
