import { isExpired } from '../../listeners/agents/agent-subscription.js';
import type { AttemptOutcome, LeasedDelivery } from '../queue/leasing.js';
import { isOfAgent } from './agent-delivery.js';
import { isGone } from './attempt.js';
import { attemptWithSpan } from './attempt-span.js';
import { type Permit, permitRenewal } from './gates.js';
import type { GoneListeners } from './gone-listeners.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import type { WorkerSettings } from './worker-settings.js';

/** `interrupted`: attempts in flight are aborted. */
export type WorkerState = { stopping: boolean; interrupted: boolean };

/** `seenAt`: when the gate was seen open. `isHeld`: see `LeasedBatch`. Never rejects. */
export type Deliver = (delivery: LeasedDelivery, seenAt: number, isHeld: () => boolean) => Promise<void>;

type Parts = {
  state: Readonly<WorkerState>;
  hosts: SaturatedHosts;
  gone: GoneListeners;
  outage: LocalOutage;
  recorder: OutcomeRecorder;
};

const released: AttemptOutcome = { kind: 'released' };

/** Attempts a leased delivery through one of its host's connections, and records the outcome. */
export function deliverWith(settings: WorkerSettings, { state, hosts, gone, outage, recorder }: Parts): Deliver {
  const { queue, gates, log, clock, attempts, callbacks } = settings;
  const renewPermit = permitRenewal(queue, gates);
  const attemptSettings = { ...attempts, clock, outage };

  /** A gone listener's gate stays open until it is removed. */
  const mayPost = (listenerId: string): boolean => !state.interrupted && !gone.includes(listenerId);

  function permitFor(listenerId: string, seenAt: number, isHeld: () => boolean): Permit {
    let openAt = seenAt;
    const mayStart = () => mayPost(listenerId) && isHeld();
    return {
      isValid: () => mayStart() && gates.permits(listenerId, openAt),
      async renew() {
        const renewedAt = await renewPermit(listenerId);
        if (renewedAt === undefined) return false;
        openAt = renewedAt;
        return mayStart();
      },
    };
  }

  async function attempted(delivery: LeasedDelivery, permit: Permit): Promise<AttemptOutcome> {
    const { listenerId } = delivery;
    if (isExpired(delivery, new Date(clock()))) {
      gone.remove(delivery);
      return released;
    }
    const releaseConnection = await hosts.acquire(delivery);
    if (!releaseConnection) {
      hosts.skip(delivery);
      return released;
    }
    if (!mayPost(listenerId)) {
      releaseConnection();
      return released;
    }
    const outcome = await attemptWithSpan(delivery, permit, attemptSettings).finally(releaseConnection);
    // An attempt that we interrupted is no failure of the listener, unless it answered 410 before.
    if (state.interrupted && outcome.kind !== 'succeeded' && !isGone(outcome)) return released;
    if (isGone(outcome) && !isOfAgent(delivery)) gone.remove(delivery);
    callbacks.onAttempted?.(delivery, outcome);
    return outcome;
  }

  return async (delivery, seenAt, isHeld) => {
    const { id, listenerId, lease, subscription } = delivery;
    const record = (outcome: AttemptOutcome) =>
      recorder.add({ id, lease, ...outcome }, { awaited: subscription.ordered });
    if (state.stopping || gone.includes(listenerId)) return record(released);
    try {
      record(await attempted(delivery, permitFor(listenerId, seenAt, isHeld)));
    } catch (error) {
      log.error({ err: error, deliveryId: id, listenerId }, 'an attempt could not be made');
      record(released);
    }
  };
}
