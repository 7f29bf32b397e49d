import { expect } from 'chai';
import { FairQueue } from '../../../src/deliveries/transforms/fair-queue.js';

describe('a fair queue', () => {
  let queue: FairQueue<string>;
  beforeEach(() => {
    queue = new FairQueue();
  });

  const add = (orgId: string, owner: string, ...jobs: readonly string[]) => {
    for (const job of jobs) queue.add(orgId, owner, job);
  };
  const taken = (): readonly string[] => {
    const jobs: string[] = [];
    for (let job = queue.take(); job !== undefined; job = queue.take()) jobs.push(job);
    return jobs;
  };

  it('lets organisations take turns, and the owners of each', () => {
    add('a', 'x', 'ax1', 'ax2');
    add('a', 'y', 'ay1');
    add('b', 'x', 'bx1', 'bx2');
    expect(taken()).to.deep.equal(['ax1', 'bx1', 'ay1', 'bx2', 'ax2']);
  });

  it('takes the job of the organisation that has used the least time', () => {
    for (const owner of ['x', 'y', 'z']) add('heavy', owner, `heavy ${owner}`);
    expect(queue.take()).to.equal('heavy x');
    queue.charge('heavy', 900);
    add('light', 'x', 'light 1', 'light 2');
    expect(queue.take()).to.equal('light 1');
    queue.charge('light', 5);
    expect(taken()).to.deep.equal(['light 2', 'heavy y', 'heavy z']);
  });

  it('gives no credit for time in which nothing waited', () => {
    for (let count = 0; count < 10; count += 1) {
      add('steady', 'x', 'steady');
      queue.take();
      queue.charge('steady', 100);
    }
    add('steady', 'x', 'steady 1', 'steady 2');
    add('late', 'x', 'late 1', 'late 2', 'late 3', 'late 4');
    const order: (string | undefined)[] = [];
    for (let count = 0; count < 6; count += 1) {
      const job = queue.take();
      order.push(job);
      queue.charge(job?.split(' ')[0] ?? '', 100);
    }
    expect(order.indexOf('steady 2')).to.be.at.most(4);
  });

  it('releases all jobs when it is cleared', () => {
    add('a', 'x', 'ax1');
    add('b', 'y', 'by1');
    expect(queue.clear()).to.deep.equal(['ax1', 'by1']);
    expect(queue.take()).to.equal(undefined);
  });
});
