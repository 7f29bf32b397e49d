import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import {
  asReadOf,
  type LeasedBatch,
  type LeasedDelivery,
  type LeaseRequest,
  type ListenerAtHost,
} from '../../leasing.js';
import { LeaseCapacity } from '../../policy/fair-sharing.js';
import { leaseAllowance } from '../../policy/lease-allowance.js';
import type { Shared } from '../shared.js';
import { type DueListeners, type FindDue, openDueListeners, openFindDue } from './find-due.js';
import { type ListenerRow, leasedDelivery, openWaitingDeliveries, type WaitingDelivery } from './leased-delivery.js';

type Lease = (
  request: LeaseRequest,
  pendingSince: number | undefined,
  onRollback: OnRollback,
) => LeasedBatch | undefined;

/** Leases due deliveries; writes only the schedule of listeners that are kept back. See `StoredQueue.lease`. */
export function openLease(shared: Shared, firstDue: () => number): Lease {
  const { database, changes, leases } = shared;
  const parts: Parts = {
    ...shared,
    dueListeners: openDueListeners(database),
    findDue: openFindDue(database, leases),
    busyListeners: new Map(),
  };
  const waitingDeliveries = openWaitingDeliveries(database);

  return (request, pendingSince, onRollback) => {
    const first = firstDue();
    const isDueLater = pendingSince !== undefined && first <= request.now && pendingSince < first;
    if (isDueLater || (pendingSince !== undefined && changes.hasForeignWrites())) return undefined;
    const pass = new LeasePass(parts, {
      request,
      onRollback,
      read: waitingDeliveries(),
      capacity: new LeaseCapacity(request),
    });
    return pass.run(first);
  };
}

const maxBusyListeners = 10_000;

type Parts = Pick<Shared, 'fullyLeased' | 'healths' | 'leases' | 'schedule'> & {
  dueListeners: DueListeners;
  findDue: FindDue;
  /** Listeners that had used up their share, recognised by key without reading their rows. */
  busyListeners: Map<number, ListenerAtHost>;
};

type Pass = {
  request: LeaseRequest;
  onRollback: OnRollback;
  read: (key: number) => WaitingDelivery;
  capacity: LeaseCapacity;
};

class LeasePass {
  private readonly deliveries: LeasedDelivery[] = [];
  private nextDueAt: number | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly pass: Pass,
  ) {}

  /** `first`: due time of the first delivery. */
  run(first: number): LeasedBatch {
    const { request, capacity } = this.pass;
    if (first <= request.now) this.leaseWritten();
    else if (first < Number.POSITIVE_INFINITY) this.nextDueAt = first;
    return { deliveries: this.deliveries, nextDueAt: this.nextDueAt, ...capacity.saturated() };
  }

  private leaseWritten(): void {
    const { request, capacity } = this.pass;
    const { now } = request;
    // Only listeners with deliveries under way are passed over, so the workers' slots limit their number.
    const pageSize =
      request.limit +
      this.parts.leases.listeners +
      request.inFlight.byListener.size +
      (request.listenerLimits?.size ?? 0) +
      1;
    for (const { listener, nextDue } of this.parts.dueListeners({
      pageSize,
      now,
      isPassedOver: (key) => this.isPassedOver(key),
      isFull: (orgId) => capacity.left > 0 && capacity.ofOrganisation(orgId) <= 0,
    })) {
      if (nextDue > now) {
        this.nextDueAt = earlier(this.nextDueAt, nextDue);
        continue;
      }
      if (capacity.left === 0) {
        this.nextDueAt = now;
        break;
      }
      this.leaseFromListener(listener);
    }
  }

  private leaseFromListener(listener: ListenerRow): void {
    const { request, capacity } = this.pass;
    const share = capacity.ofListener(listener);
    if (share <= 0) {
      this.rememberBusy(listener);
      return;
    }
    const { due, nextDueAt } = this.parts.findDue(listener, Math.min(capacity.left, share), request.now);
    const nextOfListener =
      due.length > 0 ? this.takeAllowed(listener, due, nextDueAt) : this.noteFree(listener, nextDueAt);
    // Deliveries beyond the listener's share wait for its attempts to end, not for a time.
    if (due.length < share || nextOfListener !== request.now) this.nextDueAt = earlier(this.nextDueAt, nextOfListener);
  }

  private isPassedOver(key: number): boolean {
    const { request, capacity } = this.pass;
    const untilFree = this.parts.fullyLeased.untilFree(key, request.now);
    if (untilFree !== undefined) {
      this.nextDueAt = earlier(this.nextDueAt, untilFree);
      return true;
    }
    const listener = this.parts.busyListeners.get(key);
    return listener !== undefined && capacity.left > 0 && capacity.ofListener(listener) <= 0;
  }

  private rememberBusy({ key, listenerId, orgId, hookUrl }: ListenerRow): void {
    const { busyListeners } = this.parts;
    if (busyListeners.size >= maxBusyListeners) busyListeners.clear();
    busyListeners.set(key, { listenerId, orgId, hookUrl });
  }

  /** Leases as many as the listener's health and rate allow. Returns when the next one may be leased. */
  private takeAllowed(
    listener: ListenerRow,
    due: readonly number[],
    nextOfListener: number | undefined,
  ): number | undefined {
    const { onRollback, request, capacity } = this.pass;
    const { healths, schedule } = this.parts;
    const { now, probeMs } = request;
    const { attempts, health, keptBackUntil } = leaseAllowance(healths.of(listener.key, listener.health), {
      requested: due.length,
      now,
      perSecond: listener.subscription.ratePerSecond ?? request.ratePerSecond,
      probeMs,
    });
    for (const key of due.slice(0, attempts)) this.take(listener, key);
    capacity.take(listener, attempts);
    if (health) healths.remember(listener.key, health, onRollback);
    const nextDueAt = attempts < due.length ? now : nextOfListener;
    const isMoreDue = nextDueAt !== undefined && nextDueAt <= now;
    if (!isMoreDue || keptBackUntil === undefined) return this.noteFree(listener, nextDueAt);
    schedule.keepBack(listener.key, keptBackUntil);
    return keptBackUntil;
  }

  private take(listener: ListenerRow, key: number): void {
    const { onRollback, read } = this.pass;
    const { leases } = this.parts;
    const { delivery, row } = read(key);
    const { id } = delivery;
    const { ordered } = listener.subscription;
    leases.hold({ id, deliveryKey: key, listenerKey: listener.key, ordered, ...row });
    onRollback(() => leases.drop(id));
    this.deliveries.push(leasedDelivery(asReadOf(row), listener, delivery));
  }

  private noteFree(listener: ListenerRow, nextOfListener: number | undefined): number | undefined {
    const { onRollback, request } = this.pass;
    const { fullyLeased, leases } = this.parts;
    if (leases.countOf(listener.key) > 0 && nextOfListener !== request.now) {
      fullyLeased.add(listener.key, nextOfListener ?? Number.POSITIVE_INFINITY, onRollback);
    }
    return nextOfListener;
  }
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;
