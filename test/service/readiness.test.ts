import { expect } from 'chai';
import type { WorkerStatus } from '../../src/deliveries/worker/worker.js';
import { readiness } from '../../src/service/readiness.js';
import type { FollowerStatus } from '../../src/stores/read-model/follower.js';

describe('readiness', () => {
  const unbuilt: FollowerStatus = { name: 'listeners', build: undefined, position: undefined, caughtUp: false };

  function reasonOf(status: FollowerStatus): string | undefined {
    const parts = readiness({
      storeTrouble: () => undefined,
      subscriptionsInTrouble: () => [],
      followers: [{ status: () => status, passed: async () => {}, stop: async () => {} }],
      deliveries: undefined,
    })();
    const view = parts.find(({ part }) => part === 'view listeners');
    return view && 'reason' in view ? view.reason : undefined;
  }

  it('says of a view whether it is built for the first time, or again because it was damaged', () => {
    expect(reasonOf(unbuilt)).to.equal('it is being built');
    const setAside = { as: 'listeners.v2.run.db.damaged-2026-01-31T12-00-00.000Z', since: '2026-01-31T12:00:00.000Z' };
    expect(reasonOf({ ...unbuilt, setAside })).to.equal(
      'it was damaged and has been set aside; it is being built again',
    );
  });

  it('names the error of a view first: it keeps the view from being built', () => {
    const error = { message: '/var/lib/flow-hooks is full', position: undefined };
    expect(reasonOf({ ...unbuilt, error })).to.equal('it has stopped and tries again; the log says why');
  });
});

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
