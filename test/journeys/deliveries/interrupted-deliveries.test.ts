import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { batchOf, target } from '../../support/deliveries/delivery-batches.js';
import { type Receiver, startReceiver } from '../../support/hooks/receiver.js';
import { publish, signIn, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

const kilobytesOf = ({ pid }: ServiceProcess): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]));

describe('deliveries that were interrupted', function () {
  this.timeout(120_000);
  let hook: Receiver;
  beforeEach(async () => {
    hook = await startReceiver();
  });
  afterEach(() => hook.close());

  it('are made again when the service was killed in the middle of a post, under the same id', async () => {
    const service = await startService();
    await signIn(service);
    await subscribe(service, `${hook.origin}/1`);
    hook.answer('nothing');
    await publish(service, { type: 'flow.completed', data: { n: 1 } });
    await hook.has(1);
    await service.stop('SIGKILL');

    hook.answer(200);
    const restarted = await startService({ dataDirectory: service.dataDirectory });
    const [first, second] = await hook.has(2);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    expect(second?.body).to.equal(first?.body);
    await restarted.stop();
  });

  it('go on at once after a restart, in little memory, where 100,000 are waiting', async () => {
    const service = await startService();
    await signIn(service);
    const { listenerId } = await subscribe(service, `${hook.origin}/many`);
    await publish(service, { type: 'flow.completed', data: {} });
    await hook.has(1);
    const without = kilobytesOf(service);
    await service.stop();
    const queue = openSqliteDeliveryQueue({ directory: service.dataDirectory });
    for (let n = 0; n < 10; n += 1) {
      const batch = batchOf([target({ listenerId })], 10_000);
      await queue.enqueue({ ...batch, hooks: [] }, Date.now()); // the queue knows the hook
    }
    await queue.close();

    const restarted = await startService({ dataDirectory: service.dataDirectory });
    const began = performance.now();
    await hook.has(500);
    expect(performance.now() - began).to.be.lessThan(20_000);
    expect(kilobytesOf(restarted) - without, 'more than with none').to.be.lessThan(80_000);
    await restarted.stop('SIGKILL');
  });
});
