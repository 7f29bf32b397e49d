import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import { batchOf, failed, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';

onMongoDb('the delivery queue: cost of reading and purging', ({ server, database }) => {
  describe('the delivery queue: cost of reading and purging', () => {
    const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true });
    after(() => client.close());

    const listeners = [queuedListener(), queuedListener(), queuedListener(), queuedListener({ ordered: true })];
    const listenerId = listeners[0]?.listenerId ?? '';
    let queue: DeliveryQueue;
    let databaseName: string;

    before(async () => {
      databaseName = database(randomUUID()).db.databaseName;
      const db = client.db(databaseName);
      queue = await openMongoDeliveryQueue({ db, patient: db });
      const batch = batchOf(listeners, 100, 'event');
      const deliveries = batch.deliveries.map((each, index) => (index % 50 === 0 ? { ...each, replay: 'r' } : each));
      await queue.enqueue({ ...batch, deliveries }, 900);
      const leased = (await queue.lease(leaseRequest({ limit: 300, perListener: 300 }))).deliveries;
      await queue.record(leased.slice(0, 290).map(succeeded), 1_000);
      await queue.record(
        leased.slice(290).map((each) => failed(each, 2_000)),
        1_000,
      );
    });

    /** The server's query plans for the commands of the work; empty on FerretDB, whose explain output differs. */
    async function plansOf(work: () => Promise<unknown>): Promise<readonly string[]> {
      if ((await client.db('admin').command({ buildInfo: 1 })).ferretdb !== undefined) return [];
      const sent: Document[] = [];
      const note = ({ command }: CommandStartedEvent) => sent.push(command);
      client.on('commandStarted', note);
      await work();
      client.off('commandStarted', note);
      const plans: string[] = [];
      for (const command of sent) {
        for (const explain of explainable(command)) {
          const { queryPlanner } = await client.db(databaseName).command({ explain, verbosity: 'queryPlanner' });
          plans.push(`${Object.values(explain)[0]}: ${JSON.stringify(queryPlanner.winningPlan)}`);
        }
      }
      return plans;
    }

    const everything: Readonly<Record<string, () => Promise<unknown>>> = {
      'a list of an organisation': () => queue.deliveries({ orgId: 'acme' }),
      'a list by state': () => queue.deliveries({ orgId: 'acme', states: ['exhausted'] }),
      'a list of a listener': () => queue.deliveries({ orgId: 'acme', listenerId, states: ['waiting', 'held'] }),
      'a list of an event': () => queue.deliveries({ orgId: 'acme', eventId: 'event-7' }),
      'a list of a replay': () => queue.deliveries({ orgId: 'acme', replay: 'r' }),
      'a delivery': () => queue.deliveries({ orgId: 'acme', id: `event-7/${listenerId}` }),
      'deliveries of an event at a listener': () => queue.deliveries({ orgId: 'acme', eventId: 'event-7', listenerId }),
      statistics: () => daysOf(queue, { orgId: 'acme', from: '1970-01-01', to: '1970-01-02' }),
      'statistics by half hour': () =>
        queue.statistics({ by: 'half hour', orgId: 'acme', listenerId, from: 0, to: 86_400_000 }),
      'activity by minute': () => queue.activity({ from: 0, to: 5_000 }),
      'what keeps listeners back': () => queue.listenerStates(listeners.map((listener) => listener.listenerId)),
      'listeners in trouble': () => queue.listeners({ dueBefore: 5_000, limit: 50 }),
      'how many breakers are open, and what is due': () => queue.counts(1_000),
      'events by their positions': () => queue.events({ orgId: 'acme', after: 3n, upTo: 90n, limit: 10 }),
      'the latest events': () => queue.events({ orgId: 'acme', before: 90n, limit: 10 }),
      'an event by its id': () => queue.events({ orgId: 'acme', eventId: 'event-7' }),
      'a redelivery': () => queue.redeliver({ orgId: 'acme', listenerId, states: ['succeeded'], limit: 3 }, 1_000),
      'a cancelled replay': () => queue.withdraw({ replay: 'r' }),
      'forgetting half hours': () => queue.forget({ of: 'halfHours', before: 5_000, limit: 20 }),
      'a purge': () => queue.forget({ of: 'deliveries', before: 5_000, limit: 20 }),
    };

    /** One document for each state, and a bounded number of events. */
    const scanned = /^queue\.(tally|setAside)/;
    for (const [what, work] of Object.entries(everything)) {
      it(`uses indexes for ${what}`, async () => {
        const plans = (await plansOf(work)).filter((plan) => !scanned.test(plan));
        for (const plan of plans) expect(plan).not.to.contain('"COLLSCAN"');
      });
    }

    it('reads a page of the log in index order, without a sort', async () => {
      const [last] = (await queue.deliveries({ orgId: 'acme', states: ['succeeded'], limit: 1 })).deliveries;
      const page = { orgId: 'acme', states: ['succeeded'], limit: 5, after: last?.cursor ?? '' } as const;
      for (const plan of await plansOf(() => queue.deliveries(page))) expect(plan).not.to.contain('"SORT"');
    });
  });
});

/** The statements of a command that search, except for counts and lookups by id. */
function explainable(command: Document): readonly Document[] {
  const { find, filter, projection, sort, limit, aggregate } = command;
  if (find) return [{ find, filter, projection, ...(sort && { sort }), ...(limit && { limit }) }];
  if (command.update) return command.updates.map((each: Document) => ({ update: command.update, updates: [each] }));
  if (command.delete) return command.deletes.map((each: Document) => ({ delete: command.delete, deletes: [each] }));
  return aggregate ? [{ find: aggregate, filter: command.pipeline[0].$match }] : [];
}
