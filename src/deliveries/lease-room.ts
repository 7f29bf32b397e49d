import type { LeaseRequest } from './delivery-queue.js';

type Request = Pick<LeaseRequest, 'limit' | 'perListener' | 'perOrganisation' | 'underWay' | 'underWayOf' | 'atMost'>;
type Hook = { readonly listenerId: string; readonly orgId: string };

/**
 * What a lease request has room for, less what has been taken for it already.
 *
 * An organisation may have so many slots, and a hook so many of those. Whoever has some gets the fewer of what is left the
 * more it has: it stops where it has as much for its share as there is left for the others, so that there always is
 * something left for whoever comes next (the dynamic thresholds of Choudhury and Hahne, "Dynamic Queue Length Thresholds for
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
    for (const slots of request.underWayOf?.values() ?? []) this.total += slots;
  }

  /** Apart from the shares of hooks and organisations. */
  get left(): number {
    return this.request.limit - this.taken;
  }

  /** So many more of an organisation; none where that is not positive. */
  ofOrganisation(orgId: string): number {
    const { perOrganisation, underWayOf } = this.request;
    if (perOrganisation === undefined) return Number.POSITIVE_INFINITY;
    const has = (underWayOf?.get(orgId) ?? 0) + (this.takenOfOrganisation.get(orgId) ?? 0);
    return shareOf({ has, most: perOrganisation, left: this.left, total: this.total });
  }

  /** So many more of a hook; none where that is not positive. */
  ofHook({ listenerId, orgId }: Hook): number {
    const { perListener, perOrganisation, underWay, atMost } = this.request;
    const taken = this.takenOfHook.get(listenerId) ?? 0;
    const has = (underWay.get(listenerId) ?? 0) + taken;
    const share =
      perOrganisation === undefined
        ? perListener - has
        : shareOf({ has, most: perListener, left: this.ofOrganisation(orgId), total: perOrganisation });
    return Math.min(share, (atMost?.get(listenerId) ?? Number.POSITIVE_INFINITY) - taken);
  }

  /** So many of this hook may be taken now. */
  shareOf(hook: Hook): number {
    return Math.max(0, Math.min(this.left, this.mostOf(hook)));
  }

  /** So many of this hook might be, if there were no limit in all. */
  mostOf(hook: Hook): number {
    return Math.min(this.ofHook(hook), this.ofOrganisation(hook.orgId));
  }

  take({ listenerId, orgId }: Hook, count: number): void {
    this.taken += count;
    this.takenOfHook.set(listenerId, (this.takenOfHook.get(listenerId) ?? 0) + count);
    this.takenOfOrganisation.set(orgId, (this.takenOfOrganisation.get(orgId) ?? 0) + count);
  }

  /** Hooks that get nothing, however much is left. */
  busyListeners(): readonly string[] {
    const { perListener, underWay, atMost } = this.request;
    const isBusy = (listenerId: string): boolean => {
      const taken = this.takenOfHook.get(listenerId) ?? 0;
      const has = (underWay.get(listenerId) ?? 0) + taken;
      return has >= perListener || taken >= (atMost?.get(listenerId) ?? Number.POSITIVE_INFINITY);
    };
    return [...this.hooks()].filter(isBusy);
  }

  /** Organisations that get nothing now. */
  fullOrganisations(): readonly string[] {
    const known = new Set([...(this.request.underWayOf?.keys() ?? []), ...this.takenOfOrganisation.keys()]);
    return [...known].filter((orgId) => this.ofOrganisation(orgId) <= 0);
  }

  /** Those that have something already, or are named in the request. */
  hooks(): ReadonlySet<string> {
    const { underWay, atMost } = this.request;
    return new Set([...underWay.keys(), ...this.takenOfHook.keys(), ...(atMost?.keys() ?? [])]);
  }

  /** The same as of now, to try out what may be taken. */
  copy(): LeaseRoom {
    return new LeaseRoom(this.request, new Map(this.takenOfHook), new Map(this.takenOfOrganisation), this.taken);
  }
}

type Share = { readonly has: number; readonly most: number; readonly left: number; readonly total: number };

/** As long as anything is left, there is one for who has none. */
function shareOf({ has, most, left, total }: Share): number {
  const share = Math.floor((left * most - has * Math.max(0, total - most)) / total);
  return Math.min(most - has, has === 0 && left > 0 ? Math.max(1, share) : share);
}
