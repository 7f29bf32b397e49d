import type { ListenerEvent } from '../../../events/listener-events.js';
import type { Listener } from '../listener.js';
import { type Failing, type FailingPolicy, failingStep } from './failing-policy.js';

export type NoticeFailingListener = {
  readonly listenerId: string;
  readonly failing: Failing;
  readonly policy: FailingPolicy;
  readonly now: Date;
};

/**
 * Says once for each step of a stretch without success how far a hook is on its way to be paused, and pauses it at the last
 * one. Changes nothing where this very registration is not active.
 */
export function noticeFailingListener(
  { listenerId, failing, policy, now }: NoticeFailingListener,
  listener: Listener,
): ListenerEvent[] {
  if (listener.state !== 'active' || listener.registration.listenerId !== listenerId) return [];
  const { registration, since } = listener;
  const said = registration.failing;
  // A stretch that began before what was said of it goes on; where the hook was resumed meanwhile, it counts from there.
  const from = Math.max(failing.since, said ? Date.parse(said.since) : failing.since);
  const saidOfThis = said && Date.parse(said.since) === from ? said.percent : 0;
  const percent = failingStep({ ...failing, since: from }, now.getTime(), policy);
  if (percent <= saidOfThis) return [];

  const data = {
    ...registration,
    failing: { since: new Date(from).toISOString(), failures: failing.attempts, percent },
    since: since.toString(),
  };
  const noticed: ListenerEvent = { type: 'ListenerFailing', data };
  return percent < 100 ? [noticed] : [noticed, { type: 'ListenerPaused', data: { ...data, reason: 'failing' } }];
}
