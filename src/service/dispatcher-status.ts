import type { DeliveriesStatus } from '../deliveries/deliveries.js';
import { everyInterval } from '../kernel/shared-interval.js';
import { errorOf, type Failure, failureOf } from '../kernel/threads/failure.js';
import type { SubscriptionsStatus } from './stores/stores.js';

/** Status in the form in which the thread sends it. */
export type DispatcherStatus = {
  fanOut: Omit<DeliveriesStatus['fanOut'], 'error'> & { error: Failure | undefined };
  worker: Omit<DeliveriesStatus['worker'], 'error'> & { error: Failure | undefined };
  failingSubscriptions: SubscriptionsStatus['failing'];
};

/** Status before the thread has sent one. */
export const initialStatus: DispatcherStatus = {
  fanOut: { position: undefined, partitions: 0, organisationsWaiting: 0, error: undefined },
  worker: { underWay: 0, error: undefined, outage: undefined },
  failingSubscriptions: [],
};

/** Status with errors in place of their transferable form. */
export const deliveriesStatusOf = ({ fanOut, worker }: DispatcherStatus): DeliveriesStatus => ({
  fanOut: { ...fanOut, error: fanOut.error && errorOf(fanOut.error) },
  worker: { ...worker, error: worker.error && errorOf(worker.error) },
});

type StatusSources = {
  deliveries: () => DeliveriesStatus;
  subscriptions: () => SubscriptionsStatus;
};

/** Interval of other checks of this thread too, so that it costs no wake-up. */
const intervalMs = 1_000;

/** Sends the status now, and again within a second after each change. */
export function sendStatusChanges(
  sources: StatusSources,
  send: (status: DispatcherStatus) => void,
): { stop: () => void } {
  let last = '';
  function sendChange(): void {
    const status = currentStatus(sources);
    const text = JSON.stringify(status, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
    if (text !== last) send(status);
    last = text;
  }
  sendChange();
  return { stop: everyInterval(intervalMs, sendChange) };
}

function currentStatus({ deliveries, subscriptions }: StatusSources): DispatcherStatus {
  const { fanOut, worker } = deliveries();
  return {
    fanOut: { ...fanOut, error: fanOut.error === undefined ? undefined : failureOf(fanOut.error) },
    worker: { ...worker, error: worker.error === undefined ? undefined : failureOf(worker.error) },
    failingSubscriptions: subscriptions().failing,
  };
}
