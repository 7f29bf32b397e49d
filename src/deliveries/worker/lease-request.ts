import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../queue/leasing.js';
import type { AttemptsInFlight } from './attempts-in-flight.js';
import type { GoneListeners } from './gone-listeners.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import type { WorkerLimits, WorkerSettings } from './worker-settings.js';

type Parts = {
  hosts: SaturatedHosts;
  gone: GoneListeners;
  outage: LocalOutage;
  inFlight: AttemptsInFlight;
  recorder: Pick<OutcomeRecorder, 'unrecorded'>;
};

export function leaseRequest(
  { limits, owned }: Pick<WorkerSettings, 'limits' | 'owned'>,
  parts: Parts,
  now: number,
): LeaseRequest {
  const { perListener, perOrganisation, ratePerSecond, probeMs } = limits;
  const { hosts, gone, outage, inFlight } = parts;
  const listenerLimits = hosts.listenerLimits();
  for (const [listenerId, limit] of outage.isCurrent() ? [] : outage.listenerLimits()) {
    listenerLimits.set(listenerId, Math.min(limit, listenerLimits.get(listenerId) ?? limit));
  }
  for (const listenerId of [...inFlight.listenersAtSlowLimit(), ...gone.listeners()]) listenerLimits.set(listenerId, 0);
  return {
    limit: freeSlots(limits, parts),
    perListener,
    perOrganisation,
    ratePerSecond,
    probeMs,
    now,
    listenerLimits,
    partitions: owned,
    inFlight: {
      byListener: inFlight.attemptsByListener,
      byOrganisation: inFlight.slotsByOrganisation,
      connections: hosts.connections(),
    },
  };
}

export const freeSlots = ({ concurrency }: WorkerLimits, { outage, inFlight, recorder }: Parts): number =>
  Math.min(concurrency, outage.maxInFlight()) - inFlight.slotsInUse - recorder.unrecorded();

/** Further due deliveries could then not be leased. */
export const isShareUsedUp = (
  { listenerId }: LeasedDelivery,
  { perListener, perOrganisation }: WorkerLimits,
  inFlight: AttemptsInFlight,
): boolean =>
  inFlight.slotsInUse >= Math.min(perListener, perOrganisation) || inFlight.countOf(listenerId) >= perListener;

/** Leases deliveries; in an outage one delivery as a probe, if possible of a listener that has not failed on our side. */
export async function leaseOrProbe(
  queue: Pick<DeliveryQueue, 'lease'>,
  outage: LocalOutage,
  request: LeaseRequest,
): Promise<LeasedBatch> {
  if (!outage.isCurrent()) return queue.lease(request);
  const failing = outage.failingListeners();
  const listenerLimits = new Map([
    ...(request.listenerLimits ?? []),
    ...failing.map((listener) => [listener, 0] as const),
  ]);
  const first = await queue.lease({ ...request, listenerLimits });
  const found = first.deliveries.length === 0 && failing.length > 0 ? await queue.lease(request) : first;
  outage.probed(found.deliveries.length);
  return found;
}
