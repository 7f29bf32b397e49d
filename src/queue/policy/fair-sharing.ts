import type { HostConnections, LeasedBatch, LeaseRequest, ListenerAtHost } from '../leasing.js';
import { addressOf } from '../listener-address.js';

// Dynamic thresholds: the more slots or connections one has, the fewer of the rest it gets, so that some remain for those that have
// none. Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998; decision 12.

type Share = { has: number; most: number; left: number; total: number };

/** Slots that an organisation may take of an instance, or a listener of its organisation. While any is left, one goes to those that have none. */
function slotsFor({ has, most, left, total }: Share): number {
  const share = Math.floor((left * most - has * Math.max(0, total - most)) / total);
  return Math.min(most - has, has === 0 && left > 0 ? Math.max(1, share) : share);
}

/** An organisation stops at four times the connections that it leaves at a host, a listener at four times those that it leaves to its organisation. */
const maxRatioToLeft = 4;

const connectionsFor = (has: number, free: number): number =>
  Math.floor((maxRatioToLeft * free - has + 1) / (maxRatioToLeft + 1));

/** Number of connections in a row that a listener may take: each takes one of those left and adds one to those of the listener. */
const connectionsOfListener = ({ has, ofOrganisation, free }: Record<'has' | 'ofOrganisation' | 'free', number>) =>
  Math.max(ofOrganisation === 0 ? 1 : 0, Math.ceil((connectionsFor(ofOrganisation, free) - has) / 2));

/** Enough for one organisation to use its whole share of the slots at one host. */
export const defaultPerHost = (concurrency: number): number => Math.ceil((5 * concurrency) / 8);

/** Organisation IDs are not empty. */
const organisationAt = (host: string, orgId = ''): string => `${host}/${orgId}`;

/** Time after which an attempt is slow. */
export const slowAfterMs = 1_000;
export const checkSlowMs = 250;

type Attempt = ListenerAtHost & { host: string; beganAt: number; isSlow: boolean };

/**
 * Each attempt uses a slot of the instance and of its organisation, and a connection of its host. A slow attempt releases its slot, so
 * that listeners that hang leave slots to others. Times are monotonic milliseconds.
 */
export class AttemptsInFlight {
  readonly slotsByOrganisation = new Map<string, number>();
  readonly byListener = new Map<string, number>();
  readonly connections: HostConnections;
  private readonly byHost = new Map<string, number>();
  private readonly byOrganisationAtHost = new Map<string, number>();
  private readonly attempts = new Set<Attempt>(); // in the order in which they began
  private slow = 0;
  private readonly awaitingIdle: (() => void)[] = [];

  constructor(private readonly limits: { maxSlow: number; perHost: number }) {
    const { byHost, byListener, byOrganisationAtHost: byOrganisation } = this;
    this.connections = { perHost: limits.perHost, byHost, byOrganisation, byListener };
  }

  get size(): number {
    return this.attempts.size;
  }

  get slotsInUse(): number {
    return this.attempts.size - this.slow;
  }

  /** Listeners with slow attempts, once slow attempts are at their maximum: further ones would be slow too. */
  listenersAtSlowLimit(): readonly string[] {
    if (this.slow < this.limits.maxSlow) return [];
    return [...this.attempts].flatMap(({ listenerId, isSlow }) => (isSlow ? [listenerId] : []));
  }

  /**
   * Returns the function that ends the attempt, once. A delivery may have two: one that began under an earlier lease of its partition, and
   * one under the next.
   */
  begin({ listenerId, orgId, hookUrl }: ListenerAtHost, now: number): () => void {
    const { host } = addressOf(hookUrl);
    const attempt = { listenerId, orgId, hookUrl, host, beganAt: now, isSlow: false };
    this.attempts.add(attempt);
    addTo(this.slotsByOrganisation, orgId, 1);
    this.count(attempt, 1);
    return () => this.end(attempt);
  }

  /** Returns the number of released slots. */
  releaseSlowSlots(moment: number): number {
    const before = this.slow;
    for (const attempt of this.attempts) {
      if (attempt.beganAt >= moment || this.slow >= this.limits.maxSlow) break;
      if (attempt.isSlow) continue;
      attempt.isSlow = true;
      this.slow += 1;
      addTo(this.slotsByOrganisation, attempt.orgId, -1);
    }
    return this.slow - before;
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.size === 0) resolve();
      else this.awaitingIdle.push(resolve);
    });
  }

  private end(attempt: Attempt): void {
    if (!this.attempts.delete(attempt)) return;
    this.count(attempt, -1);
    if (attempt.isSlow) this.slow -= 1;
    else addTo(this.slotsByOrganisation, attempt.orgId, -1);
    if (this.size === 0) for (const resolve of this.awaitingIdle.splice(0)) resolve();
  }

  private count({ listenerId, orgId, host }: Pick<Attempt, 'listenerId' | 'orgId' | 'host'>, change: 1 | -1): void {
    addTo(this.byListener, listenerId, change);
    addTo(this.byHost, host, change);
    addTo(this.byOrganisationAtHost, organisationAt(host, orgId), change);
  }
}

function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

type Request = Pick<LeaseRequest, 'limit' | 'perListener' | 'perOrganisation' | 'inFlight' | 'listenerLimits'>;

/** The limits of a lease request less the deliveries taken, each of which uses a slot, and a connection of its host. */
export class LeaseCapacity {
  /** Slots, including those in use. */
  private readonly total: number;

  constructor(
    private readonly request: Request,
    private readonly taken = {
      all: 0,
      byListener: new Map<string, number>(),
      byOrganisation: new Map<string, number>(),
    },
    private readonly takenAtHosts = new Map<string, number>(), // by `organisationAt`, with all of a host under no organisation
    private readonly refused = { listeners: new Set<string>(), hosts: new Set<string>() }, // also by copies: capacity never grows
  ) {
    this.total = request.limit;
    for (const slots of request.inFlight.byOrganisation?.values() ?? []) this.total += slots;
  }

  /** Apart from the shares of listeners and organisations. */
  get left(): number {
    return this.request.limit - this.taken.all;
  }

  /** None if not positive. */
  ofOrganisation(orgId: string): number {
    const { perOrganisation, inFlight } = this.request;
    if (perOrganisation === undefined) return Number.POSITIVE_INFINITY;
    const has = (inFlight.byOrganisation?.get(orgId) ?? 0) + (this.taken.byOrganisation.get(orgId) ?? 0);
    return slotsFor({ has, most: perOrganisation, left: this.left, total: this.total });
  }

  /** Within the capacity of its organisation and host; none if not positive. */
  ofListener(listener: ListenerAtHost): number {
    const slots = this.slotsOfListener(listener);
    return slots > 0 ? Math.min(slots, this.atHost(listener, slots)) : slots;
  }

  private slotsOfListener({ listenerId, orgId }: ListenerAtHost): number {
    const { perListener, perOrganisation } = this.request;
    const has = this.countOf(listenerId);
    const asked = this.askedFor(listenerId);
    if (perOrganisation === undefined) return Math.min(perListener - has, asked);
    const left = this.ofOrganisation(orgId);
    return Math.min(slotsFor({ has, most: perListener, left, total: perOrganisation }), left, asked);
  }

  /** Connections for `slots` attempts of a listener; a listener or host without enough is remembered. */
  private atHost({ listenerId, orgId, hookUrl }: ListenerAtHost, slots: number): number {
    const { connections } = this.request.inFlight;
    if (!connections) return slots;
    const { host } = addressOf(hookUrl);
    const takenBy = (key: string) => this.takenAtHosts.get(key) ?? 0;
    const [all, ofOrganisation] = [organisationAt(host), organisationAt(host, orgId)];
    const free = connections.perHost - (connections.byHost.get(host) ?? 0) - takenBy(all);
    const more = connectionsOfListener({
      has: (connections.byListener.get(listenerId) ?? 0) + (this.taken.byListener.get(listenerId) ?? 0),
      ofOrganisation: (connections.byOrganisation.get(ofOrganisation) ?? 0) + takenBy(ofOrganisation),
      free,
    });
    const capacity = Math.max(0, Math.min(free, more));
    if (capacity < slots) this.refused.hosts.add(host);
    if (capacity === 0) this.refused.listeners.add(listenerId);
    return capacity;
  }

  shareOf(listener: ListenerAtHost): number {
    return Math.max(0, Math.min(this.left, this.ofListener(listener)));
  }

  take({ listenerId, orgId, hookUrl }: ListenerAtHost, count: number): void {
    if (count === 0) return;
    const { host } = addressOf(hookUrl);
    this.taken.all += count;
    addTo(this.taken.byListener, listenerId, count);
    addTo(this.taken.byOrganisation, orgId, count);
    for (const key of [organisationAt(host), organisationAt(host, orgId)]) addTo(this.takenAtHosts, key, count);
  }

  busyListeners(): readonly string[] {
    const { inFlight, listenerLimits, perListener } = this.request;
    const known = [...inFlight.byListener.keys(), ...this.taken.byListener.keys(), ...(listenerLimits?.keys() ?? [])];
    const busy = known.filter((listener) => this.countOf(listener) >= perListener || this.askedFor(listener) <= 0);
    return [...new Set([...busy, ...this.refused.listeners])];
  }

  /** Hosts that had no connection for all due deliveries of a listener. */
  saturated(): Pick<LeasedBatch, 'saturatedHosts'> {
    const { hosts } = this.refused;
    return hosts.size > 0 ? { saturatedHosts: [...hosts] } : {};
  }

  fullOrganisations(): readonly string[] {
    const known = new Set([
      ...(this.request.inFlight.byOrganisation?.keys() ?? []),
      ...this.taken.byOrganisation.keys(),
    ]);
    return [...known].filter((orgId) => this.ofOrganisation(orgId) <= 0);
  }

  /** Listeners that have deliveries, are named in the request, or had no connection. */
  listeners(): ReadonlySet<string> {
    const { inFlight, listenerLimits } = this.request;
    return new Set([
      ...inFlight.byListener.keys(),
      ...this.taken.byListener.keys(),
      ...(listenerLimits?.keys() ?? []),
      ...this.refused.listeners,
    ]);
  }

  copy(): LeaseCapacity {
    const { all, byListener, byOrganisation } = this.taken;
    const taken = { all, byListener: new Map(byListener), byOrganisation: new Map(byOrganisation) };
    return new LeaseCapacity(this.request, taken, new Map(this.takenAtHosts), this.refused);
  }

  private countOf(listenerId: string): number {
    return (this.request.inFlight.byListener.get(listenerId) ?? 0) + (this.taken.byListener.get(listenerId) ?? 0);
  }

  private askedFor(listenerId: string): number {
    const limit = this.request.listenerLimits?.get(listenerId) ?? Number.POSITIVE_INFINITY;
    return limit - (this.taken.byListener.get(listenerId) ?? 0);
  }
}
