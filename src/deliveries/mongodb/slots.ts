import type { LeaseRequest } from '../delivery-queue.js';

type Of = { readonly _id: string; readonly orgId: string };

/** How many more may be taken: in all, of each hook and of each organisation, by what is under way and what has been taken. */
export class Slots {
  private readonly ofListeners: Map<string, number>;
  private readonly ofOrganisations: Map<string, number>;

  constructor(
    private readonly request: Omit<LeaseRequest, 'leaseMs' | 'now'>,
    private taken = 0,
  ) {
    this.ofListeners = new Map(request.underWay);
    this.ofOrganisations = new Map(request.underWayOf);
  }

  /** Apart from the limits of hooks and organisations. */
  get left(): number {
    return this.request.limit - this.taken;
  }

  /** So many of this hook may be taken now. */
  shareOf(hook: Of): number {
    return Math.max(0, Math.min(this.left, this.mostOf(hook)));
  }

  /** So many of this hook might be, if there were no limit in all. */
  mostOf({ _id, orgId }: Of): number {
    return Math.min(this.ofListener(_id), this.ofOrganisation(orgId));
  }

  take({ _id, orgId }: Of, count: number): void {
    this.taken += count;
    this.ofListeners.set(_id, (this.ofListeners.get(_id) ?? 0) + count);
    this.ofOrganisations.set(orgId, (this.ofOrganisations.get(orgId) ?? 0) + count);
  }

  /** Hooks that have as many as they may. */
  busyListeners(): readonly string[] {
    return [...this.ofListeners.keys()].filter((listenerId) => this.ofListener(listenerId) <= 0);
  }

  /** Organisations that have as many as they may. */
  fullOrganisations(): readonly string[] {
    return [...this.ofOrganisations.keys()].filter((orgId) => this.ofOrganisation(orgId) <= 0);
  }

  /** The same as of now, to try out what may be taken. */
  copy(): Slots {
    const { ofListeners: underWay, ofOrganisations: underWayOf } = this;
    return new Slots({ ...this.request, underWay, underWayOf }, this.taken);
  }

  private ofListener(listenerId: string): number {
    return this.request.perListener - (this.ofListeners.get(listenerId) ?? 0);
  }

  private ofOrganisation(orgId: string): number {
    return (this.request.perOrganisation ?? Number.POSITIVE_INFINITY) - (this.ofOrganisations.get(orgId) ?? 0);
  }
}
