import { expect } from 'chai';
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
