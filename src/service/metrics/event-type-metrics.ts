import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { EventTypeMismatched } from '../../flows/types/publishing-checks.js';
import type { Metrics } from './metrics.js';

/** Maximum number of organisations and types of which a warning was logged that are remembered. */
const maxLogged = 1_000;

/** Counts flow events that do not match their event type, and logs the first of each organisation and type in this process. */
export function eventTypeMetrics({ registry }: Metrics, log: Logger): (mismatch: EventTypeMismatched) => void {
  const mismatches = new Counter({
    name: 'flow_hooks_event_type_mismatches_total',
    help: 'Published flow events that did not match their event type: accepted with a warning, or refused',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const logged = new LRUCache<string, true>({ max: maxLogged });
  return ({ orgId, type, reason, outcome }) => {
    mismatches.inc({ outcome });
    const name = JSON.stringify([orgId, type]);
    if (logged.has(name)) return;
    logged.set(name, true);
    log.warn({ orgId, type, reason, outcome }, 'a flow event does not match its event type');
  };
}
