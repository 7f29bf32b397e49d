import type { ListenerEvent } from '../../events/listener-events.js';
import type { Listener } from '../listener.js';
import { type FailingPeriod, type FailingPolicy, failingStep } from './failing-policy.js';

export type NoticeFailingListener = {
  readonly listenerId: string;
  readonly failing: FailingPeriod;
  readonly policy: FailingPolicy;
  readonly now: Date;
};

/**
 * Records each step of a period without success once, and pauses the listener at the last step. Changes nothing unless this
 * listener is active.
 */
export function noticeFailingListener(
  { listenerId, failing, policy, now }: NoticeFailingListener,
  listener: Listener,
): ListenerEvent[] {
  if (listener.state !== 'active' || listener.details.listenerId !== listenerId) return [];
  const { details, since } = listener;
  const recorded = details.failing;
  // A period that continues one already recorded keeps its start; after a resume, the period starts at the resume.
  const from = Math.max(failing.since, recorded ? Date.parse(recorded.since) : failing.since);
  const recordedPercent = recorded && Date.parse(recorded.since) === from ? recorded.percent : 0;
  const percent = failingStep({ ...failing, since: from }, now.getTime(), policy);
  if (percent <= recordedPercent) return [];

  const data = {
    ...details,
    failing: { since: new Date(from).toISOString(), failures: failing.attempts, percent },
    since: since.toString(),
  };
  const noticed: ListenerEvent = { type: 'ListenerFailing', data };
  return percent < 100 ? [noticed] : [noticed, { type: 'ListenerPaused', data: { ...data, reason: 'failing' } }];
}
