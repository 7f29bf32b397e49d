import { expect } from 'chai';
import { fanOutPassed, handedOverUpTo } from '../../../src/deliveries/fan-out/partitions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('how far the fan-out has come', () => {
  it("is up to an organisation's first event that waits, and up to the checkpoint for others", async () => {
    const queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    expect(await handedOverUpTo(queue, 'acme')).to.equal(undefined);
    const waiting = [{ orgId: 'acme', position: 5n, stream: 'flow-a', revision: 0n }];
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader: 'fan-out', position: 10n, waiting } }, 900);
    expect(await handedOverUpTo(queue, 'acme')).to.equal(4n);
    expect(await handedOverUpTo(queue, 'globex')).to.equal(10n);
    expect(await fanOutPassed(queue, { orgId: 'acme', position: 5n }, 0)).to.equal(false);
    expect(await fanOutPassed(queue, { orgId: 'acme', position: 4n }, 0)).to.equal(true);
    expect(await fanOutPassed(queue, { orgId: 'globex', position: 10n }, 0)).to.equal(true);
    await queue.close();
  });
});
