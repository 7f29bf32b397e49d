import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { batchOf, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf, sentBy } from '../../support/mongodb/sent-commands.js';

/** The cost of a lease on the server. */
type Cost = { commands: number; examined: number; plans: readonly string[] };

onMongoDb('the delivery queue: cost of leasing', ({ server, database }) => {
  describe('the delivery queue: cost of leasing', () => {
    const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true });
    after(() => client.close());

    /** FerretDB sorts in memory, and its explain output differs. */
    const usesIndexesForSorting = async () =>
      (await client.db('admin').command({ buildInfo: 1 })).ferretdb === undefined;

    async function costOfLeasing(waitingPerListener: number): Promise<Cost> {
      const db = client.db(database(randomUUID()).db.databaseName);
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      const listeners = Array.from({ length: 10 }, () => queuedListener());
      for (let rest = waitingPerListener; rest > 0; rest -= 100) await queue.enqueue(batchOf(listeners, 100), 900);
      const request = leaseRequest({ limit: 100, perListener: 16 });
      const all = await sentBy(client, () => queue.lease(request));
      const sent = all.filter((command) => /queue\.(deliveries|listeners|messages)$/.test(nameOf(command))); // others come by time
      if (!(await usesIndexesForSorting())) return { commands: sent.length, examined: 0, plans: [] };
      let examined = 0;
      const plans: string[] = [];
      for (const { find, filter, projection, sort, limit } of sent.filter((command) => 'find' in command)) {
        const explain = { find, filter, projection, ...(sort && { sort }), ...(limit && { limit }) };
        const { executionStats, queryPlanner } = await db.command({ explain, verbosity: 'executionStats' });
        examined += Number(executionStats.totalDocsExamined);
        plans.push(JSON.stringify(queryPlanner.winningPlan));
      }
      return { commands: sent.length, examined, plans };
    }

    it('is the same for 20,000 waiting deliveries as for 1,000, without a collection scan or a sort', async () => {
      const few = await costOfLeasing(100);
      const many = await costOfLeasing(2_000);
      for (const plan of [...few.plans, ...many.plans]) {
        expect(plan).not.to.contain('"COLLSCAN"');
        expect(plan).not.to.contain('"SORT"');
      }
      expect(many.plans.filter((plan) => plan.includes('"due_of_listener"')).length).to.equal(
        few.plans.length > 0 ? 10 : 0,
      );
      expect(many.commands).to.equal(few.commands);
      expect(many.examined).to.be.at.most(few.examined * 1.1);
    }).timeout(120_000);
  });
});
