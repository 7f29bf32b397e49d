import { expect } from 'chai';
import type { SeenLeases } from '../../../src/stores/leases/mongodb/lease-records.js';
import { sharedLeases } from '../../../src/stores/leases/mongodb/shared-leases.js';
import { until } from '../../support/until.js';

describe('leases that several instances share', () => {
  it('report an outage of their store once, until it is over', async () => {
    const reported: string[] = [];
    let looks = 0;
    let isAway = true;
    const shared = sharedLeases({
      name: 'task',
      count: 2,
      holder: 'this',
      times: { leaseMs: 3_000, retryMs: 0 },
      async look(): Promise<SeenLeases> {
        looks += 1;
        await new Promise(setImmediate);
        if (isAway) throw new Error('the store is away');
        return new Map();
      },
      lead: async () => undefined,
      member: {
        name: 'task/instance/this',
        join: () => ({ status: () => ({ name: '', held: true, holder: 'this' }), stop: async () => undefined }),
      },
      isAway: () => false,
      removeMember: async () => undefined,
      onFailure: (error) => void reported.push(String(error)),
    });
    const looked = async (more: number) => {
      const before = looks;
      await until(() => looks >= before + more, 'further looks');
    };
    await looked(5);
    expect(reported).to.deep.equal(['Error: the store is away']);
    expect(shared.status().map(({ error }) => error?.message)).to.deep.equal(Array(2).fill('the store is away'));
    isAway = false;
    await looked(3);
    isAway = true;
    await looked(5);
    await shared.stop();
    expect(reported).to.deep.equal(Array(2).fill('Error: the store is away'));
  });
});
