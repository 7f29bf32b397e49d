import { randomUUID } from 'node:crypto';
import { listenerHistory } from '../../../projections/listener-history.js';
import { explainFlowEvent } from '../../../src/deliveries/explain/explain-flow-event.js';
import { type ListenerDetails, listenerCodec } from '../../../src/events/listener-events.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { NewEvent, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { viewCaughtUp } from '../../../src/views/follower.js';
import { watch } from '../../../src/views/following/watch.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { startService, untilReady } from '../../processes/processes.js';
import { now, startSink } from '../../support/arrivals.js';
import { publish, untilSucceeded } from '../../support/flow-events.js';
import { appendListeners, orgId } from '../../support/listeners.js';
import { reportBound } from '../../support/report.js';

const listeners = 4_000;
const eventId = randomUUID();

const sink = await startSink(1);
const directory = temporaryDirectory();
await appendListeners(directory, listeners, () => `${sink.origin}/hook/${randomUUID()}`);
await rotateSecrets();
const service = await startService(directory, 1);
await untilReady(service);
const queue = openSqliteDeliveryQueue({ directory });
await publish(service, eventId);
await untilSucceeded(queue, listeners);

const store = openSqliteEventStore({ directory });
const readModel = openSqliteReadModel({ directory });
const view = watch({ store, readModel, projection: listenerHistory });
const sources = {
  store,
  readModel,
  queue,
  historyCaughtUp: viewCaughtUp(store, 'listener', view.passed),
  clock: Date.now,
};

async function rotateSecrets(): Promise<void> {
  const events = openSqliteEventStore({ directory });
  const cause = { actor: 'admin:bench', correlationId: 'bench' };
  const rotations = (data: ListenerDetails) =>
    Array.from({ length: 9 }, (_, index): NewEvent => {
      const rotated = { ...data, secret: { ...data.secret, version: index + 2 }, paused: false, since: '0' };
      return listenerCodec.encode({ type: 'ListenerSecretRotated', data: rotated }, cause, new Date());
    });
  const subscribed: RecordedEvent[] = [];
  for await (const event of events.readAll({ filter: { categories: ['listener'] } })) subscribed.push(event);
  // as appended above
  const appends = subscribed.map(({ stream, data }) =>
    events.append(stream, rotations(data as ListenerDetails), { expectedRevision: 0n }),
  );
  await Promise.all(appends);
  await events.close();
}

async function pageTimes(limit: number): Promise<readonly number[]> {
  const times: number[] = [];
  let explained = 0;
  for (let after: string | undefined; ; ) {
    const startedAt = now();
    const page = await explainFlowEvent(sources, { orgId, eventId, limit, after });
    times.push(now() - startedAt);
    explained += page.listeners.filter(({ outcome }) => outcome === 'delivered').length;
    after = page.next;
    if (after !== undefined) continue;
    if (explained !== listeners) throw new Error(`${explained} of ${listeners} deliveries were explained`);
    return times;
  }
}

for (const limit of [100, 1_000]) {
  reportBound({
    figure: `explaining a flow event to ${listeners} listeners with ten changes each, ${limit} listeners a page: the slowest page`,
    ours: Math.max(...(await pageTimes(limit))),
    unit: 'ms',
    target: { atMost: 300 },
  });
}
await view.stop();
await readModel.close();
await store.close();
await queue.close();
await service.stop();
await sink.stop();
