import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import type { ListedDelivery } from '../../../src/queue/delivery-log.js';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { type Engine, startEngine } from '../../support/deliveries/delivery-engine.js';
import { type BadEndpoint, badEndpoint, drip, flood } from '../../support/receivers-of-listeners/bad-endpoint.js';
import { certificates, certificateKey as key } from '../../support/receivers-of-listeners/certificates.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { until } from '../../support/until.js';

const ok = (body = '', headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
const answers = (bytes: string | Buffer) => badEndpoint((socket) => socket.write(bytes));
const redirectsTo = (location: (own: BadEndpoint) => string): Promise<BadEndpoint> => {
  const endpoint: Promise<BadEndpoint> = badEndpoint(async (socket) =>
    socket.write(`HTTP/1.1 307 Go\r\nlocation: ${location(await endpoint)}\r\ncontent-length: 0\r\n\r\n`),
  );
  return endpoint;
};
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const floods = (beginning: string, more: string) => badEndpoint((socket) => flood(socket, beginning, more));
const showing = (cert: string) => badEndpoint((socket) => socket.write(ok()), { tls: { key, cert } });

const noListener = async (): Promise<BadEndpoint> => ({
  url: `http://127.0.0.1:${await reusablePort()}/hook`,
  connections: () => 0,
  close: async () => undefined,
});

const bomb = gzipSync(Buffer.alloc(10_000_000));
const secure = (endpoint: BadEndpoint): BadEndpoint => ({
  ...endpoint,
  url: endpoint.url.replace('http://127.0.0.1', 'https://tls.example.com'),
});

/** Behaviour of the listener, and the error of an attempt in the log: undefined for a success. */
const rows: readonly (readonly [what: string, open: () => Promise<BadEndpoint>, error: string | undefined])[] = [
  ['refuses connections', noListener, 'refused'],
  ['resets the connection', () => badEndpoint((socket) => socket.resetAndDestroy()), 'reset'],
  [
    'resets it within the body',
    () =>
      badEndpoint((socket) =>
        socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\nab', () => socket.resetAndDestroy()),
      ),
    'reset',
  ],
  ['hangs', () => badEndpoint(() => undefined), 'timeout'],
  [
    'drips its answer',
    () =>
      badEndpoint((socket) => {
        socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 9999\r\n\r\n');
        drip(socket, 'x', 30);
      }),
    'timeout',
  ],
  [
    'accepts, and drips the rest of its answer',
    () =>
      badEndpoint((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, 'x: 1\r\n', 30);
      }),
    undefined,
  ],
  ['folds a header', () => answers(ok('', 'x-policy: a;\r\n  b\r\n')), undefined],
  ['ends its lines with LF alone', () => answers(ok('fine').replaceAll('\r', '')), undefined],
  ['answers without end', () => floods(chunked, `1000\r\n${'x'.repeat(0x1000)}\r\n`), undefined],
  ['says 103 without end', () => floods('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), 'protocol'],
  [
    'answers with a gzip bomb',
    () =>
      answers(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`),
          bomb,
        ]),
      ),
    undefined,
  ],
  ['promises more than it sends', () => answers('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nab'), undefined],
  ['says 100 unasked', () => answers(`HTTP/1.1 100 Continue\r\n\r\n${ok()}`), undefined],
  ['redirects to itself', () => redirectsTo(({ url }) => url), 'http_status'],
  ['redirects to the metadata address', () => redirectsTo(() => 'http://169.254.169.254/latest'), 'http_status'],
  ['speaks HTTP/1.0', () => badEndpoint((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n')), undefined],
  ['has headers that are not ASCII', () => answers(ok('', 'x-note: smørrebrød\r\n')), undefined],
  ['has 64 kB of headers', () => answers(ok('', `x: ${'y'.repeat(65_536)}\r\n`)), undefined],
  ['shows a good certificate', () => showing(certificates.good), undefined],
  ['shows the certificate of another host', () => showing(certificates.ofAnotherHost), 'tls'],
  ['shows a certificate that has expired', () => showing(certificates.expired), 'tls'],
  ['shows a self-signed one', () => showing(certificates.selfSigned), 'tls'],
  [
    'speaks no TLS that is allowed',
    () =>
      badEndpoint(() => undefined, {
        tls: { key, cert: certificates.good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      }),
    'tls',
  ],
  [
    'speaks no TLS at all',
    async () => secure(await badEndpoint(() => undefined, { onConnection: (socket) => socket.end(ok()) })),
    'tls',
  ],
  [
    'resets the TLS handshake',
    async () => secure(await badEndpoint(() => undefined, { onConnection: (socket) => socket.resetAndDestroy() })),
    'reset',
  ],
  ['hangs in the TLS handshake', async () => secure(await badEndpoint(() => undefined)), 'connect_timeout'],
];

const events = 3;

describe('listeners that misbehave, beside a healthy one', () => {
  let engine: Engine;
  let healthy: Receiver;
  let healthyId: string;
  const endpoints: BadEndpoint[] = [];
  const listeners = new Map<string, string>();

  before(async function () {
    this.timeout(120_000);
    healthy = await startReceiver();
    engine = await startEngine({
      attempts: {
        concurrency: 128,
        perOrganisation: 128,
        perHost: 128,
        perListener: 4,
        deadlineMs: 10_000, // a busy machine must not take it from those that answer
        retryPolicy: { schedule: [0, 3_600_000], maxRetryAfterMs: 1_000 },
      },
      guard: targetGuard(
        { allowHttp: true, allowLoopback: true, allowedTargets: [] },
        {
          connectTimeoutMs: 5_000,
          trustedAuthorities: certificates.authority,
          resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        },
      ),
    });
    for (const [what, open] of rows) {
      const endpoint = await open();
      endpoints.push(endpoint);
      listeners.set(what, (await engine.subscribe(endpoint.url)).listenerId);
    }
    healthyId = (await engine.subscribe(`${healthy.origin}/healthy`)).listenerId;
    for (let n = 0; n < events; n += 1) await engine.publish({ n });
  });

  after(async () => {
    await engine.stop();
    await Promise.all(endpoints.map(({ close }) => close().catch(() => undefined)));
    await healthy.close();
  });

  const deliveriesTo = async (listenerId: string): Promise<readonly ListedDelivery[]> =>
    (await engine.queue.deliveries({ orgId: 'acme', listenerId })).deliveries;

  it('the healthy one gets everything while the others hang', async () => {
    await healthy.has(events);
    await until(
      async () => (await deliveriesTo(healthyId)).filter(({ state }) => state === 'succeeded').length === events,
      'its deliveries',
    );
  });

  for (const [what, , error] of rows) {
    it(`one that ${what} ${error === undefined ? 'has its deliveries' : `fails as ${error}`}`, async () => {
      const listenerId = listeners.get(what) ?? '';
      await until(
        async () => (await deliveriesTo(listenerId)).filter(({ attempts }) => attempts === 1).length === events,
        'an attempt at each delivery',
      );
      for (const { lastError, state } of await deliveriesTo(listenerId)) {
        expect({ lastError, state }).to.deep.equal({
          lastError: error,
          state: error === undefined ? 'succeeded' : 'waiting',
        });
      }
    });
  }

  it('are reached once for each attempt, however they redirect', () => {
    const index = rows.findIndex(([what]) => what === 'redirects to itself');
    expect(endpoints[index]?.connections()).to.be.at.most(events);
  });
});
