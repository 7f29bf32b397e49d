import { Counter, Gauge } from 'prom-client';
import { WrongExpectedRevision } from '../../stores/event-store/errors.js';
import type { OnAppended } from '../../stores/event-store/observed-event-store.js';
import type { HeldLease, LeaseStatus, Leases, SharedLeases } from '../../stores/leases/leases.js';
import { addCounter, addGauge, type Metrics, type StoreReading } from './metrics.js';

/** Counts appends. A conflict is no failure: the command decides again. */
export function countAppends(metrics: Metrics): OnAppended {
  const add = addCounter(
    metrics,
    'flow_hooks_event_store_appends_total',
    'Appends to the event store: done, conflict (another append came first), failed (also where reading before it failed)',
    'outcome',
    ['done', 'conflict', 'failed'],
  );
  return (count, error) => {
    const failed = error instanceof WrongExpectedRevision ? 'conflict' : 'failed';
    add(error === undefined ? 'done' : failed, count);
  };
}

/** `resubscriptions`: their number since the start. */
export function addResubscriptionMetrics({ registry }: Metrics, resubscriptions: () => number): void {
  new Counter({
    name: 'flow_hooks_event_store_resubscriptions_total',
    help: 'Subscriptions opened anew after they were dropped, ended or silent; nothing is lost by it',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(resubscriptions());
    },
  });
}

export const addHeadMetrics = (metrics: Metrics, head: StoreReading<bigint>): void =>
  addGauge(metrics, 'flow_hooks_event_store_head_position', 'Position of the last event of the store', head);

/** Shows for each lease that this instance competes for whether it holds the lease. */
export function meteredLeases(leases: Leases, { registry }: Metrics): Leases {
  const competing = new Set<() => readonly LeaseStatus[]>();
  new Gauge({
    name: 'flow_hooks_lease_held',
    help: '1 if this instance holds the lease',
    labelNames: ['lease'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, held } of [...competing].flatMap((statuses) => statuses()))
        this.set({ lease: name }, held ? 1 : 0);
    },
  });
  function metered<Held extends HeldLease | SharedLeases>(held: Held): Held {
    const statuses = () => [held.status()].flat();
    competing.add(statuses);
    return {
      ...held,
      async stop() {
        await held.stop();
        competing.delete(statuses);
      },
    };
  }

  return {
    hold: (name, work) => metered(leases.hold(name, work)),
    share: (...task) => metered(leases.share(...task)),
  };
}
