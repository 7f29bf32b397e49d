import type { LeasedBatch, LeaseRequest, ListenerAtHost } from '../leasing.js';
import { HostCapacity } from './host-capacity.js';
import { afterStart, allowance, isHeldBack, type ListenerHealth } from './listener-health.js';

type Request = Pick<LeaseRequest, 'limit' | 'perListener' | 'perOrganisation' | 'inFlight' | 'listenerLimits'>;

/**
 * The limits of a lease request less the deliveries taken. The more slots a listener or organisation has, the fewer of
 * the rest it gets, so that some remain for newcomers: Choudhury and Hahne, "Dynamic Queue Length Thresholds for
 * Shared-Memory Packet Switches", 1998.
 */
export class LeaseCapacity {
  /** Slots, including those in use. */
  private readonly total: number;

  constructor(
    private readonly request: Request,
    private readonly takenOfListener = new Map<string, number>(),
    private readonly takenOfOrganisation = new Map<string, number>(),
    private taken = 0,
    private readonly hosts = request.inFlight.connections && new HostCapacity(request.inFlight.connections),
  ) {
    this.total = request.limit;
    for (const slots of request.inFlight.byOrganisation?.values() ?? []) this.total += slots;
  }

  /** Apart from the shares of listeners and organisations. */
  get left(): number {
    return this.request.limit - this.taken;
  }

  /** None if not positive. */
  ofOrganisation(orgId: string): number {
    const { perOrganisation, inFlight } = this.request;
    if (perOrganisation === undefined) return Number.POSITIVE_INFINITY;
    const has = (inFlight.byOrganisation?.get(orgId) ?? 0) + (this.takenOfOrganisation.get(orgId) ?? 0);
    return fairShare({ has, most: perOrganisation, left: this.left, total: this.total });
  }

  /** Within the capacity of its organisation and host; none if not positive. */
  ofListener(listener: ListenerAtHost): number {
    const share = this.slotsOfListener(listener);
    return this.hosts && share > 0 ? this.hosts.of(listener, share) : share;
  }

  private slotsOfListener({ listenerId, orgId }: ListenerAtHost): number {
    const { perListener, perOrganisation } = this.request;
    const has = this.countOf(listenerId);
    const asked = this.askedFor(listenerId);
    if (perOrganisation === undefined) return Math.min(perListener - has, asked);
    const left = this.ofOrganisation(orgId);
    return Math.min(fairShare({ has, most: perListener, left, total: perOrganisation }), left, asked);
  }

  shareOf(listener: ListenerAtHost): number {
    return Math.max(0, Math.min(this.left, this.ofListener(listener)));
  }

  take(listener: ListenerAtHost, count: number): void {
    const { listenerId, orgId } = listener;
    this.hosts?.take(listener, count);
    this.taken += count;
    this.takenOfListener.set(listenerId, (this.takenOfListener.get(listenerId) ?? 0) + count);
    this.takenOfOrganisation.set(orgId, (this.takenOfOrganisation.get(orgId) ?? 0) + count);
  }

  busyListeners(): readonly string[] {
    const { perListener } = this.request;
    const busy = [...this.listeners()].filter(
      (listener) => this.countOf(listener) >= perListener || this.askedFor(listener) <= 0,
    );
    return this.hosts ? [...new Set([...busy, ...this.hosts.refusedListeners()])] : busy;
  }

  saturated(): Pick<LeasedBatch, 'saturatedHosts'> {
    const saturatedHosts = this.hosts?.saturatedHosts() ?? [];
    return saturatedHosts.length > 0 ? { saturatedHosts } : {};
  }

  fullOrganisations(): readonly string[] {
    const known = new Set([
      ...(this.request.inFlight.byOrganisation?.keys() ?? []),
      ...this.takenOfOrganisation.keys(),
    ]);
    return [...known].filter((orgId) => this.ofOrganisation(orgId) <= 0);
  }

  /** Listeners that have deliveries, or are named in the request. */
  listeners(): ReadonlySet<string> {
    const { inFlight, listenerLimits } = this.request;
    return new Set([...inFlight.byListener.keys(), ...this.takenOfListener.keys(), ...(listenerLimits?.keys() ?? [])]);
  }

  copy(): LeaseCapacity {
    const taken = [new Map(this.takenOfListener), new Map(this.takenOfOrganisation), this.taken] as const;
    return new LeaseCapacity(this.request, ...taken, this.hosts?.copy());
  }

  private countOf(listenerId: string): number {
    return (this.request.inFlight.byListener.get(listenerId) ?? 0) + (this.takenOfListener.get(listenerId) ?? 0);
  }

  private askedFor(listenerId: string): number {
    const listenerLimits = this.request.listenerLimits?.get(listenerId) ?? Number.POSITIVE_INFINITY;
    return listenerLimits - (this.takenOfListener.get(listenerId) ?? 0);
  }
}

type Share = { has: number; most: number; left: number; total: number };

/** While any slot is left, one goes to a listener or organisation that has none. */
function fairShare({ has, most, left, total }: Share): number {
  const share = Math.floor((left * most - has * Math.max(0, total - most)) / total);
  return Math.min(most - has, has === 0 && left > 0 ? Math.max(1, share) : share);
}

export type AllowanceRequest = {
  /** Number of due deliveries of the listener that there is capacity for. */
  wanted: number;
  now: number;
  perSecond: number | undefined;
  /** A probe of the circuit breaker without an outcome is repeated after this time, in milliseconds. */
  probeMs: number;
};

export type LeaseAllowance = {
  attempts: number;
  /** Undefined if leasing does not change it. */
  health: ListenerHealth | undefined;
  /** Time at which health and rate allow the next delivery, in queue time; undefined: at once. */
  keptBackUntil: number | undefined;
};

/** Applies circuit breaker, backoff and rate limit. */
export function leaseAllowance(
  health: ListenerHealth,
  { wanted, now, perSecond, probeMs }: AllowanceRequest,
): LeaseAllowance {
  const { attempts, askAgainAt } = allowance(health, { wanted, now, perSecond });
  if (attempts === 0 || !isHeldBack(health, perSecond))
    return { attempts, health: undefined, keptBackUntil: askAgainAt };
  const started = afterStart(health, { attempts, now, perSecond, probeMs });
  const { askAgainAt: keptBackUntil } = allowance(started, { wanted: 1, now, perSecond });
  return { attempts, health: started, keptBackUntil };
}
