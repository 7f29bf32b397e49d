import { randomUUID } from 'node:crypto';
import { latestFlowEvents } from '../../../src/deliveries/queries/latest-flow-events.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { flowRoutes } from '../../../src/flows/flows.js';
import { newFlowEvent } from '../../../src/flows/publish-flow-event.js';
import { publishingChecks } from '../../../src/flows/types/publishing-checks.js';
import { ensureDefaultTask } from '../../../src/listeners/integration-tasks/ensure-default-task.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { emptyBatch } from '../../../test/support/deliveries/delivery-batches.js';
import { headerIdentity } from '../../../test/support/service/header-identity.js';
import { noLimits } from '../../../test/support/service/no-limits.js';
import { serveRoutes } from '../../../test/support/service/serve-routes.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { durationOf, mediansInTurns } from '../../support/in-turns.js';
import { report } from '../../support/report.js';

const events = { long: 1_000_000, short: 1_000 };
const perStep = 10_000;
const orgId = 'org-1';
const types = ['order.paid', 'order.sent', 'order.returned'];

/** Events as the fan-out leaves them where no listener matches. */
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
  await ensureDefaultTask(store, cause, new Date());
  const served = await serveRoutes(
    flowRoutes({
      prefix: '/api/hooks',
      store,
      readModel: { find: async () => [] },
      identity: headerIdentity,
      checkPublished: publishingChecks(store),
      subscriptionTypes: undefined,
      maxEventBytes: 10_000,
      pace: async () => undefined,
      limits: noLimits,
      latestFlowEvents: latestFlowEvents({ store, queue }),
      transformSample: async ({ event }) => ({ kind: 'done', body: event }),
    }),
  );
  return { store, queue, served };
}

type History = Awaited<ReturnType<typeof historyOf>>;

const histories = { long: await historyOf(events.long), short: await historyOf(events.short) };

for (const [what, query] of [
  ['100 of any type', ''],
  ['100 of one type of three', '?subscriptionType=order.sent'],
] as const) {
  const measure =
    ({ served }: History) =>
    () =>
      durationOf(async () => {
        const { status, body } = await served.get(`/api/hooks/perform-list${query}`, { orgid: orgId });
        if (status !== 201 || !Array.isArray(body) || body.length !== 100)
          throw new Error(`${status}: not 100 samples`);
      });
  report({
    figure: `samples of perform-list, ${what}, of an organisation with 1,000,000 flow events against one with 1,000`,
    ...(await mediansInTurns(
      { rounds: 300, warmUps: 50 },
      { ours: measure(histories.long), peer: measure(histories.short) },
    )),
    unit: 'ms',
    target: { atMost: 1.2 },
  });
}
for (const { store, queue, served } of Object.values(histories)) {
  await served.close();
  await queue.close();
  await store.close();
}
