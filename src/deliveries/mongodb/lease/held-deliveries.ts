import type { LeasedDelivery, Outcome } from '../../queue/leasing.js';
import type { DeliveryRow, ListenerRow } from '../collections.js';

export type LeasedRow = Pick<
  DeliveryRow,
  '_id' | 'orgId' | 'state' | 'lease' | 'listenerId' | 'redeliveryRequestedAt' | 'leasableAt'
>;

export type LeasedHere = Pick<LeasedDelivery, 'id' | 'orgId' | 'listenerId' | 'lease'>;

/** Maximum number of calm listeners that are remembered, to bound memory. */
const maxCalm = 10_000;

/** The deliveries that this process has leased, so that recording their outcomes need not read them. */
export class HeldDeliveries {
  private readonly rows = new Map<string, LeasedRow & { until: number }>();
  private readonly calm = new Map<string, ListenerRow>();
  private readonly abandoned = new Map<string, number>();
  private readonly begun = new Set<symbol>();
  /** Result of the latest lease, in queue time. */
  nextDueAt: number | undefined;

  /** A call is about to lease. */
  begin(): { end: () => void } {
    const call = Symbol();
    this.begun.add(call);
    const end = () => void this.begun.delete(call);
    return { end };
  }

  /** `expiresAt`: in server time; `leaseMs`: from now. */
  add(leased: readonly LeasedHere[], expiresAt: Date, leaseMs: number): void {
    const until = performance.now() + leaseMs;
    for (const { id: _id, orgId, listenerId, lease } of leased)
      this.rows.set(_id, { _id, orgId, listenerId, lease, state: 'waiting', leasableAt: expiresAt, until });
  }

  /** The token under which this process has the row; undefined if it has none. */
  tokenOf(id: string): string | undefined {
    return this.rows.get(id)?.lease;
  }

  /** The rows of these outcomes as they were leased; undefined if one of them is not known. */
  of(outcomes: readonly Outcome[]): ReadonlyMap<string, LeasedRow> | undefined {
    const rows = outcomes.flatMap(({ id, lease }): LeasedRow[] => {
      const row = this.rows.get(id);
      return row?.lease === lease ? [row] : [];
    });
    return rows.length === outcomes.length ? new Map(rows.map((row) => [row._id, row])) : undefined;
  }

  remove(outcomes: readonly Outcome[]): void {
    for (const { id, lease } of outcomes) if (this.rows.get(id)?.lease === lease) this.rows.delete(id);
  }

  /** Nothing is leased, or may be. Leases that have expired do not count. */
  get isEmpty(): boolean {
    const now = performance.now();
    for (const [id, { until }] of this.rows) if (until <= now) this.rows.delete(id);
    return this.rows.size + this.begun.size + this.abandonedTokens().length === 0;
  }

  /** The call that leased under this token has failed: no instance attempts the deliveries that it may have leased. */
  abandon(token: string, leaseMs: number): void {
    this.abandoned.set(token, performance.now() + leaseMs);
  }

  /** Tokens of failed calls whose writes may still arrive. */
  abandonedTokens(): readonly string[] {
    const now = performance.now();
    for (const [token, until] of this.abandoned) if (until <= now) this.abandoned.delete(token);
    return [...this.abandoned.keys()];
  }

  /** Remembers those of the listeners, as they are stored, to which nothing is known but that they get deliveries. */
  noteListeners(listeners: Iterable<ListenerRow>): void {
    if (this.calm.size > maxCalm) this.calm.clear();
    for (const listener of listeners) {
      if (isCalm(listener)) this.calm.set(listener._id, listener);
      else this.calm.delete(listener._id);
    }
  }

  /** The listener as it was when it was read last, if a success did not change it then. */
  calmListener(listenerId: string): ListenerRow | undefined {
    return this.calm.get(listenerId);
  }

  forgetListener(listenerId: string): void {
    this.calm.delete(listenerId);
  }
}

const isCalm = ({ closed, paused, subscription, turn, nextDue, health }: ListenerRow): boolean =>
  !closed &&
  !paused &&
  !subscription?.ordered &&
  !turn &&
  !nextDue &&
  Object.keys(health ?? {}).every((field) => field === 'recent');
