import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../leasing.js';
import { LeaseCapacity } from '../policy/fair-sharing.js';
import type { StoredQueue } from '../stored-queue.js';
import { firstAttempt, isHeld, type Pending, type PendingDeliveries } from './pending-deliveries.js';

/** Deliveries that may be attempted, as their gates were seen. */
type Open = { taken: readonly Pending[]; isMoreDue: boolean; seenAt?: number };

/** Gates as they were read: of deliveries up to the sequence `seenAfter`, those of these listeners. */
export type GatesRead = {
  seenAfter: number;
  listeners: ReadonlySet<string>;
  closed: ReadonlySet<string>;
  seenAt?: number;
  error?: unknown;
};

type Chosen = { chosen: readonly Pending[]; isMoreDue: boolean; saturatedHosts: readonly string[] };

/** Leases deliveries of memory, beside those that have rows. */
export class MemoryLease {
  /** `rowsUnderWay`: listeners of the deliveries under way that have rows, by delivery. `write`: writes deliveries of memory as rows. */
  constructor(
    private readonly pending: PendingDeliveries,
    private readonly rowsUnderWay: Map<string, string>,
    private readonly rows: Pick<StoredQueue, 'restrained'>,
    private readonly write: (first: readonly Pending[]) => Promise<void>,
  ) {}

  /** Reads the gates of what is chosen if no row is due, apart from deliveries after `seenAfter`. Never rejects. */
  async readGates(request: LeaseRequest, seenAfter: number, of?: ReadonlySet<string>): Promise<GatesRead> {
    const { restrained } = this.rows;
    const none = new Set<string>();
    if (!restrained) return { seenAfter: Number.NEGATIVE_INFINITY, listeners: none, closed: none };
    const unseen = this.choose(request, [], of).chosen.filter(({ sequence }) => sequence <= seenAfter);
    const known = new Map(unseen.map(({ listener }) => [listener.listenerId, listener]));
    const listeners = new Set(known.keys());
    if (listeners.size === 0) return { seenAfter, listeners, closed: none };
    try {
      return { seenAfter, listeners, ...(await restrained([...known.values()])) };
    } catch (error) {
      return { seenAfter, listeners, closed: none, error };
    }
  }

  /** Leases deliveries of memory beside leased rows, as far as their gates were read. `of`: of these listeners alone. */
  async beside(
    rows: LeasedBatch,
    request: LeaseRequest,
    { gates, seenAt, of }: { gates: GatesRead; seenAt?: number | undefined; of?: ReadonlySet<string> },
  ): Promise<LeasedBatch> {
    for (const { id, listenerId } of rows.deliveries) this.rowsUnderWay.set(id, listenerId);
    const { chosen, isMoreDue, saturatedHosts } = this.choose(request, rows.deliveries, of);
    const open = await this.open(chosen, rows, gates);
    return joined(request, rows, {
      taken: open.taken,
      isMoreDue: isMoreDue || open.isMoreDue,
      saturatedHosts,
      seenAt: [rows.seenAt, seenAt, open.seenAt],
    });
  }

  /** Chooses deliveries of memory, the longest waiting first, as far as there is capacity beside the rows. `of`: of these listeners alone. */
  private choose(request: LeaseRequest, rows: readonly LeasedDelivery[] = [], of?: ReadonlySet<string>): Chosen {
    const chosen: Pending[] = [];
    if (this.pending.size === 0 || of?.size === 0) return { chosen, isMoreDue: false, saturatedHosts: [] };
    const capacity = new LeaseCapacity(request);
    for (const delivery of rows) capacity.take(delivery, 1);
    const ordered = this.pending.orderedListeners();
    const full = new Set<string>(); // capacity never grows
    const ofRows = ordered.size === 0 ? full : new Set(this.rowsUnderWay.values());
    for (const [listenerId, { isBusy }] of ordered) if (isBusy || ofRows.has(listenerId)) full.add(listenerId);
    for (const one of this.pending.all()) {
      const { listenerId, orgId } = one.listener;
      if (one.isUnderWay || full.has(listenerId) || full.has(orgId) || of?.has(listenerId) === false) continue;
      if (capacity.left <= 0) return { chosen, isMoreDue: true, saturatedHosts: [] };
      if (capacity.ofOrganisation(orgId) <= 0) full.add(orgId);
      else if (capacity.ofListener(one.listener) <= 0) full.add(listenerId);
      else if (isHeld(one)) {
        capacity.take(one.listener, 1);
        chosen.push(one);
        if (ordered.has(listenerId)) full.add(listenerId); // the others follow it
      } else if (ordered.has(listenerId)) full.add(listenerId);
    }
    return { chosen, isMoreDue: false, saturatedHosts: capacity.saturated().saturatedHosts ?? [] };
  }

  /**
   * Puts those under way whose listeners may be called, and returns them; has those written whose listeners may not. Nothing is awaited since
   * they were chosen: one that became a row meanwhile would be under way there, without an attempt.
   */
  private async open(chosen: readonly Pending[], rows: LeasedBatch, gates: GatesRead): Promise<Open> {
    const { pending } = this;
    const { seenAfter, listeners, closed, seenAt, error } = gates;
    const isUnseen = ({ sequence }: Pending) => sequence <= seenAfter;
    const isRead = ({ listener }: Pending) => listeners.has(listener.listenerId) && error === undefined;
    const isOpen = (one: Pending) => !isUnseen(one) || (isRead(one) && !closed.has(one.listener.listenerId));
    const taken = chosen.filter(isOpen);
    for (const one of taken) one.isUnderWay = true;
    if (!chosen.some(isUnseen)) return { taken, isMoreDue: false };
    const restrained = chosen.filter((one) => !isOpen(one) && isRead(one));
    const failure = await this.write(pending.withOthersOfOrdered(restrained)).then(
      () => error,
      (notWritten: unknown) => notWritten,
    );
    if (failure !== undefined && rows.deliveries.length === 0 && taken.length === 0) throw failure;
    const isMoreDue = failure !== undefined || taken.length + restrained.length < chosen.length;
    return { taken, isMoreDue, ...(seenAt !== undefined && { seenAt }) };
  }
}

/** `seenAt`: moments at which gates were seen open. */
type Joined = Omit<Chosen, 'chosen'> & { taken: readonly Pending[]; seenAt: readonly (number | undefined)[] };

function joined(request: LeaseRequest, rows: LeasedBatch, first: Joined): LeasedBatch {
  if (first.taken.length === 0 && !first.isMoreDue && first.saturatedHosts.length === 0) return rows;
  const { isHeld: areRowsHeld = () => true } = rows;
  const moments = first.seenAt.flatMap((moment) => moment ?? []);
  const saturatedHosts = [...new Set([...(rows.saturatedHosts ?? []), ...first.saturatedHosts])];
  return {
    ...rows,
    deliveries: [...rows.deliveries, ...first.taken.map(firstAttempt)],
    isHeld: () => areRowsHeld() && first.taken.every(isHeld),
    ...(moments.length > 0 && { seenAt: Math.min(...moments) }),
    ...(first.isMoreDue && { nextDueAt: request.now }),
    ...(saturatedHosts.length > 0 && { saturatedHosts }),
  };
}
