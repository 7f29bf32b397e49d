import { expect } from 'chai';
import type { WorkerStatus } from '../../src/deliveries/worker/worker.js';
import { readiness } from '../../src/service/readiness.js';

describe('the readiness of deliveries', () => {
  const partOf = (worker: Partial<WorkerStatus>) => {
    const parts = readiness({
      storeTrouble: () => undefined,
      subscriptionsInTrouble: () => [],
      followers: [],
      deliveries: {
        status: () => ({
          fanOut: { position: 1n, error: undefined },
          worker: { underWay: 0, error: undefined, outage: undefined, ...worker },
        }),
      },
    });
    return parts().find(({ part }) => part === 'deliveries');
  };

  it('is given while they go on', () => {
    expect(partOf({})).to.deep.equal({ part: 'deliveries', ready: true });
  });

  it('is not given while they wait for our own network, and names the failure', () => {
    const part = partOf({ outage: { failure: 'local_network', since: 0, givenBack: 1 } });
    expect(part).to.include({ ready: false, reason: 'local_network' });
  });
});
