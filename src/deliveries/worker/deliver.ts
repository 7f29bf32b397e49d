import type { LeasedDelivery, Outcome } from '../queue/leasing.js';
import { attemptWithSpan } from './attempt-span.js';
import type { DeliveryLease } from './attempts-in-flight.js';
import { type Permits, permitRenewal } from './gates.js';
import type { GoneListeners } from './gone-listeners.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import type { WorkerSettings } from './worker-settings.js';

/** `interrupted`: attempts in flight are aborted. */
export type WorkerState = { stopping: boolean; interrupted: boolean };

/** `seenAt`: when the gate was seen open. Never rejects. */
export type Deliver = (delivery: LeasedDelivery, seenAt: number, lease: DeliveryLease) => Promise<void>;

export function deliverWith(
  settings: WorkerSettings,
  {
    state,
    hosts,
    gone,
    outage,
    recorder,
  }: {
    readonly state: Readonly<WorkerState>;
    readonly hosts: SaturatedHosts;
    readonly gone: GoneListeners;
    readonly outage: LocalOutage;
    readonly recorder: OutcomeRecorder;
  },
): Deliver {
  const { queue, gates, log, clock, attempts, callbacks } = settings;
  const renewPermit = permitRenewal(queue, gates);
  /** A gone listener's gate stays open until it is removed. */
  const mayPost = (listenerId: string): boolean => !state.interrupted && !gone.includes(listenerId);
  const attemptSettings = { ...attempts, clock, outage };
  const permitsUnder = (lease: DeliveryLease): Permits => {
    const mayStart = (listenerId: string) => mayPost(listenerId) && isHeld(lease);
    return {
      permits: (listenerId, at) => mayStart(listenerId) && gates.permits(listenerId, at),
      async renew(listenerId) {
        const permit = await renewPermit(listenerId);
        return mayStart(listenerId) ? permit : undefined;
      },
    };
  };

  return async (delivery, seenAt, lease) => {
    const { id, listenerId, subscription } = delivery;
    const record = (outcome: Outcome) =>
      recorder.add({ ...outcome, lease: lease.token }, lease.expiresAt, { awaited: subscription.ordered });
    const release = () => record({ id, lease: lease.token, kind: 'released' });
    if (state.stopping || gone.includes(listenerId)) return release();
    try {
      const giveBack = await hosts.acquire(delivery);
      if (!giveBack) {
        hosts.skip(delivery);
        return release();
      }
      if (!mayPost(listenerId)) {
        giveBack();
        return release();
      }
      const { outcome, gone: isGone } = await attemptWithSpan(delivery, seenAt, {
        ...attemptSettings,
        permits: permitsUnder(lease),
      }).finally(giveBack);
      // An attempt that we interrupted is no failure of the listener, unless it answered 410 before.
      if (state.interrupted && outcome.kind !== 'succeeded' && !isGone) return release();
      if (isGone) gone.remove(delivery);
      callbacks.onAttempted?.(delivery, outcome);
      record(outcome);
    } catch (error) {
      log.error({ err: error, deliveryId: id, listenerId }, 'an attempt could not be made');
      release();
    }
  };
}

const isHeld = ({ expiresAt, isHeld = () => true }: DeliveryLease): boolean =>
  performance.now() < expiresAt && isHeld();
