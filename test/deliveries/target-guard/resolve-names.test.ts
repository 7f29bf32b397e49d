import { utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { failureClass } from '../../../src/deliveries/posting/failure-class.js';
import {
  type NameSources,
  resolveNamesWith,
  sharedLookups,
} from '../../../src/deliveries/target-guard/resolve-names.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { TargetNotAllowed } from '../../../src/deliveries/target-guard/target-judge.js';
import { type NameServer, startNameServer } from '../../support/receivers-of-listeners/name-server.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const dead = { A: 'silence', AAAA: 'silence' } as const;
const deadNames = Array.from({ length: 100 }, (_, n) => `dead-${n}.example.com`);
const zone = {
  'both.example.com': { A: ['8.8.8.8', '8.8.4.4'], AAAA: ['2606:4700:4700::1111'] },
  'old.example.com': { A: ['8.8.8.8'], AAAA: [] },
  'new.example.com': { A: [], AAAA: ['2606:4700:4700::1111'] },
  'half.example.com': { A: ['8.8.8.8'], AAAA: 'failure' },
  'slow-half.example.com': { A: 'silence', AAAA: ['2606:4700:4700::1111'] },
  'empty.example.com': { A: [], AAAA: [] },
  'half-empty.example.com': { A: [], AAAA: 'silence' },
  'broken.example.com': { A: 'failure', AAAA: 'failure' },
  'here.example.com': { A: ['127.0.0.1'], AAAA: [] },
  'rebind.example.com': { A: ['127.0.0.1'], AAAA: ['fd00::1'] },
  ...Object.fromEntries(deadNames.map((name) => [name, dead])),
} as const;

describe('resolving names', () => {
  let server: NameServer;
  let askedSystem: string[];
  before(async () => {
    server = await startNameServer(zone);
  });
  beforeEach(() => {
    askedSystem = [];
    server.asked.length = 0;
  });
  after(() => server.close());

  const notFound = async (hostname: string) => {
    askedSystem.push(hostname);
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  };
  const resolver = (sources: NameSources = {}) =>
    resolveNamesWith({ hosts: '/nowhere', servers: [server.address], askSystem: notFound, ...sources });
  const addressesOf = async (hostname: string, sources: NameSources = {}) =>
    (await resolver(sources)(hostname)).map(({ address }) => address);

  it('gives the loopback addresses of localhost and the names below it, and asks no server', async () => {
    for (const name of ['localhost', 'shop.localhost', 'a.b.LOCALHOST']) {
      expect(await addressesOf(name)).to.deep.equal(['127.0.0.1', '::1']);
    }
    expect(server.asked).to.deep.equal([]);
    expect(askedSystem).to.deep.equal([]);
  });

  it('gives all addresses of both families', async () => {
    expect(await resolver()('both.example.com')).to.deep.equal([
      { address: '8.8.8.8', family: 4 },
      { address: '8.8.4.4', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it('gives those of one family where the name has no others', async () => {
    expect(await addressesOf('old.example.com')).to.deep.equal(['8.8.8.8']);
    expect(await addressesOf('new.example.com')).to.deep.equal(['2606:4700:4700::1111']);
  });

  it('gives those of one family where the other fails, or is never answered', async () => {
    expect(await addressesOf('half.example.com')).to.deep.equal(['8.8.8.8']);
    expect(await addressesOf('slow-half.example.com')).to.deep.equal(['2606:4700:4700::1111']);
  });

  it('repeats a query without an answer, at the next server if one is dead', async () => {
    const next = await startNameServer({ 'dead-0.example.com': { A: ['8.8.8.8'], AAAA: [] } });
    const servers = [server.address, next.address];
    expect(await addressesOf('dead-0.example.com', { servers })).to.deep.equal(['8.8.8.8']);
    await next.close();
    await rejection(resolver()('dead-1.example.com'));
    expect(server.asked.filter((name) => name === 'dead-1.example.com').length).to.be.greaterThan(2);
  });

  it('asks the system for a name that no name server knows', async () => {
    const askSystem = async () => [{ address: '10.0.0.7', family: 4 }];
    expect(await addressesOf('printer', { askSystem })).to.deep.equal(['10.0.0.7']);
    expect(await addressesOf('empty.example.com', { askSystem })).to.deep.equal(['10.0.0.7']);
  });

  it('finds names that only the system knows', async () => {
    const resolve = resolveNamesWith({ hosts: '/nowhere', servers: [server.address] });
    expect(await resolve(hostname())).to.have.length.greaterThan(0); // the name of this machine
    expect(server.asked).to.include(hostname());
  });

  it('asks the system where there is no name server', async () => {
    const gone = await startNameServer({});
    await gone.close();
    const askSystem = async () => [{ address: '10.0.0.7', family: 4 }];
    expect(await addressesOf('printer', { servers: [gone.address], askSystem })).to.deep.equal(['10.0.0.7']);
  });

  it('does not take a name for unknown that the system does not know either, where no name server could be asked', async () => {
    const gone = await startNameServer({});
    await gone.close();
    expect(failureClass(await rejection(addressesOf('printer', { servers: [gone.address] })))).to.equal('resolver');
    expect(askedSystem).to.deep.equal(['printer']);
  });

  it('reports when names can be resolved: a name is found, or found not to exist', async () => {
    let resolved = 0;
    const onResolved = () => {
      resolved += 1;
    };
    const askSystem = async () => [{ address: '10.0.0.7', family: 4 }];
    await rejection(addressesOf('dead-0.example.com', { onResolved }));
    await rejection(addressesOf('broken.example.com', { onResolved }));
    await addressesOf('localhost', { onResolved, hosts: '/etc/hosts' });
    expect(resolved).to.equal(0);
    await addressesOf('both.example.com', { onResolved });
    await rejection(addressesOf('unknown.example.com', { onResolved }));
    expect(resolved).to.equal(2);
    const gone = await startNameServer({});
    await gone.close();
    await addressesOf('printer', { onResolved, askSystem, servers: [gone.address] });
    expect(resolved).to.equal(3);
  });

  it('asks the system once for a name, however many wait for it or have given up', async () => {
    const askSystem = (hostname: string) => {
      askedSystem.push(hostname);
      return new Promise<never>(() => undefined);
    };
    const lookUp = sharedLookups(resolver({ askSystem }), 200);
    await Promise.all([rejection(lookUp('printer')), rejection(lookUp('printer'))]);
    expect(await rejection(lookUp('printer'))).to.have.property('code', 'EAI_AGAIN');
    expect(askedSystem).to.deep.equal(['printer']);
  });

  const failing: readonly (readonly [what: string, hostname: string, failure: string])[] = [
    ['that does not exist', 'unknown.example.com', 'dns'],
    ['that has no address', 'empty.example.com', 'dns'],
    ['that is none', 'a..b', 'dns'],
    ['that is never answered', 'dead-0.example.com', 'resolver'],
    ['of which one family is never answered and the other has none', 'half-empty.example.com', 'resolver'],
    ['that the name server could not find out about', 'broken.example.com', 'resolver'],
  ];
  for (const [what, hostname, failure] of failing) {
    it(`fails as ${failure} for a name ${what}, and asks the system ${failure === 'dns' ? 'too' : 'nothing'}`, async () => {
      expect(failureClass(await rejection(resolver()(hostname)))).to.equal(failure);
      expect(askedSystem).to.deep.equal(failure === 'dns' ? [hostname] : []);
    });
  }

  describe('in the hosts file', () => {
    let hosts: string;
    let silent: NameServer;
    before(async () => {
      silent = await startNameServer({ localhost: dead, listeners: dead, 'listeners.internal': dead });
    });
    beforeEach(() => {
      hosts = join(temporaryDirectory(), 'hosts');
      writeFileSync(
        hosts,
        [
          '# the usual ones',
          '127.0.0.1\tlocalhost',
          '::1       localhost ip6-localhost',
          '127.0.0.1 localhost',
          '',
          '10.0.0.5  Listeners.internal listeners # added later: other',
          'nonsense  other',
        ].join('\r\n'),
      );
    });
    after(() => silent.close());

    it('finds names though no name server answers', async () => {
      const sources = { hosts, servers: [silent.address] };
      expect(await resolver(sources)('localhost')).to.deep.equal([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
      expect(await addressesOf('listeners', sources)).to.deep.equal(['10.0.0.5']);
      expect(await addressesOf('listeners.internal', sources)).to.deep.equal(['10.0.0.5']);
      expect(silent.asked).to.deep.equal([]);
    });

    it('finds no name in a comment or beside what is no address', async () => {
      expect(failureClass(await rejection(addressesOf('other', { hosts })))).to.equal('dns');
      expect(failureClass(await rejection(addressesOf('added', { hosts })))).to.equal('dns');
    });

    it('finds names that were added since', async () => {
      const resolve = resolver({ hosts });
      expect(await rejection(resolve('added.internal'))).to.have.property('code', 'ENOTFOUND');
      writeFileSync(hosts, '10.0.0.6 added.internal\n');
      utimesSync(hosts, new Date(), new Date(Date.now() + 1_000));
      expect(await resolve('added.internal')).to.deep.equal([{ address: '10.0.0.6', family: 4 }]);
    });

    it('finds the local host in that of the system', async () => {
      const found = await resolveNamesWith({ servers: [silent.address], askSystem: notFound })('localhost');
      expect(found.map(({ address }) => address)).to.include('127.0.0.1');
    });
  });

  describe('to connect to them', () => {
    let receiver: Server;
    before((done) => {
      receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1', done);
    });
    after((done) => {
      receiver.close(done);
    });

    const connector = () => {
      const guard = targetGuard(
        { allowHttp: true, allowLoopback: true, allowedTargets: [] },
        { resolve: resolveNamesWith({ servers: [server.address] }) },
      );
      const { port } = receiver.address() as AddressInfo;
      return (hostname: string) =>
        new Promise<void>((done, fail) => {
          const options = { protocol: 'http:', hostname, host: `${hostname}:${port}`, port: String(port) };
          guard.connect(options, (error, socket) => {
            if (error) return fail(error);
            socket?.destroy();
            done();
          });
        });
    };

    it('takes no longer while a hundred others are never answered, which fail in time as the resolver', async () => {
      const connect = connector();
      let given = 0;
      const failures = deadNames.map(async (name) => {
        const failure = await rejection(connect(name));
        given += 1;
        return failure;
      });
      await until(() => deadNames.every((name) => server.asked.includes(name)), 'all of them to be asked for');
      for (let n = 0; n < 10; n += 1) await connect('here.example.com');
      await connect('localhost');
      expect(given, 'those that have been given up by then').to.equal(0);
      for (const failure of await Promise.all(failures)) {
        expect(failureClass(failure)).to.equal('resolver');
        expect(String(failure), 'before the guard gives up').to.include('no name server answered');
      }
    });

    it('refuses a name of which an address of either family is not allowed', async () => {
      expect(await rejection(connector()('rebind.example.com'))).to.be.an.instanceOf(TargetNotAllowed);
    });
  });
});
