import { expect } from 'chai';
import { KeySetUnavailable, ProviderUnavailable } from '../../src/access/errors.js';
import type { WorkerStatus } from '../../src/deliveries/worker/worker.js';
import { healthRoutes } from '../../src/http/health.js';
import { readiness } from '../../src/service/status/readiness.js';
import { ViewAheadOfStore } from '../../src/views/errors.js';
import type { FollowerStatus } from '../../src/views/follower.js';
import { serveRoutes } from '../support/service/serve-routes.js';

describe('readiness', () => {
  const unbuilt: FollowerStatus = { name: 'listeners', build: undefined, position: undefined, caughtUp: false };

  function reasonOf(status: FollowerStatus): string | undefined {
    const parts = readiness({
      storeFailure: () => undefined,
      failingSubscriptions: () => [],
      followers: [{ status: () => status, passed: async () => {}, stop: async () => {} }],
      deliveries: undefined,
      keySets: [],
      identityProviders: [],
    })();
    const view = parts.find(({ part }) => part === 'view listeners');
    return view && 'reason' in view ? view.reason : undefined;
  }

  it('says of a view whether it is built for the first time, or again because it was damaged', () => {
    expect(reasonOf(unbuilt)).to.equal('it is being built');
    const setAside = { as: 'listeners-v2-run.db.damaged-2026-01-31T12-00-00.000Z', since: '2026-01-31T12:00:00.000Z' };
    expect(reasonOf({ ...unbuilt, setAside })).to.equal(
      'it was damaged and has been set aside; it is being built again',
    );
  });

  it('names the error of a view first: it keeps the view from being built', () => {
    const error = { message: '/var/lib/flow-hooks is full', position: undefined };
    expect(reasonOf({ ...unbuilt, error })).to.equal('it has failed, and is retried; the log says why');
    const full = { message: 'listeners.db: database or disk is full (SQLITE_FULL)', position: undefined };
    expect(reasonOf({ ...unbuilt, error: full })).to.equal('the disk is full: free some space, and it continues');
    const { message } = new ViewAheadOfStore('listeners', 305n, 263n);
    expect(reasonOf({ ...unbuilt, error: { message, position: 305n } })).to.equal(
      'position 305 of listeners is after the end of the events, 263: rebuild it',
    );
  });
});

describe('the readiness of deliveries', () => {
  const partOf = (worker: Partial<WorkerStatus>) => {
    const parts = readiness({
      storeFailure: () => undefined,
      failingSubscriptions: () => [],
      followers: [],
      keySets: [],
      identityProviders: [],
      deliveries: {
        status: () => ({
          fanOut: { position: 1n, partitions: 1, organisationsWaiting: 0, error: undefined },
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
    const part = partOf({ outage: { failure: 'local_network', since: 0, released: 1 } });
    expect(part).to.include({ ready: false, reason: 'this machine has no route to the network, or no free port' });
  });
});

describe('the readiness of key sets and identity providers', () => {
  it('names each and the code of its failure, and is not required for that of the service', async () => {
    const failure = new KeySetUnavailable('https://login.internal/jwks', new Error('getaddrinfo ENOTFOUND'));
    const reason = 'the name of the server is not resolved';
    const parts = readiness({
      storeFailure: () => undefined,
      failingSubscriptions: () => [],
      followers: [],
      deliveries: undefined,
      keySets: [{ name: 'LOGIN_JWKS', failure: () => failure }],
      identityProviders: [{ name: 'https://id.example', failure: () => new ProviderUnavailable('x', failure) }],
    });
    const notRequired = { ready: false, required: false };
    expect(parts().at(-2)).to.include({ ...notRequired, part: 'key set LOGIN_JWKS', reason });
    const part = 'identity provider https://id.example';
    expect(parts().at(-1)).to.include({ ...notRequired, part, reason });
    const served = await serveRoutes(healthRoutes(parts));
    try {
      const { status, body } = await served.get('/readyz');
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'ready' });
    } finally {
      await served.close();
    }
  });
});
