import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { publish, signIn, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

const kilobytesOf = ({ pid }: ServiceProcess): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]));

describe('deliveries that were interrupted', function () {
  this.timeout(120_000);
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it('are made again when the service was killed in the middle of a post, under the same id', async () => {
    const service = await startService();
    await signIn(service);
    await subscribe(service, `${receiver.origin}/1`);
    receiver.answer('nothing');
    await publish(service, { type: 'flow.completed', data: { n: 1 } });
    await receiver.has(1);
    await service.stop('SIGKILL');

    receiver.answer(200);
    const restarted = await startService({ dataDirectory: service.dataDirectory });
    const [first, second] = await receiver.has(2);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    expect(second?.body).to.equal(first?.body);
    await restarted.stop();
  });

  it('go on at once after a restart, in little memory, where 100,000 are waiting', async () => {
    const service = await startService();
    await signIn(service);
    const { listenerId } = await subscribe(service, `${receiver.origin}/many`);
    await publish(service, { type: 'flow.completed', data: {} });
    await receiver.has(1);
    const without = kilobytesOf(service);
    await service.stop();
    const queue = openSqliteDeliveryQueue({ directory: service.dataDirectory });
    for (let n = 0; n < 10; n += 1) {
      const batch = batchOf([queuedListener({ listenerId })], 10_000);
      await queue.enqueue({ ...batch, listeners: [] }, Date.now()); // the queue knows the listener
    }
    await queue.close();

    const restarted = await startService({ dataDirectory: service.dataDirectory });
    await receiver.has(500);
    expect(kilobytesOf(restarted) - without, 'more than with none').to.be.lessThan(80_000);
    await restarted.stop('SIGKILL');
  });
});
