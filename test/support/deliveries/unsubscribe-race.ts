import { unsubscribe as offChannel, subscribe as onChannel } from 'node:diagnostics_channel';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { DeliveryCounts } from '../../../src/queue/delivery-log.js';
import { startReceiver } from '../receivers-of-listeners/receiver.js';
import { until } from '../until.js';
import type { Engine } from './delivery-engine.js';

export type RaceSettings = {
  rounds: number;
  listenersPerRound: number;
  /** The unsubscribes begin within this time, and some turns of the event loop more: as long as events take to be posted. */
  withinMs?: number;
  /** True if connections to the listeners are used again. */
  keepAlive?: boolean;
};

export type RaceResult = {
  /** The listeners to which a post started after their unsubscribe was answered. */
  late: readonly string[];
  sent: number;
  counts: DeliveryCounts;
};

/**
 * Unsubscribes listeners, on the first engine, while events are published that go to them, and all engines fan out, lease and
 * post. Ends when nothing is under way any more; the engines are left running.
 */
export async function raceUnsubscribes(
  engines: readonly [Engine, ...Engine[]],
  { rounds, listenersPerRound, withinMs = 0, keepAlive = true }: RaceSettings,
): Promise<RaceResult> {
  const [engine] = engines;
  const sink = await startReceiver(0, { keepAlive });
  const gone = new Set<string>();
  const late: string[] = [];
  let sent = 0;
  // Published by undici in the tick in which it writes a request to the socket.
  const onSend = (message: unknown) => {
    const { path, origin } = (message as { request: { path: string; origin: string } }).request;
    if (origin !== sink.origin) return;
    sent += 1;
    if (gone.has(path)) late.push(path);
  };
  onChannel('undici:client:sendHeaders', onSend);

  /** Measures a busy machine, from an event to its post. */
  async function firstPostMs(): Promise<number> {
    const { listenerId } = await engine.subscribe(`${sink.origin}/first`);
    const publishedAt = performance.now();
    await engine.publish({ round: 'first' });
    await until(() => sent > 0, 'a first post');
    const ms = performance.now() - publishedAt;
    await engine.unsubscribe(listenerId);
    sent = 0;
    return ms;
  }
  let longestMs = withinMs > 0 ? Math.max(withinMs, await firstPostMs()) : 0;

  async function endSomeTime(listenerId: string, path: string): Promise<void> {
    if (longestMs > 0) await pause(Math.random() * longestMs);
    for (let turns = Math.random() * 60; turns > 0; turns -= 1) await nextTurn();
    await engine.unsubscribe(listenerId);
    gone.add(path);
  }

  // On a busy machine more rounds, until a post has come before its unsubscribe.
  for (let round = 0; round < rounds || sent === 0; round += 1) {
    if (round >= rounds) longestMs = Math.max(1, longestMs * 2);
    const paths = Array.from({ length: listenersPerRound }, (_, index) => `/${round}/${index}`);
    const registered = await Promise.all(paths.map((path) => engine.subscribe(sink.origin + path)));
    const published = Array.from({ length: 3 }, async (_, index) => {
      for (let turns = index * 20; turns > 0; turns -= 1) await nextTurn();
      await engine.publish({ round, index });
    });
    const ended = registered.map(({ listenerId }, index) => endSomeTime(listenerId, paths[index] ?? ''));
    await Promise.all([...published, ...ended]);
  }
  for (const each of engines) {
    await until(each.fannedOut, 'the fan-out');
    await until(async () => each.deliveries.status().worker.underWay === 0, 'the attempts');
  }
  offChannel('undici:client:sendHeaders', onSend);
  await sink.close();
  return { late, sent, counts: await engine.queue.counts(Date.now()) };
}
