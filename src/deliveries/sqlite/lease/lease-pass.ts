import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { HookAtHost, LeasedDelivery, LeaseRequest } from '../../queue/leasing.js';
import { leaseAllowance } from '../../queue/policy/lease-allowance.js';
import type { LeaseRoom } from '../../queue/policy/lease-room.js';
import type { BufferWriter } from '../enqueue/buffer-writer.js';
import type { WriteBehindBuffer } from '../enqueue/write-behind-buffer.js';
import type { HookHealths } from '../outcomes/hook-healths.js';
import type { HookRow, WaitingDelivery } from './delivery-to-lease.js';
import type { DueHooks } from './due-hooks.js';
import type { FindDue } from './find-due-deliveries.js';
import type { FullyLeasedHooks } from './fully-leased-hooks.js';
import type { HookSchedule } from './hook-schedule.js';
import { leaseBuffered } from './lease-buffered.js';
import { leasedDelivery } from './leased-delivery.js';
import type { Leases } from './leases.js';

/** Maximum number of busy hooks remembered, to bound memory. */
const maxBusyHooks = 10_000;

export type LeaseStores = {
  readonly buffer: WriteBehindBuffer;
  readonly bufferWriter: Pick<BufferWriter, 'flush'>;
  readonly fullyLeased: FullyLeasedHooks;
  readonly healths: HookHealths;
  readonly leases: Leases;
  readonly schedule: HookSchedule;
};

/** Hooks that had used up their share, by their keys: they are recognised without reading their rows. */
export type BusyHooks = Map<number, HookAtHost>;

type Parts = LeaseStores & {
  readonly dueHooks: DueHooks;
  readonly findDue: FindDue;
  readonly busyHooks: BusyHooks;
};

type Pass = {
  readonly request: LeaseRequest;
  readonly onRollback: OnRollback;
  readonly lease: string;
  readonly leaseExpiresAt: number;
  readonly read: (key: number) => WaitingDelivery;
  readonly room: LeaseRoom;
};

/** Leases for one request. */
export class LeasePass {
  private readonly deliveries: LeasedDelivery[] = [];
  private nextDueAt: number | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly pass: Pass,
  ) {}

  /** Leases the longest due first, from the buffer and the database. `first`: when the database's first hook is due. */
  run(first: number): { readonly deliveries: readonly LeasedDelivery[]; readonly nextDueAt: number | undefined } {
    const isBufferFirst = (this.parts.buffer.firstDue() ?? first) < first;
    if (isBufferFirst) this.leaseFromBuffer();
    this.leaseFromDatabase(first);
    if (!isBufferFirst) this.leaseFromBuffer();
    return { deliveries: this.deliveries, nextDueAt: this.nextDueAt };
  }

  private leaseFromBuffer(): void {
    const { lease, leaseExpiresAt, onRollback, request, room } = this.pass;
    const found = leaseBuffered(this.parts.buffer, { room, lease: { lease, leaseExpiresAt }, onRollback });
    this.deliveries.push(...found.deliveries);
    if (found.limitReached) this.nextDueAt = request.now;
  }

  private leaseFromDatabase(first: number): void {
    const { request, room } = this.pass;
    const { now } = request;
    if (first > now) {
      if (first < Number.POSITIVE_INFINITY) this.nextDueAt = earlier(this.nextDueAt, first);
      return;
    }
    // Hooks are passed over because of deliveries under way, so their number is limited by the workers' slots.
    const pageSize =
      request.limit + this.parts.leases.hooks + request.inFlightByHook.size + (request.hookLimits?.size ?? 0) + 1;
    for (const { hook, nextDue } of this.parts.dueHooks({
      pageSize,
      now,
      isPassedOver: (key) => this.isPassedOver(key),
      isFull: (orgId) => room.left > 0 && room.ofOrganisation(orgId) <= 0,
    })) {
      if (nextDue > now) {
        this.nextDueAt = earlier(this.nextDueAt, nextDue);
        continue;
      }
      if (room.left === 0) {
        this.nextDueAt = now;
        break;
      }
      this.leaseFromHook(hook);
    }
  }

  private leaseFromHook(hook: HookRow): void {
    const { request, room } = this.pass;
    const share = room.ofHook(hook);
    if (share <= 0) {
      this.rememberBusy(hook);
      return;
    }
    const { due, nextDueAt } = this.parts.findDue(hook, Math.min(room.left, share), request.now);
    const nextOfHook = due.length > 0 ? this.takeAllowed(hook, due, nextDueAt) : this.noteFree(hook, nextDueAt);
    // Deliveries beyond the hook's share wait for its attempts to end, not for a time.
    if (due.length < share || nextOfHook !== request.now) this.nextDueAt = earlier(this.nextDueAt, nextOfHook);
  }

  private isPassedOver(key: number): boolean {
    const { request, room } = this.pass;
    const untilFree = this.parts.fullyLeased.untilFree(key, request.now);
    if (untilFree !== undefined) {
      this.nextDueAt = earlier(this.nextDueAt, untilFree);
      return true;
    }
    const hook = this.parts.busyHooks.get(key);
    return hook !== undefined && room.left > 0 && room.ofHook(hook) <= 0;
  }

  private rememberBusy({ key, listenerId, orgId, hookUrl }: HookRow): void {
    const { busyHooks } = this.parts;
    if (busyHooks.size >= maxBusyHooks) busyHooks.clear();
    busyHooks.set(key, { listenerId, orgId, hookUrl });
  }

  /** Leases as many of the due deliveries as the hook's health and rate allow. Returns when the next one may be leased. */
  private takeAllowed(hook: HookRow, due: readonly number[], nextOfHook: number | undefined): number | undefined {
    const { onRollback, request, room } = this.pass;
    const { healths, schedule } = this.parts;
    const { now, leaseMs } = request;
    const { attempts, health, keptBackUntil } = leaseAllowance(healths.of(hook.key, hook.health), {
      wanted: due.length,
      now,
      perSecond: hook.ratePerSecond ?? request.ratePerSecond,
      probeMs: leaseMs,
    });
    for (const key of due.slice(0, attempts)) this.take(hook, key);
    room.take(hook, attempts);
    if (health) healths.remember(hook.key, health, onRollback);
    const nextDueAt = attempts < due.length ? now : nextOfHook;
    const isMoreDue = nextDueAt !== undefined && nextDueAt <= now;
    if (!isMoreDue || keptBackUntil === undefined) return this.noteFree(hook, nextDueAt);
    schedule.keepBack(hook.key, keptBackUntil);
    return keptBackUntil;
  }

  private take(hook: HookRow, key: number): void {
    const { lease, leaseExpiresAt, onRollback, read } = this.pass;
    const { leases } = this.parts;
    const { dueAt, ...delivery } = read(key);
    const { id } = delivery;
    leases.hold({
      id,
      deliveryKey: key,
      hookKey: hook.key,
      ordered: hook.ordered === 1,
      lease,
      leaseExpiresAt,
      dueAt,
      redeliverAfterLease: false,
    });
    onRollback(() => leases.drop(id));
    this.deliveries.push(leasedDelivery(lease, hook, delivery));
  }

  /** Remembers if all due deliveries of the hook are leased. Returns when the next one may be leased. */
  private noteFree(hook: HookRow, nextOfHook: number | undefined): number | undefined {
    const { onRollback, request } = this.pass;
    const { fullyLeased, leases } = this.parts;
    const { now, leaseMs } = request;
    if (leases.countOf(hook.key) > 0 && nextOfHook !== now) {
      fullyLeased.add(hook.key, Math.min(nextOfHook ?? Number.POSITIVE_INFINITY, now + leaseMs), onRollback);
    }
    return nextOfHook;
  }
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;
