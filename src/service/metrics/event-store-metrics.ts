import { Counter, Gauge } from 'prom-client';
import { WrongExpectedRevision } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { Metrics } from './metrics.js';
import type { StoreReading } from './store-reading.js';

/** Counts the appends of a store. A conflict is no failure: the command decides again. */
export function countAppends<Store extends EventStore>(store: Store, { registry }: Metrics): Store {
  const appends = new Counter({
    name: 'flow_hooks_event_store_appends_total',
    help: 'Appends to the event store: done, conflict (another append came first), failed',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    ...store,
    async append(...append) {
      try {
        const result = await store.append(...append);
        appends.inc({ outcome: 'done' });
        return result;
      } catch (error) {
        appends.inc({ outcome: error instanceof WrongExpectedRevision ? 'conflict' : 'failed' });
        throw error;
      }
    },
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

export function addHeadMetrics({ registry }: Metrics, head: StoreReading<bigint>): void {
  new Gauge({
    name: 'flow_hooks_event_store_head_position',
    help: 'Position of the last event of the store',
    registers: [registry],
    async collect() {
      const position = await head();
      if (position === undefined) this.remove();
      else this.set(Number(position));
    },
  });
}
