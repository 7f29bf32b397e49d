import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const batchSize = 100;
const publishers = 10;

const batchOf = (number: number) =>
  Array.from({ length: batchSize }, (_, index) => ({
    orgId: 'acme',
    type: 'order.paid',
    id: `batch-${number}-${index}`,
    data: { number, index },
  }));

describe('batches of a service that is killed', function () {
  this.timeout(240_000);
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await startService();
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  const publish = (number: number) => service.fetch('/api/flows/batch', { json: batchOf(number) });

  /** The number of recorded events of each batch. Only while no service uses the directory. */
  async function recorded(): Promise<ReadonlyMap<number, number>> {
    const store = openSqliteEventStore({ directory: service.dataDirectory });
    const numbers = new Map<number, number>();
    for await (const { data } of store.readAll({ filter: { categories: ['flow'] } })) {
      const { number } = (data as { data: { number: number } }).data;
      numbers.set(number, (numbers.get(number) ?? 0) + 1);
    }
    await store.close();
    return numbers;
  }

  it('are recorded as wholes, and once each if they are repeated', async () => {
    await subscribe(service, `${receiver.origin}/hook`, { subscriptionType: '*' });
    const statuses = new Map<number, number>(); // by batch that was answered
    let next = 0;
    let lost = 0;
    for (let round = 0; round < 3; round += 1) {
      const [first, answersBefore] = [next, statuses.size];
      let ending = false;
      const publishOn = async () => {
        while (!ending) {
          const number = next;
          next += 1;
          await publish(number).then(
            ({ status }) => void statuses.set(number, status),
            (error: unknown) => {
              if (!(error instanceof TypeError)) throw error; // fetch's where a connection ends
              lost += 1;
            },
          );
        }
      };
      const publishing = Promise.all(Array.from({ length: publishers }, publishOn));
      await until(() => statuses.size > answersBefore, 'an answer');
      ending = true;
      await service.stop('SIGKILL');
      await publishing;
      const numbers = await recorded();
      expect([...new Set(numbers.values())]).to.deep.equal([batchSize]);
      for (const [number, status] of statuses) {
        expect(status, `batch ${number}`).to.equal(202);
        expect(numbers.get(number), `batch ${number}`).to.equal(batchSize);
      }
      service = await startService({ dataDirectory: service.dataDirectory });
      for (let number = first; number < next; number += 1) {
        const { status, body } = await publish(number);
        expect(body).to.include({ accepted: batchSize, rejected: 0 });
        statuses.set(number, status);
      }
    }
    expect(lost, 'batches without an answer').to.be.above(0);
    await service.stop('SIGKILL');
    expect(await recorded()).to.deep.equal(new Map(Array.from({ length: next }, (_, number) => [number, batchSize])));
    service = await startService({ dataDirectory: service.dataDirectory });
    const delivered = () =>
      new Map(receiver.received.map(({ body, headers }) => [JSON.parse(body).id, headers['webhook-id']]));
    await until(() => delivered().size === next * batchSize, 'all events at the listener', { limitMs: 120_000 });
    expect(new Set(delivered().values()).size, 'one webhook-id for each event').to.equal(next * batchSize);
  });
});
