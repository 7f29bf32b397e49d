import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { now } from '../arrivals.js';
import { type Cluster, type Instance, publish } from './cluster.js';

const everyMs = 20;
const [beforeMs, afterMs] = [1_000, 9_000];
/** Published at once, so that the instance holds deliveries when it dies. */
const atOnce = { events: 200, leadMs: 100 };

/** First arrivals of these events, on the clock of `now`, once all are there. */
export async function arrivalsOf({ sink }: Pick<Cluster, 'sink'>, ids: Iterable<string>) {
  const missing = new Set(ids);
  const arrived = new Map<string, number>();
  while (missing.size > 0) {
    for (const { event, at } of await sink.arrivals(1)) if (missing.delete(event)) arrived.set(event, at);
  }
  return arrived;
}

/**
 * Kills or freezes the instance while events are published to the others. Returns the milliseconds until the events sent before
 * it have arrived, and until one sent after it has arrived from each organisation.
 */
export async function takeOver(
  cluster: Cluster,
  victim: Instance,
  { signal, organisations }: { signal: 'SIGKILL' | 'SIGSTOP'; organisations: readonly string[] },
): Promise<{ before: number; after: number }> {
  const others = cluster.instances.filter((instance) => instance !== victim);
  const sent = new Map<string, { orgId: string; at: number }>();
  const calls: Promise<void>[] = [];
  function send(): void {
    const id = randomUUID();
    const orgId = organisations[sent.size % organisations.length] as string;
    sent.set(id, { orgId, at: now() });
    calls.push(publish(others[sent.size % others.length] as Instance, orgId, id));
  }
  async function sendFor(ms: number): Promise<void> {
    for (const startedAt = now(); now() < startedAt + ms; await pause(everyMs)) send();
  }

  await sendFor(beforeMs);
  for (let number = 0; number < atOnce.events; number += 1) send();
  await pause(atOnce.leadMs);
  victim.signal(signal);
  const diedAt = now();
  await sendFor(afterMs);
  await Promise.all(calls);

  const arrived = await arrivalsOf(cluster, sent.keys());
  const arrivedAt = (id: string) => (arrived.get(id) ?? Number.NaN) - diedAt;
  const before = Math.max(...[...sent].filter(([, { at }]) => at < diedAt).map(([id]) => arrivedAt(id)));
  const first = new Map<string, number>();
  for (const [id, { orgId, at }] of sent) if (at >= diedAt && !first.has(orgId)) first.set(orgId, arrivedAt(id));
  return { before, after: Math.max(...first.values()) };
}
