import { Gauge } from 'prom-client';
import type { DeliveriesStatus } from '../../deliveries/deliveries.js';
import type { DeliveryCounts } from '../../queue/delivery-log.js';
import { addGauge, type Metrics, type StoreReading } from './metrics.js';
import { lagBehind } from './view-metrics.js';

/** The same for all instances that share the queue. */
export function addQueueMetrics(metrics: Metrics, counts: StoreReading<DeliveryCounts>): void {
  new Gauge({
    name: 'flow_hooks_deliveries',
    help: 'Deliveries in the queue and its log, by state',
    labelNames: ['state'],
    registers: [metrics.registry],
    async collect() {
      const known = await counts();
      this.reset();
      if (!known) return;
      const { setAside, oldestDueAt, openBreakers, ...states } = known;
      for (const [state, deliveries] of Object.entries(states)) this.set({ state }, deliveries);
    },
  });
  addGauge(
    metrics,
    'flow_hooks_set_aside_events',
    'Events that could not be decoded',
    async () => (await counts())?.setAside,
  );
  addGauge(
    metrics,
    'flow_hooks_delivery_oldest_due_age_seconds',
    'Age of the oldest due delivery; 0 if none is due',
    async () => {
      const known = await counts();
      if (known?.oldestDueAt === undefined) return known && 0;
      return Math.max(0, Date.now() - known.oldestDueAt) / 1_000;
    },
  );
  addGauge(
    metrics,
    'flow_hooks_open_breakers',
    'Listeners whose circuit breaker is open or being probed, up to a thousand',
    async () => (await counts())?.openBreakers,
  );
}

/** The fan-out's progress in the partitions of this instance, and its attempts. */
export function addDeliveriesMetrics(
  metrics: Metrics,
  status: () => DeliveriesStatus,
  head: StoreReading<bigint>,
): void {
  type Value = bigint | number | undefined;
  const add = (name: string, help: string, measure: (status: DeliveriesStatus, end: bigint | undefined) => Value) =>
    addGauge(metrics, name, help, async () => measure(status(), await head()));
  add('flow_hooks_fan_out_partitions', 'Partitions that this instance fans out', ({ fanOut }) => fanOut.partitions);
  add(
    'flow_hooks_fan_out_position',
    'Flow events of the partitions of this instance are in the queue up to here',
    ({ fanOut }) => fanOut.position,
  );
  add(
    'flow_hooks_fan_out_lag_positions',
    'Positions between the fan-out and the last event of the store',
    ({ fanOut }, end) => lagBehind(end, fanOut.position),
  );
  add(
    'flow_hooks_fan_out_organisations_waiting',
    'Organisations whose flow events wait because their filters use up their share of the time',
    ({ fanOut }) => fanOut.organisationsWaiting,
  );
  add('flow_hooks_fan_out_failing', '1 while an error stops the fan-out', ({ fanOut }) =>
    fanOut.error === undefined ? 0 : 1,
  );
  add(
    'flow_hooks_delivery_outage',
    '1 while deliveries wait because the network, name servers or descriptors of this instance fail',
    ({ worker }) => (worker.outage ? 1 : 0),
  );
  add('flow_hooks_delivery_attempts_under_way', 'Attempts in progress', ({ worker }) => worker.underWay);
}
