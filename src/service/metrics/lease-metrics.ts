import { Gauge } from 'prom-client';
import type { HeldLease, Leases } from '../../stores/leases/leases.js';
import type { Metrics } from './metrics.js';

/** Shows for each lease that this instance competes for whether it holds the lease. */
export function meteredLeases(leases: Leases, { registry }: Metrics): Leases {
  const competing = new Set<HeldLease>();
  new Gauge({
    name: 'flow_hooks_lease_held',
    help: '1 where this instance holds the lease, and does what one of them does for all',
    labelNames: ['lease'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { status } of competing) this.set({ lease: status().name }, status().held ? 1 : 0);
    },
  });
  return {
    hold(name, work) {
      const held = leases.hold(name, work);
      competing.add(held);
      return {
        ...held,
        async stop() {
          await held.stop();
          competing.delete(held);
        },
      };
    },
  };
}
