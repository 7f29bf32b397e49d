import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { signIn } from '../support/service/journey.js';
import { rawRequest } from '../support/service/raw-request.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const slowSockets = 400;
const rounds = 10;
const reconnectMs = 1_000;

/** Beginnings that a slow client sends; then it sends a byte from time to time, or nothing. */
const beginnings = [
  '',
  'POST /refresh HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ',
  'POST /refresh HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"',
  'POST /api/hooks/subscribe/flows HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n{"',
];

/** Keeps 400 slow connections; each that is closed is opened again. `addressOf`: the loopback address of the nth. */
function attack(port: number, addressOf: (index: number) => string) {
  const sockets = new Map<number, Socket>();
  let opened = 0;
  let ended = false;

  function open(index: number): void {
    if (ended) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(index) });
    sockets.set(index, socket);
    socket.once('connect', () => {
      opened += 1;
      socket.write(beginnings[index % beginnings.length] ?? '');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => setTimeout(() => open(index), reconnectMs).unref());
    socket.resume();
  }
  const drip = setInterval(() => {
    for (const [index, socket] of sockets) if (index % beginnings.length !== 0 && socket.writable) socket.write('a');
  }, 1_000);
  for (let index = 0; index < slowSockets; index += 1) open(index);
  return {
    opened: () => opened,
    end() {
      ended = true;
      clearInterval(drip);
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

describe('a service with 200 connections at most, and 400 slow clients', function () {
  this.timeout(180_000);
  let service: ServiceProcess;
  let refreshToken: string;

  before(async () => {
    service = await startService({ environment: { MAX_CONNECTIONS: '200', MAX_CONCURRENT_REQUESTS: '5' } });
    refreshToken = (await signIn(service)).refresh_token;
  });
  after(() => service.stop());

  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
  const post = (path: string, headers: readonly (readonly [string, string])[], body: string) =>
    rawRequest(service.port, path, headers, { method: 'POST', body });

  async function refresh() {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }).toString();
    const answer = await post('/refresh', [form], body);
    if (answer.status === 200) refreshToken = (answer.body as { refresh_token: string }).refresh_token;
    return answer;
  }
  const subscribe = (index: number) =>
    post(
      '/api/hooks/subscribe/flows',
      [
        ['Content-Type', 'application/json'],
        ['orgid', 'acme'],
        ['userid', 'ada'],
      ],
      JSON.stringify({ hookUrl: `http://127.0.0.1:4000/${index}`, subscriptionType: 'flow.*' }),
    );

  for (const [what, addressOf] of [
    ['of one address', () => '127.0.0.1'],
    ['of 20 addresses', (index: number) => `127.0.0.${2 + (index % 20)}`],
  ] as const) {
    it(`answers health checks, refreshes and subscribes, each on a new connection, beside those ${what}`, async () => {
      const slow = attack(service.port, addressOf);
      try {
        await until(() => slow.opened() >= slowSockets, 'the slow clients to connect');
        for (let round = 0; round < rounds; round += 1) {
          const answers = [await rawRequest(service.port, '/healthz'), await refresh(), await subscribe(round)];
          expect(answers.map(({ status }) => status)).to.eql([200, 200, 201]);
          await pause(100);
        }
      } finally {
        slow.end();
      }
    });
  }
});
