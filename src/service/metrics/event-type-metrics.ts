import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { EventTypeMismatched } from '../../flows/types/publishing-checks.js';
import { addCounter, type Metrics } from './metrics.js';

const maxLogged = 1_000;
const maxTypes = 1_000;

/** `lastAt`: ISO 8601. */
type EventTypeMismatches = {
  type: string;
  warned: number;
  refused: number;
  lastAt: string;
  lastReason: string;
};

export type MismatchCounts = {
  count: (mismatch: EventTypeMismatched) => void;
  /** Mismatches of this process since its start, the latest mismatch first. */
  list: () => readonly EventTypeMismatches[];
};

/** Logs the first mismatch of each organisation and type. */
export function eventTypeMetrics(metrics: Metrics, log: Logger): MismatchCounts {
  const addMismatch = addCounter(
    metrics,
    'flow_hooks_event_type_mismatches_total',
    'Published flow events that did not match their event type: accepted with a warning, or refused',
    'outcome',
    ['warned', 'refused'],
  );
  const ofTypes = new LRUCache<string, EventTypeMismatches>({ max: maxTypes });
  const logged = new LRUCache<string, true>({ max: maxLogged });
  function count({ orgId, type, reason, outcome }: EventTypeMismatched): void {
    addMismatch(outcome);
    const { warned, refused } = ofTypes.get(type) ?? { warned: 0, refused: 0 };
    const last = { lastAt: new Date().toISOString(), lastReason: reason };
    const counts = outcome === 'refused' ? { warned, refused: refused + 1 } : { warned: warned + 1, refused };
    ofTypes.set(type, { type, ...counts, ...last });
    const name = JSON.stringify([orgId, type]);
    if (logged.has(name)) return;
    logged.set(name, true);
    log.warn({ orgId, type, reason, outcome }, 'a flow event does not match its event type');
  }
  return { count, list: () => [...ofTypes.values()] };
}
