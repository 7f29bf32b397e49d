import type { HookAtHost, LeaseRequest } from '../leasing.js';

type Request = Pick<
  LeaseRequest,
  'limit' | 'perListener' | 'perOrganisation' | 'inFlightByHook' | 'inFlightByOrganisation' | 'hookLimits' | 'hosts'
>;

/**
 * The room that is left in a lease request: its limits less the deliveries taken so far.
 *
 * The numbers of slots of an organisation, and of a hook among these, are limited. The more slots one has, the fewer of the
 * remaining ones it gets: it stops when its share equals what is left for the others, so that some slots always remain for
 * newcomers (the dynamic thresholds of Choudhury and Hahne, "Dynamic Queue Length Thresholds for
 * Shared-Memory Packet Switches", 1998). By what has been due longest alone, two backlogs of slow hooks would take all slots
 * that become free until they are gone.
 */
export class LeaseRoom {
  /** Slots, those that are taken included. */
  private readonly total: number;

  constructor(
    private readonly request: Request,
    private readonly takenOfHook = new Map<string, number>(),
    private readonly takenOfOrganisation = new Map<string, number>(),
    private taken = 0,
  ) {
    this.total = request.limit;
    for (const slots of request.inFlightByOrganisation?.values() ?? []) this.total += slots;
  }

  /** Apart from the shares of hooks and organisations. */
  get left(): number {
    return this.request.limit - this.taken;
  }

  /** How many more deliveries of an organisation may be taken; none if not positive. */
  ofOrganisation(orgId: string): number {
    const { perOrganisation, inFlightByOrganisation } = this.request;
    if (perOrganisation === undefined) return Number.POSITIVE_INFINITY;
    const has = (inFlightByOrganisation?.get(orgId) ?? 0) + (this.takenOfOrganisation.get(orgId) ?? 0);
    return fairShare({ has, most: perOrganisation, left: this.left, total: this.total });
  }

  /** How many more deliveries of a hook may be taken, limited by its organisation's and its host's room; none if not positive. */
  ofHook(hook: HookAtHost): number {
    const { hosts } = this.request;
    const share = this.slotsOfHook(hook);
    return hosts && share > 0 ? hosts.of(hook, share) : share;
  }

  private slotsOfHook({ listenerId, orgId }: HookAtHost): number {
    const { perListener, perOrganisation } = this.request;
    const has = this.countOf(listenerId);
    const asked = this.askedFor(listenerId);
    if (perOrganisation === undefined) return Math.min(perListener - has, asked);
    const left = this.ofOrganisation(orgId);
    return Math.min(fairShare({ has, most: perListener, left, total: perOrganisation }), left, asked);
  }

  /** How many deliveries of this hook may be taken now. */
  shareOf(hook: HookAtHost): number {
    return Math.max(0, Math.min(this.left, this.ofHook(hook)));
  }

  take(hook: HookAtHost, count: number): void {
    const { listenerId, orgId } = hook;
    this.request.hosts?.take(hook, count);
    this.taken += count;
    this.takenOfHook.set(listenerId, (this.takenOfHook.get(listenerId) ?? 0) + count);
    this.takenOfOrganisation.set(orgId, (this.takenOfOrganisation.get(orgId) ?? 0) + count);
  }

  /** Hooks that get nothing, however much is left. */
  busyListeners(): readonly string[] {
    const { perListener, hosts } = this.request;
    const busy = [...this.hooks()].filter((hook) => this.countOf(hook) >= perListener || this.askedFor(hook) <= 0);
    return hosts ? [...new Set([...busy, ...hosts.refused()])] : busy;
  }

  /** Organisations that get nothing now. */
  fullOrganisations(): readonly string[] {
    const known = new Set([...(this.request.inFlightByOrganisation?.keys() ?? []), ...this.takenOfOrganisation.keys()]);
    return [...known].filter((orgId) => this.ofOrganisation(orgId) <= 0);
  }

  /** Those that have something already, or are named in the request. */
  hooks(): ReadonlySet<string> {
    const { inFlightByHook, hookLimits } = this.request;
    return new Set([...inFlightByHook.keys(), ...this.takenOfHook.keys(), ...(hookLimits?.keys() ?? [])]);
  }

  /** The same as of now, to try out what may be taken. */
  copy(): LeaseRoom {
    const request = { ...this.request, hosts: this.request.hosts?.copy() };
    return new LeaseRoom(request, new Map(this.takenOfHook), new Map(this.takenOfOrganisation), this.taken);
  }

  /** Deliveries of a hook that are in flight or taken. */
  private countOf(listenerId: string): number {
    return (this.request.inFlightByHook.get(listenerId) ?? 0) + (this.takenOfHook.get(listenerId) ?? 0);
  }

  /** How many more deliveries of a hook the request's `hookLimits` allow. */
  private askedFor(listenerId: string): number {
    const hookLimits = this.request.hookLimits?.get(listenerId) ?? Number.POSITIVE_INFINITY;
    return hookLimits - (this.takenOfHook.get(listenerId) ?? 0);
  }
}

type Share = { readonly has: number; readonly most: number; readonly left: number; readonly total: number };

/** As long as anything is left, there is one for who has none. */
function fairShare({ has, most, left, total }: Share): number {
  const share = Math.floor((left * most - has * Math.max(0, total - most)) / total);
  return Math.min(most - has, has === 0 && left > 0 ? Math.max(1, share) : share);
}
