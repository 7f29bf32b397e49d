import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { durablePosition } from '../../../src/stores/event-store/sqlite/durable-position.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

describe('the durable end of the log', () => {
  let head: bigint;
  let syncs: { resolve: () => void; reject: (error: Error) => void }[];
  let end: ReturnType<typeof durablePosition>;

  beforeEach(() => {
    head = 5n;
    syncs = [];
    const synced = () => new Promise<void>((resolve, reject) => syncs.push({ resolve, reject }));
    end = durablePosition({ head: () => head }, { synced });
  });

  async function settled(): Promise<void> {
    const position = end.position();
    syncs[0]?.resolve();
    await position;
  }

  it('is the head once that is synced, and unknown at the beginning', async () => {
    const position = end.position();
    expect(syncs).to.have.lengthOf(1);
    syncs[0]?.resolve();
    expect(await position).to.equal(5n);
  });

  it('stays while commits wait for their sync, and moves when it is notified', async () => {
    await settled();
    head = 9n;
    expect(await end.position()).to.equal(5n);
    end.reached(8n);
    expect(await end.position()).to.equal(8n);
    end.reached(7n);
    expect(await end.position()).to.equal(8n);
    expect(syncs).to.have.lengthOf(1);
  });

  it('is found out anew where others may have appended, also while it is being found out', async () => {
    await settled();
    head = 9n;
    end.doubt();
    const position = end.position();
    head = 12n;
    end.doubt();
    const another = end.position();
    syncs[1]?.resolve();
    await until(() => syncs.length === 3, 'the sync of what came meanwhile');
    syncs[2]?.resolve();
    expect(await Promise.all([position, another])).to.deep.equal([12n, 12n]);
  });

  it('is not known while the disk refuses a sync', async () => {
    for (const attempt of [0, 1]) {
      const position = rejection(end.position());
      syncs[attempt]?.reject(new StoreUnavailable('the disk is gone'));
      expect(await position).to.be.instanceOf(StoreUnavailable);
    }
  });

  it('has passed a position once that is synced, and at once where it was', async () => {
    await settled();
    await end.passed(5n);
    expect(syncs).to.have.lengthOf(1);
    head = 7n;
    const passed = end.passed(6n);
    expect(syncs).to.have.lengthOf(2);
    syncs[1]?.resolve();
    await passed;
    expect(await end.position()).to.equal(7n);
  });

  it('as of now is that of all that was appended', async () => {
    await settled();
    head = 7n;
    const now = end.now();
    syncs[1]?.resolve();
    expect(await now).to.equal(7n);
  });
});
