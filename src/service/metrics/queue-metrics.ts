import { Gauge } from 'prom-client';
import type { DeliveryCounts } from '../../deliveries/queue/delivery-log.js';
import type { DeliveriesStatus } from '../../deliveries/start-deliveries.js';
import type { Metrics, StoreReading } from './metrics.js';
import { lagBehind } from './view-metrics.js';

/** The contents of the queue, which is the same for all instances that share it. */
export function addQueueMetrics(
  { registry }: Metrics,
  {
    counts,
    openBreakers,
  }: { readonly counts: StoreReading<DeliveryCounts>; readonly openBreakers: StoreReading<number> },
): void {
  new Gauge({
    name: 'flow_hooks_deliveries',
    help: 'Deliveries in the queue and its log, by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const known = await counts();
      this.reset();
      if (!known) return;
      const { setAside, oldestDueAt, ...states } = known;
      for (const [state, deliveries] of Object.entries(states)) this.set({ state }, deliveries);
    },
  });
  const add = (name: string, help: string, measure: (counts: DeliveryCounts) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const known = await counts();
        if (known) this.set(measure(known));
        else this.remove();
      },
    });
  add('flow_hooks_set_aside_events', 'Events that could not be decoded', ({ setAside }) => setAside);
  add(
    'flow_hooks_delivery_oldest_due_age_seconds',
    'For how long the longest waiting of the due deliveries has been due; 0 where none is',
    ({ oldestDueAt }) => (oldestDueAt === undefined ? 0 : Math.max(0, Date.now() - oldestDueAt) / 1_000),
  );
  new Gauge({
    name: 'flow_hooks_open_breakers',
    help: 'Listeners whose circuit breaker is open or being probed, up to a thousand',
    registers: [registry],
    async collect() {
      const open = await openBreakers();
      if (open === undefined) this.remove();
      else this.set(open);
    },
  });
}

/** The progress of the fan-out, on the instance that fans out, and the current attempts of this instance. */
export function addDeliveriesMetrics(
  { registry }: Metrics,
  status: () => DeliveriesStatus,
  head: StoreReading<bigint>,
): void {
  type Value = bigint | number | undefined;
  const add = (name: string, help: string, measure: (status: DeliveriesStatus, end: bigint | undefined) => Value) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = measure(status(), await head());
        if (value === undefined) this.remove();
        else this.set(Number(value));
      },
    });
  add('flow_hooks_fan_out_position', 'Flow events up to here are in the queue', ({ fanOut }) => fanOut.position);
  add(
    'flow_hooks_fan_out_lag_positions',
    'How far the fan-out is behind the last event of the store',
    ({ fanOut }, end) => lagBehind(end, fanOut.position),
  );
  add(
    'flow_hooks_fan_out_organisations_waiting',
    'Organisations of which flow events wait because their filters use up their share of the time',
    ({ fanOut }) => fanOut.organisationsWaiting,
  );
  add('flow_hooks_fan_out_failing', '1 where something keeps the fan-out from going on', ({ fanOut }) =>
    fanOut.error === undefined ? 0 : 1,
  );
  add(
    'flow_hooks_delivery_outage',
    '1 while deliveries wait because the own network, name servers or descriptors of this instance fail',
    ({ worker }) => (worker.outage ? 1 : 0),
  );
  add('flow_hooks_delivery_attempts_under_way', 'Attempts that are under way', ({ worker }) => worker.underWay);
}
