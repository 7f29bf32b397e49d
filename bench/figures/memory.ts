import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openMongoDb } from '../../src/stores/mongodb/mongodb-database.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { rateOf, startService, untilReady } from '../processes/processes.js';
import { startSink } from '../support/arrivals.js';
import { startEmbedded } from '../support/embedded.js';
import { burst, publishBatch, registerListener, untilSucceeded } from '../support/flow-events.js';
import { residentBytes } from '../support/process-activity.js';
import { reportBound } from '../support/report.js';
import { startServers } from '../support/servers.js';

const callers = 64;
const settleMs = 8_000; // followers drop earlier builds after 5 s
const burstEvents = 2_500;
const eventsOnServers = 20_000;
const batchEvents = 100;

type Service = Awaited<ReturnType<typeof startService>>;

async function reportMemory({ pid }: Service, what: string, atMost: number): Promise<void> {
  await pause(settleMs);
  reportBound({ figure: `memory ${what}`, ours: residentBytes(pid) / 1e6, unit: 'MB', target: { atMost } });
}

async function measureEmbedded(): Promise<void> {
  const { sink, service, queue, stop } = await startEmbedded(callers);
  await untilReady(service);
  await reportMemory(service, 'at rest, embedded store', 150);
  await registerListener(service, `${sink.origin}/hook`);
  let sent = 0;
  for (const [events, atMost] of [
    [20_000, 300],
    [100_000, 350],
  ] as const) {
    for (; sent < events; sent += burstEvents) {
      await burst(service, queue, { callers, count: burstEvents });
      await sink.arrivals(burstEvents);
    }
    await reportMemory(service, `after ${events} events, embedded store`, atMost);
  }
  await stop();
}

async function measureServers(): Promise<void> {
  const sink = await startSink(callers);
  const servers = await startServers();
  const service = await startService(temporaryDirectory(), callers, servers.settings);
  await untilReady(service);
  const where = `on ${servers.name}`;
  await reportMemory(service, `at rest, ${where}`, 250);
  await registerListener(service, `${sink.origin}/hook`);
  const database = openMongoDb({ url: servers.url });
  const queue: DeliveryQueue = await openMongoDeliveryQueue(database);
  await rateOf(1, eventsOnServers / batchEvents, () =>
    publishBatch(
      service,
      Array.from({ length: batchEvents }, () => randomUUID()),
    ),
  );
  await untilSucceeded(queue, eventsOnServers);
  await reportMemory(service, `after ${eventsOnServers} events in batches of ${batchEvents}, ${where}`, 250);
  await queue.close();
  await database.db.dropDatabase();
  await database.close();
  await service.stop();
  await servers.stop();
  await sink.stop();
}

await measureEmbedded();
await measureServers();
