import type { ListenerEvent } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { isRegistered, type Listener, listenerDecider, listenerStream } from '../listener.js';
import type { NotifyChange } from './operate-listener.js';

/** Time without a success after which the next failed attempt pauses a listener, however few attempts there were. */
export type FailingPolicy = { afterMs: number };

export const defaultFailingPolicy: FailingPolicy = { afterMs: 5 * 24 * 60 * 60 * 1000 };

/** Recorded steps, in per cent of that time; the last one pauses the listener. */
export const failingSteps = [100, 90, 75, 50] as const;

export type FailingStep = (typeof failingSteps)[number] | 0;

/** A period without success: its start (milliseconds since 1970) and the number of failed attempts in it. */
type FailingPeriod = { since: number; attempts: number };

/** Returns the last step that a failing listener has reached towards its pause; 0: none. */
export function failingStep({ since }: { since: number }, now: number, { afterMs }: FailingPolicy): FailingStep {
  return failingSteps.find((step) => ((now - since) / afterMs) * 100 >= step) ?? 0;
}

type ListenerIdentity = { orgId: string; hookUrl: string; listenerId: string };

type NoticeFailing = {
  listenerId: string;
  failing: FailingPeriod;
  policy: FailingPolicy;
};

export type FailingListener = ListenerIdentity & NoticeFailing;

/**
 * Records each step of a period without success once, and pauses the listener at the last step. Changes nothing unless this
 * listener is active.
 */
export function noticeFailingListener(
  { listenerId, failing, policy, now }: NoticeFailing & { now: Date },
  listener: Listener,
): ListenerEvent[] {
  if (listener.state !== 'active' || listener.details.listenerId !== listenerId) return [];
  const { details, since } = listener;
  const recorded = details.failing;
  // A period that continues one already recorded keeps its start; after a resume, the period starts at the resume.
  const from = Math.max(failing.since, recorded ? Date.parse(recorded.since) : failing.since);
  const recordedPercent = recorded && Date.parse(recorded.since) === from ? recorded.percent : 0;
  const percent = failingStep({ since: from }, now.getTime(), policy);
  if (percent <= recordedPercent) return [];

  const data = {
    ...details,
    failing: { since: new Date(from).toISOString(), failures: failing.attempts, percent },
    since: since.toString(),
  };
  const noticed: ListenerEvent = { type: 'ListenerFailing', data };
  return percent < 100 ? [noticed] : [noticed, { type: 'ListenerPaused', data: { ...data, reason: 'failing' } }];
}

/**
 * Records that a listener keeps failing, once for each step, and pauses it at the last step; never a later listener at the same hook URL. Resolves with
 * the recorded step, 0 if there was none.
 */
export async function recordFailingListener(
  { store, notifyChange }: { store: EventStore; notifyChange: NotifyChange },
  { orgId, hookUrl, listenerId, failing, policy }: FailingListener,
  context: { cause: Cause; now: Date },
): Promise<FailingStep> {
  const { state, events, position } = await handle(
    store,
    listenerStream(orgId, hookUrl),
    listenerDecider,
    (listener) => noticeFailingListener({ listenerId, failing, policy, now: context.now }, listener),
    context,
  );
  if (position === undefined || !isRegistered(state)) return 0;
  if (state.state === 'paused') await notifyChange({ details: state.details, paused: true, position });
  const [noticed] = events;
  return noticed?.type === 'ListenerFailing' ? (noticed.data.failing.percent as FailingStep) : 0; // decided as a step
}
