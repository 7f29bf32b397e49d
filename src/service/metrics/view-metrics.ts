import { Counter, Gauge } from 'prom-client';
import type { FollowerStatus, ObservedView } from '../../views/follower.js';
import type { Metrics, StoreReading } from './metrics.js';

/** The progress of the views. Positions are those of the event store: numbers of events, or bytes of its log. */
export function addViewMetrics(
  { registry }: Metrics,
  followers: readonly ObservedView[],
  head: StoreReading<bigint>,
): void {
  type Value = bigint | number | boolean | undefined;
  const add = (name: string, help: string, measure: (status: FollowerStatus, end: bigint | undefined) => Value) =>
    new Gauge({
      name,
      help,
      labelNames: ['view'],
      registers: [registry],
      async collect() {
        const end = await head();
        this.reset();
        for (const { status } of followers) {
          const now = status();
          const value = measure(now, end);
          if (value !== undefined) this.set({ view: now.name }, Number(value));
        }
      },
    });

  add('flow_hooks_view_position', 'Everything up to this position is in the view', ({ position }) => position);
  add(
    'flow_hooks_view_lag_positions',
    'Positions between the view and the last event of the store, reported by its leader',
    // The other instances see only the stored position, which is rarely written while no event concerns the view.
    ({ position, lease }, end) => (lease?.held ? lagBehind(end, position) : undefined),
  );
  add(
    'flow_hooks_view_behind_seconds',
    'Time since the view was last caught up, reported by its leader',
    ({ behindSeconds }) => behindSeconds,
  );
  add(
    'flow_hooks_view_events_per_second',
    'Events that the view has handled a second in the last ten seconds',
    ({ eventsPerSecond }) => eventsPerSecond,
  );
  add('flow_hooks_view_caught_up', '1 if the view has handled the whole history', ({ caughtUp }) => caughtUp);
  add(
    'flow_hooks_view_failing',
    '1 while an error stops the view, which is retried',
    ({ error }) => error !== undefined,
  );
  add('flow_hooks_view_set_aside', '1 while a damaged view is built again', ({ setAside }) => setAside !== undefined);
  new Counter({
    name: 'flow_hooks_view_set_asides_total',
    help: 'Damaged builds of the view that its leader has set aside',
    labelNames: ['view'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, setAsides } of followers.map(({ status }) => status())) {
        if (setAsides !== undefined) this.inc({ view: name }, setAsides);
      }
    },
  });
}

/** Undefined if either is not known. */
export function lagBehind(head: bigint | undefined, position: bigint | undefined): bigint | undefined {
  if (head === undefined || position === undefined) return undefined;
  return head > position ? head - position : 0n; // the head may have been read before the position
}
