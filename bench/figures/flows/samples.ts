import { randomUUID } from 'node:crypto';
import { latestFlowEvents } from '../../../src/deliveries/operate/latest-flow-events.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { newFlowEvent } from '../../../src/flows/publish-flow-event.js';
import { samples } from '../../../src/flows/samples/samples.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { emptyBatch } from '../../../test/support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { now } from '../../support/arrivals.js';
import { median } from '../../support/quantile.js';
import { report } from '../../support/report.js';

/** Samples of an organisation with a long history, and of one with a short history. */
const events = { long: 1_000_000, short: 1_000 };
const perStep = 10_000;
const measurements = 300;
const warmUps = 50;
const orgId = 'org-1';
const types = ['order.paid', 'order.sent', 'order.returned'];

/** A store with this number of flow events, as the fan-out leaves them where no hook matches. */
async function historyOf(count: number) {
  const directory = temporaryDirectory();
  const store = openSqliteEventStore({ directory });
  const queue = openSqliteDeliveryQueue({ directory });
  const cause = { actor: 'bench', correlationId: 'bench' };
  for (let written = 0; written < count; written += perStep) {
    const at = new Date();
    const appended = Array.from({ length: Math.min(perStep, count) }, (_, index) => {
      const type = types[index % types.length] ?? '';
      return newFlowEvent(
        { id: randomUUID(), type, data: { total: index } },
        { orgId, cause, now: at, maxBytes: 10_000 },
      );
    });
    await store.appendEach(appended);
    const first = (await store.head()) - BigInt(appended.length) + 1n;
    const messages = appended.map(({ event: { id: eventId, type } }, index) => ({
      eventId,
      orgId,
      type,
      position: first + BigInt(index),
      body: null,
      recordedAt: at.getTime(),
    }));
    await queue.enqueue({ ...emptyBatch, messages }, at.getTime());
  }
  return { store, queue, sampled: samples(latestFlowEvents({ store, queue }), undefined) };
}

type History = Awaited<ReturnType<typeof historyOf>>;

const histories = { long: await historyOf(events.long), short: await historyOf(events.short) };

for (const [what, subscriptionType] of [
  ['100 of any type', undefined],
  ['100 of one type of three', 'order.sent'],
] as const) {
  const measure = async ({ sampled }: History): Promise<number> => {
    const startedAt = now();
    const found = await sampled.ofOrganisation(orgId, { subscriptionType, filter: null, limit: 100 });
    if (found.length !== 100) throw new Error(`${found.length} samples`);
    return now() - startedAt;
  };
  const times = { long: [] as number[], short: [] as number[] };
  for (let sample = -warmUps; sample < measurements; sample += 1) {
    for (const side of ['long', 'short'] as const) {
      const ms = await measure(histories[side]);
      if (sample >= 0) times[side].push(ms);
    }
  }
  report({
    figure: `samples of perform-list, ${what}, of an organisation with 1,000,000 flow events against one with 1,000`,
    ours: median(times.long),
    peer: median(times.short),
    unit: 'ms',
    target: { atMost: 1.2 },
  });
}
for (const { store, queue } of Object.values(histories)) {
  await queue.close();
  await store.close();
}
