import type { ListenerEvent } from '../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';

export type ResumeListener = {
  readonly listenerId: string;
  readonly now: Date;
  /** True: its held deliveries are delivered too. */
  readonly redeliverHeld?: boolean | undefined;
};

/**
 * Resumes a paused listener; changes nothing if it is not paused. Earlier failures no longer count towards an automatic
 * pause. Throws `ListenerNotFound` unless this listener is current.
 */
export function resumeListener(
  { listenerId, now, redeliverHeld }: ResumeListener,
  listener: Listener,
): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  if (state === 'active') return [];
  const failing = { since: now.toISOString(), failures: 0, percent: 0 };
  return [
    {
      type: 'ListenerResumed',
      data: { ...details, failing, since: since.toString(), ...(redeliverHeld && { redeliverHeld }) },
    },
  ];
}
