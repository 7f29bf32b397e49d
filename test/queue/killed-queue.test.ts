import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { leaseRequest, succeeded } from '../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

type Progress = { enqueued: number; recorded: number };

const child = fileURLToPath(new URL('../support/deliveries/queue-child.js', import.meta.url));

describe('a delivery queue whose process is killed', () => {
  it('keeps all acknowledged deliveries, and leases those under way at once', async () => {
    const directory = temporaryDirectory();
    let enqueued = 0;
    let recorded = 0;
    for (let run = 0; run < 3; run += 1) {
      const process = fork(child, [directory]);
      const progress: Progress[] = [];
      process.on('message', (message) => progress.push(message as Progress));
      while (progress.length < 10) await once(process, 'message');
      process.kill('SIGKILL');
      await once(process, 'exit');
      enqueued += progress.at(-1)?.enqueued ?? 0;
      recorded += progress.at(-1)?.recorded ?? 0;
    }

    const queue = openSqliteDeliveryQueue({ directory });
    const { waiting, succeeded: done } = await queue.counts(1_000);
    expect(waiting + done).to.be.at.least(enqueued);
    expect(done).to.be.at.least(recorded);
    const { deliveries } = await queue.lease(leaseRequest({ limit: 10_000, perListener: 10_000 }));
    expect(deliveries.length).to.equal(waiting);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(waiting);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: waiting + done });
    await queue.close();
  });
});
