import type { LeaseRequest } from '../delivery-queue.js';
import type { HookRow } from './looks.js';

/** What a request has room for, less what has been taken for it already. */
export class LeaseRoom {
  private readonly takenOfOrganisation = new Map<string, number>();
  private readonly takenOfHook = new Map<number, number>();
  private taken = 0;

  constructor(private readonly request: LeaseRequest) {}

  get left(): number {
    return this.request.limit - this.taken;
  }

  ofOrganisation(orgId: string): number {
    const { perOrganisation = Number.POSITIVE_INFINITY, underWayOf } = this.request;
    return perOrganisation - (underWayOf?.get(orgId) ?? 0) - (this.takenOfOrganisation.get(orgId) ?? 0);
  }

  ofHook({ key, listenerId }: Pick<HookRow, 'key' | 'listenerId'>): number {
    const { perListener, underWay } = this.request;
    return perListener - (underWay.get(listenerId) ?? 0) - (this.takenOfHook.get(key) ?? 0);
  }

  take({ key, orgId }: HookRow, count: number): void {
    this.taken += count;
    this.takenOfOrganisation.set(orgId, (this.takenOfOrganisation.get(orgId) ?? 0) + count);
    this.takenOfHook.set(key, (this.takenOfHook.get(key) ?? 0) + count);
  }
}
