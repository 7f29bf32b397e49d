import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../queue/leasing.js';
import type { AttemptsInFlight } from './attempts-in-flight.js';
import type { GoneHooks } from './gone-hooks.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import type { WorkerSettings } from './worker-settings.js';

type Parts = {
  readonly hosts: SaturatedHosts;
  readonly gone: GoneHooks;
  readonly outage: LocalOutage;
  readonly inFlight: AttemptsInFlight;
};

/** The request for the free slots. */
export function leaseRequest(settings: WorkerSettings, parts: Parts, now: number): LeaseRequest {
  const { perListener, perOrganisation, ratePerSecond, leaseMs } = settings;
  const { hosts, gone, outage, inFlight } = parts;
  const hookLimits = hosts.hookLimits();
  for (const [listenerId, limit] of outage.isCurrent() ? [] : outage.hookLimits()) {
    hookLimits.set(listenerId, Math.min(limit, hookLimits.get(listenerId) ?? limit));
  }
  for (const listenerId of [...inFlight.hooksAtSlowLimit(), ...gone.listeners()]) hookLimits.set(listenerId, 0);
  return {
    limit: freeSlots(settings, parts),
    perListener,
    perOrganisation,
    ratePerSecond,
    leaseMs,
    now,
    inFlightByHook: inFlight.attemptsByHook,
    inFlightByOrganisation: inFlight.slotsByOrganisation,
    hookLimits,
    hosts: hosts.room(),
  };
}

/** How many more attempts may start. */
export const freeSlots = ({ concurrency }: WorkerSettings, { outage, inFlight }: Parts): number =>
  Math.min(concurrency, outage.maxInFlight()) - inFlight.slotsInUse;

/** Whether a share may be used up, so that further due deliveries could not be leased. */
export const isShareUsedUp = (
  { listenerId }: LeasedDelivery,
  { perListener, perOrganisation }: WorkerSettings,
  inFlight: AttemptsInFlight,
): boolean =>
  inFlight.slotsInUse >= Math.min(perListener, perOrganisation) || inFlight.countOf(listenerId) >= perListener;

/** Leases what is requested; in an outage one delivery, to a hook that has not failed on our side yet, or else to any. */
export async function leaseOrProbe(
  queue: Pick<DeliveryQueue, 'lease'>,
  outage: LocalOutage,
  request: LeaseRequest,
): Promise<LeasedBatch> {
  if (!outage.isCurrent()) return queue.lease(request);
  const failing = outage.failingHooks();
  const hookLimits = new Map([...(request.hookLimits ?? []), ...failing.map((hook) => [hook, 0] as const)]);
  const first = await queue.lease({ ...request, hookLimits });
  const found = first.deliveries.length === 0 && failing.length > 0 ? await queue.lease(request) : first;
  outage.probed(found.deliveries.length);
  return found;
}
