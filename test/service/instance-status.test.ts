import { expect } from 'chai';
import { showServiceRoute } from '../../src/admin/api/contracts/service.js';
import { version } from '../../src/kernel/version.js';
import { instanceStatus } from '../../src/service/status/instance-status.js';

type Instance = Parameters<typeof instanceStatus>[1];

const follower = (name: string, lease: { held: boolean; holder: string | undefined }) =>
  ({ status: () => ({ lease: { name, ...lease } }) }) as unknown as Instance['followers'][number]; // all that is read

const unsafe = { setting: 'ALLOW_HTTP', voids: 'TLS' };

describe('the state of an instance', () => {
  it('names its version, tasks, parts and leaderships, in the form that the API describes', () => {
    const status = instanceStatus(
      { mode: 'production', roles: new Set(['api', 'projector']), cluster: undefined, unsafe: [unsafe] },
      {
        ready: () => [{ part: 'event store', ready: false, since: '2026-01-31T12:00:00.000Z', reason: 'it is down' }],
        followers: [
          follower('view-listeners', { held: true, holder: 'listeners-1' }),
          follower('view-sessions', { held: false, holder: undefined }),
        ],
        dispatcher: undefined,
        eventTypeMismatches: () => [],
      },
    )();
    expect(showServiceRoute.answer.schema.safeParse(status).error).to.equal(undefined);
    expect(status).to.deep.include({
      version,
      nodeVersion: process.versions.node,
      mode: 'production',
      roles: ['api', 'projector'],
      stores: 'embedded',
      unsafe: [unsafe],
      dispatcher: null,
      leases: [
        { name: 'view-listeners', isHeld: true, holder: 'listeners-1' },
        { name: 'view-sessions', isHeld: false, holder: null },
      ],
    });
    expect(status.parts).to.have.length(1);
    expect(Date.parse(status.startedAt)).to.be.within(Date.now() - process.uptime() * 1_000 - 5_000, Date.now());
  });

  it('tells how far it has fanned out, and its attempts under way', () => {
    const fanOut = { position: 4_712n, partitions: 1, organisationsWaiting: 0, error: undefined };
    const dispatcher = {
      status: () => ({ fanOut, worker: { underWay: 3, error: new Error('/secret/path'), outage: undefined } }),
    };
    const settings = {
      mode: 'development',
      roles: new Set(['dispatcher'] as const),
      cluster: undefined,
      unsafe: [],
    } as const;
    const status = instanceStatus(settings, {
      ready: () => [],
      followers: [],
      eventTypeMismatches: () => [],
      dispatcher,
    })();
    expect(status.dispatcher).to.deep.equal({ fanOutPosition: '4712', fanOutPartitions: 1, attemptsUnderWay: 3 });
    expect(JSON.stringify(status)).not.to.include('secret');
  });
});
