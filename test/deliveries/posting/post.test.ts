import { randomBytes } from 'node:crypto';
import { unsubscribe as offChannel, subscribe as onChannel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { context, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { type ListenerPools, listenerPools } from '../../../src/deliveries/posting/listener-pools.js';
import { type ListenerRequest, type PostResult, postThrough } from '../../../src/deliveries/posting/post.js';
import type { Resolve } from '../../../src/deliveries/target-guard/resolve-names.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { type BadEndpoint, badEndpoint, drip, flood } from '../../support/receivers-of-listeners/bad-endpoint.js';
import { asyncContexts, recordTraces } from '../../support/traces.js';
import { until } from '../../support/until.js';

const ok = (body = '', headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunked500 = chunked.replace('200', '500');

const failure = (code: string) => Object.assign(new Error('no such name'), { code });

const encoded = (coding: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ]);

describe('posting to a listener', () => {
  let pools: ListenerPools;
  let endpoint: BadEndpoint | undefined;

  beforeEach(() => {
    const { connect } = targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] });
    pools = listenerPools({ connect, connections: 4, maxPools: 2 });
  });
  afterEach(async () => {
    await pools.destroy();
    await endpoint?.close();
    endpoint = undefined;
  });

  const post = (url: string, fields: Partial<ListenerRequest> = {}): Promise<PostResult> =>
    postThrough(pools)({
      url,
      headers: { 'x-test': '1' },
      body: '{"a":1}',
      mayStart: () => true,
      timeoutMs: 400,
      ...fields,
    });

  async function postTo(serve: (socket: Socket) => void): Promise<PostResult> {
    endpoint = await badEndpoint(serve);
    return post(endpoint.url);
  }

  it('is no span of an instrumented undici, which would contain the hook URL', async () => {
    const traces = recordTraces();
    context.setGlobalContextManager(asyncContexts());
    let requests = 0;
    const instrument = () => {
      requests += 1;
      trace.getTracer('undici').startSpan('a request').end();
    };
    onChannel('undici:request:create', instrument);
    endpoint = await badEndpoint((socket) => socket.write(ok()));
    await post(endpoint.url);
    offChannel('undici:request:create', instrument);
    context.disable();
    expect(requests).to.equal(1);
    expect(traces.spans()).to.deep.equal([]);
    await traces.stop();
  });

  it('tells the status, when to come again, and the headers of a failure without secrets', async () => {
    const result = await postTo((socket) =>
      socket.write('HTTP/1.1 503 Busy\r\nretry-after: 7\r\nSet-Cookie: a=b\r\ncontent-length: 0\r\n\r\n'),
    );
    const headers = 'retry-after: 7\nset-cookie: (not shown)\ncontent-length: 0';
    expect(result).to.deep.equal({ kind: 'answered', status: 503, retryAfter: '7', headers, address: '127.0.0.1' });
  });

  it('tells the headers of a success on request', async () => {
    endpoint = await badEndpoint((socket) => socket.write('HTTP/1.1 204 Ok\r\nX-Api-Key: k\r\nx-run: 7\r\n\r\n'));
    expect(await post(endpoint.url, { withHeaders: true })).to.include({ headers: 'x-api-key: (not shown)\nx-run: 7' });
  });

  it('follows no redirect', async () => {
    const result = await postTo((socket) =>
      socket.write(`HTTP/1.1 307 Go\r\nlocation: ${endpoint?.url}\r\ncontent-length: 0\r\n\r\n`),
    );
    expect(result).to.include({ kind: 'answered', status: 307 });
    expect(endpoint?.connections()).to.equal(1);
  });

  it('skips interim answers, in any chunks', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nx: 1\r\n\r\nHTTP/1.0 100 \r\n\r\n';
    const body = 'HTTP/1.1 100 Go\r\n\r\n';
    const bytes = interim + ok(body);
    for (const size of [1, 7, 25, 60, 1_000]) {
      endpoint = await badEndpoint(async (socket) => {
        socket.setNoDelay();
        for (let at = 0; at < bytes.length; at += size) {
          socket.write(bytes.slice(at, at + size));
          await pause(1);
        }
      });
      const result = await post(endpoint.url, { timeoutMs: 10_000 });
      expect(result, `${size} bytes at once`).to.include({ status: 200, answer: body });
      await endpoint.close();
    }
  });

  it('keeps a connection on which an interim answer came', async () => {
    endpoint = await badEndpoint((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok()}`));
    for (let posts = 0; posts < 3; posts += 1) {
      expect(await post(endpoint.url)).to.include({ kind: 'answered', status: 200 });
      await pause(20); // a connection is free a moment after its answer
    }
    expect(endpoint.connections()).to.equal(1);
  });

  const failures: readonly (readonly [what: string, serve: (socket: Socket) => void, error: string])[] = [
    ['never answers', () => undefined, 'timeout'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'reset'],
    ['closes without an answer', (socket) => socket.end(), 'reset'],
    [
      'drips its status line',
      (socket) => {
        socket.write('HTTP/1.1 200 ');
        drip(socket, 'O', 30);
      },
      'timeout',
    ],
    [
      'drips its body after a 500',
      (socket) => {
        socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 9999\r\n\r\n');
        drip(socket, 'x', 30);
      },
      'timeout',
    ],
    [
      'promises two lengths of a 500',
      (socket) => socket.write(`${ok('', 'content-length: 5\r\n')}`.replace('200', '500')),
      'protocol',
    ],
    ['answers in no HTTP that there is', (socket) => socket.write('HTTP/9.9 200 OK\r\n\r\n'), 'protocol'],
    ['says 100 and closes', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), 'reset'],
    [
      'says 100 with headers without end',
      (socket) => socket.write(`HTTP/1.1 100 Go\r\nx: ${'y'.repeat(140_000)}`),
      'protocol',
    ],
    [
      'changes to another protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\nx'),
      'protocol',
    ],
    ['says 103 without end', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 5), 'timeout'],
    ['speaks another protocol', (socket) => socket.write('220 mail.example.com ESMTP\r\n'), 'protocol'],
  ];
  for (const [what, serve, error] of failures) {
    it(`fails in time, as ${error}, where the listener ${what}`, async () => {
      expect(await postTo(serve)).to.include({ kind: 'failed', error });
    });
  }

  const floods: readonly (readonly [what: string, beginning: string, more: string])[] = [
    ['says 103', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['sends empty lines', '', '\r\n'],
    ['gives a reason', 'HTTP/1.1 200 ', 'O'],
    ['has headers', 'HTTP/1.1 500 Oh\r\n', 'x: y\r\n'],
    ['has one header', 'HTTP/1.1 500 Oh\r\nx:', 'y'],
    ['extends a chunk', `${chunked500}1;`, 'x'],
    ['has trailers', `${chunked500}0\r\n`, 'x: y\r\n'],
  ];
  for (const [what, beginning, more] of floods) {
    it(`fails long before the deadline, as protocol, where the listener ${what} without end`, async () => {
      endpoint = await badEndpoint((socket) => flood(socket, beginning, more));
      expect(await post(endpoint.url, { timeoutMs: 10_000 })).to.include({ kind: 'failed', error: 'protocol' });
    });
  }

  const unread: readonly (readonly [what: string, serve: (socket: Socket) => void])[] = [
    ['ends the connection', (socket) => socket.end()],
    ['resets the connection', (socket) => setTimeout(() => socket.resetAndDestroy(), 20)],
    ['says nothing more', () => undefined],
    ['drips its headers', (socket) => drip(socket, 'x: 1\r\n', 30)],
    ['has headers without end', (socket) => flood(socket, '', 'x: y\r\n')],
    ['has one header without end', (socket) => flood(socket, 'x:', 'y')],
    ['promises more than it sends', (socket) => socket.end('content-length: 9\r\n\r\nab')],
    [
      'drips its body',
      (socket) => {
        socket.write('content-length: 9999\r\n\r\n');
        drip(socket, 'x', 30);
      },
    ],
    ['promises two lengths', (socket) => socket.write('content-length: 5\r\ncontent-length: 0\r\n\r\n')],
    ['has no length of a chunk', (socket) => socket.write('transfer-encoding: chunked\r\n\r\nzz\r\n')],
    ['extends a chunk without end', (socket) => flood(socket, 'transfer-encoding: chunked\r\n\r\n1;', 'x')],
    ['has trailers without end', (socket) => flood(socket, 'transfer-encoding: chunked\r\n\r\n0\r\n', 'x: y\r\n')],
  ];
  for (const [what, serve] of unread) {
    it(`succeeds where the listener ${what} after the status line of a 2xx`, async () => {
      const result = await postTo((socket) => {
        socket.write('HTTP/1.1 202 Accepted\r\n');
        serve(socket);
      });
      expect(result).to.include({ kind: 'answered', status: 202 });
    });
  }

  it('succeeds whatever bytes follow the status line of a 2xx', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 299 }), fc.uint8Array({ maxLength: 300 }), async (status, bytes) => {
        const result = await postTo((socket) => {
          socket.write(`HTTP/1.1 ${status} Yes\r\n`);
          socket.end(bytes);
        });
        await endpoint?.close();
        expect(result).to.include({ kind: 'answered', status });
      }),
      { numRuns: 50 },
    ));

  const lenient: readonly (readonly [what: string, head: string, more?: string])[] = [
    ['folds a header', 'HTTP/1.1 503 Busy\r\nx-policy: a;\r\n  b\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\n'],
    ['folds a header at once', 'HTTP/1.1 503 Busy\r\nx-policy:\r\n\ta\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\n'],
    ['ends lines with LF alone', 'HTTP/1.1 503 Busy\nretry-after: 7\ncontent-length: 4\n\n'],
    ['says no reason', 'HTTP/1.1  503\nretry-after: 7\ncontent-length: 4\n\n'],
    ['has a line that is no header', 'HTTP/1.1 503 Busy\r\nnginx\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\n'],
    ['has a space before a colon', 'HTTP/1.1 503 Busy\r\nretry-after : 7\r\ncontent-length: 4\r\n\r\n'],
    ['has NUL in a header', 'HTTP/1.1 503 Busy\r\nx: \0\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\n'],
    ['speaks HTTP/1.2', 'HTTP/1.2 503 Busy\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\n'],
  ];
  for (const [what, head] of lenient) {
    it(`reads status, headers and body where the listener ${what}, and closes the connection`, async () => {
      for (const bytes of [[`${head}busy`], [...`${head}busy`]]) {
        let closed = false;
        const result = await postTo((socket) => {
          socket.setNoDelay().on('close', () => {
            closed = true;
          });
          for (const each of bytes) socket.write(each);
        });
        expect(result).to.include({ kind: 'answered', status: 503, retryAfter: '7', answer: 'busy' });
        await until(() => closed, 'the connection to be closed');
        await endpoint?.close();
      }
    });
  }

  it('replaces the line breaks of a folded header by spaces', async () => {
    endpoint = await badEndpoint((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nx-policy: a;\r\n   b;\r\n\tc\r\ncontent-length: 0\r\n\r\n'),
    );
    const { headers } = (await post(endpoint.url, { withHeaders: true })) as { headers?: string };
    expect(headers?.split('\n')[0]).to.equal('x-policy: a; b; c');
  });

  it('reads headers of up to 128 KiB, and keeps the connection', async () => {
    endpoint = await badEndpoint((socket) => socket.write(ok('fine', `x: y\r\n`.repeat(20_000))));
    for (let posts = 0; posts < 2; posts += 1) {
      expect(await post(endpoint.url, { timeoutMs: 10_000 })).to.include({ status: 200, answer: 'fine' });
      await pause(20); // a connection is free a moment after its answer
    }
    expect(endpoint.connections()).to.equal(1);
  });

  it('reads an answer of the longest that is kept, in the smallest of chunks', async () => {
    const result = await postTo((socket) => socket.write(`${chunked}${'1\r\nx\r\n'.repeat(16_384)}0\r\n\r\n`));
    expect(result).to.include({ kind: 'answered', status: 200 });
  });

  const fine: readonly (readonly [what: string, bytes: string | Buffer, answer: string | undefined])[] = [
    ['sends more than it promised', `${ok('fine')}, and more`, 'fine'],
    ['speaks HTTP/1.0 and closes', 'HTTP/1.0 200 OK\r\n\r\nfine', 'fine'],
    ['has headers that are not ASCII', ok('fine', 'x-note: smørrebrød\r\n'), 'fine'],
    ['has no body', 'HTTP/1.1 204 No Content\r\n\r\n', undefined],
    ['has no body, and says how long it is', 'HTTP/1.1 204 No Content\r\ncontent-length: 9\r\n\r\n', undefined],
    ['answers in gzip', encoded('gzip', gzipSync('fine')), 'fine'],
    ['answers in deflate', encoded('deflate', deflateSync('fine')), 'fine'],
    ['answers in deflate without a header', encoded('deflate', deflateRawSync('fine')), 'fine'],
    ['answers in brotli', encoded('br', brotliCompressSync('fine')), 'fine'],
    ['says gzip of what is none', encoded('gzip', Buffer.from('fine')), undefined],
    ['answers in its own encoding', encoded('zork', Buffer.from('fine')), undefined],
    ['answers in what is not UTF-8', encoded('identity', Buffer.from([0x66, 0xff, 0x66])), 'f\ufffdf'],
  ];
  for (const [what, bytes, answer] of fine) {
    it(`succeeds where the listener ${what}`, async () => {
      const result = await postTo((socket) => (what.endsWith('closes') ? socket.end(bytes) : socket.write(bytes)));
      expect(result).to.include({ kind: 'answered' });
      expect('answer' in result ? result.answer : undefined).to.equal(answer);
    });
  }

  it('ends in time where a small answer in gzip is a huge one, and keeps its beginning', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, 'boom!'));
    expect(bomb.length).to.be.lessThan(16_384);
    const result = await postTo((socket) => socket.write(encoded('gzip', bomb)));
    expect(result).to.include({ kind: 'answered', status: 200, answer: 'boom!'.repeat(300).slice(0, 1_024) });
  });

  it('keeps the beginning of an answer in gzip that is longer than the maximum read', async () => {
    const body = Buffer.concat([gzipSync(`${'x'.repeat(20)}${randomBytes(60_000).toString('hex')}`)]);
    const result = await postTo((socket) => socket.write(encoded('gzip', body)));
    expect(result).to.include({ kind: 'answered', status: 200 });
    expect(result)
      .to.have.property('answer')
      .that.matches(/^x{20}[0-9a-f]{1004}$/);
  });

  it('keeps at most 1 KiB of an answer, and no half of a character', async () => {
    const result = await postTo((socket) => socket.write(encoded('identity', Buffer.from(`x${'€'.repeat(1_000)}`))));
    expect(result).to.have.property('answer', `x${'€'.repeat(341)}`);
    await endpoint?.close();
    const replaced = await postTo((socket) => socket.write(encoded('identity', Buffer.alloc(2_000, 0xff))));
    expect(replaced).to.have.property('answer', '\ufffd'.repeat(341));
  });

  it('keeps the received part of an interrupted answer', async () => {
    const result = await postTo((socket) => {
      socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\nout of ');
      drip(socket, '', 1_000);
    });
    expect(result).to.deep.include({ kind: 'failed', error: 'timeout', status: 500, answer: 'out of ' });
  });

  const cutShort: readonly (readonly [how: string, serve: (socket: Socket, answer: string) => void, error: string])[] =
    [
      ['a reset', (socket, answer) => socket.write(answer, () => socket.resetAndDestroy()), 'reset'],
      ['the end of the connection', (socket, answer) => socket.end(answer), 'reset'],
      ['the deadline', (socket, answer) => socket.write(answer), 'timeout'],
    ];
  for (const [how, serve, error] of cutShort) {
    it(`tells the status, and when to come again, of an answer that ${how} cut short`, async () => {
      const result = await postTo((socket) =>
        serve(socket, 'HTTP/1.1 429 Slow\r\nretry-after: 3600\r\ncontent-length: 99\r\n\r\nab'),
      );
      expect(result).to.deep.include({ kind: 'failed', error, status: 429, retryAfter: '3600', answer: 'ab' });
    });
  }

  it('fails if no server listens', async () => {
    expect(await post(`http://127.0.0.1:${await reusablePort()}/hook`)).to.include({
      kind: 'failed',
      error: 'refused',
      address: '127.0.0.1',
    });
  });

  const resolvers: readonly (readonly [what: string, resolve: Resolve, error: string])[] = [
    ['the name is not known', () => Promise.reject(failure('ENOTFOUND')), 'dns'],
    ['the resolver cannot be reached', () => Promise.reject(failure('EAI_AGAIN')), 'resolver'],
    ['the resolver never answers', () => new Promise(() => undefined), 'resolver'],
    [
      'the name leads to an address that is not allowed',
      async () => [{ address: '10.0.0.1', family: 4 }],
      'target_not_allowed',
    ],
  ];
  for (const [what, resolve, error] of resolvers) {
    it(`fails in time, as ${error}, where ${what}`, async () => {
      const { connect } = targetGuard(
        { allowHttp: true, allowLoopback: true, allowedTargets: [] },
        { resolve, lookupTimeoutMs: 50 },
      );
      const dark = listenerPools({ connect, connections: 1, maxPools: 1 });
      const result = await postThrough(dark)({
        url: 'http://nowhere.example.com/',
        headers: {},
        body: '{}',
        mayStart: () => true,
        timeoutMs: 2_000,
      });
      expect(result).to.include({ kind: 'failed', error });
      await dark.destroy();
    });
  }

  it('judges an endless answer by its status, and drops the connection', async () => {
    let closed = false;
    const result = await postTo((socket) => {
      socket.on('close', () => {
        closed = true;
      });
      flood(socket, chunked, `1000\r\n${'x'.repeat(0x1000)}\r\n`);
    });
    expect(result).to.include({ kind: 'answered', status: 200 });
    await until(() => closed, 'the connection to be dropped');
  });

  it('uses a connection again', async () => {
    endpoint = await badEndpoint((socket) => socket.write(ok()));
    for (let n = 0; n < 10; n += 1) expect(await post(endpoint.url)).to.include({ status: 200 });
    expect(endpoint.connections()).to.be.at.most(2); // the next post may begin before the connection of the last is free
  });

  describe('to a connection that the listener closes though it has answered on it before', () => {
    const requests = new Map<Socket, number>();
    const count = (socket: Socket): number => {
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
      return requests.get(socket) ?? 0;
    };
    const all = (): number => [...requests.values()].reduce((sum, each) => sum + each, 0);
    beforeEach(() => requests.clear());

    /** The first request on a connection is answered, unless that is a later connection than `answering`. */
    async function leftBy(leave: (socket: Socket) => unknown, answering = 2): Promise<string> {
      endpoint = await badEndpoint((socket) => {
        if (count(socket) === 1 && requests.size <= answering) socket.write(ok());
        else leave(socket);
      });
      expect(await post(endpoint.url)).to.include({ status: 200 });
      await pause(20); // a connection is free a moment after its answer
      return endpoint.url;
    }

    for (const how of ['end', 'resetAndDestroy'] as const) {
      it(`sends the request again, on a new one (${how})`, async () => {
        const url = await leftBy((socket) => socket[how]());
        expect(await post(url)).to.deep.equal({
          kind: 'answered',
          status: 200,
          retryAfter: undefined,
          address: '127.0.0.1',
        });
        expect([...requests.values()]).to.deep.equal([2, 1]);
      });
    }

    it('sends it no third time', async () => {
      const url = await leftBy((socket) => socket.end(), 1);
      expect(await post(url)).to.include({ kind: 'failed', error: 'reset' });
      expect(all()).to.equal(3);
    });

    it('does not where an answer had begun', async () => {
      const url = await leftBy((socket) => socket.end('HTTP/1.1 1'));
      expect(await post(url)).to.include({ kind: 'failed', error: 'reset' });
      expect(all()).to.equal(2);
    });

    it('renews the permit', async () => {
      const url = await leftBy((socket) => socket.end());
      let asked = 0;
      const mayStart = () => {
        asked += 1;
        return asked === 1;
      };
      expect(await post(url, { mayStart })).to.deep.equal({ kind: 'withheld' });
      expect(all()).to.equal(2);
    });

    it('has no more time for that than for one', async () => {
      const url = await leftBy((socket) => (requests.size === 1 ? socket.end() : undefined), 1);
      expect(await post(url, { timeoutMs: 100 })).to.include({ kind: 'failed', error: 'timeout' });
      expect(all()).to.equal(3);
    });
  });

  it('keeps no more pools than it may', async () => {
    const endpoints = await Promise.all(Array.from({ length: 5 }, () => badEndpoint((socket) => socket.write(ok()))));
    for (const { url } of endpoints) expect(await post(url)).to.include({ status: 200 });
    await until(() => endpoints.every(({ connections }) => connections() === 1), 'all to be reached');
    for (const { url } of endpoints.slice(0, 3)) expect(await post(url)).to.include({ status: 200 });
    expect(endpoints[0]?.connections(), 'its pool was closed for others').to.equal(2);
    await Promise.all(endpoints.map(({ close }) => close()));
  });

  describe('under a permit', () => {
    const sent: number[] = [];
    const onSend = () => sent.push(performance.now());
    beforeEach(() => {
      sent.length = 0;
      onChannel('undici:client:sendHeaders', onSend);
    });
    afterEach(() => offChannel('undici:client:sendHeaders', onSend));

    it('checks the permit in the tick in which the request goes to the socket', async () => {
      let sameTick = false;
      let asked = 0;
      const onSameTick = () => {
        sameTick = asked > 0;
      };
      onChannel('undici:client:sendHeaders', onSameTick);
      endpoint = await badEndpoint((socket) => socket.write(ok()));
      await post(endpoint.url, {
        mayStart: () => {
          asked += 1;
          queueMicrotask(() => {
            asked = 0; // a promise's turn later would be another tick
          });
          return true;
        },
      });
      offChannel('undici:client:sendHeaders', onSameTick);
      expect(sameTick).to.equal(true);
    });

    it('sends not a byte without one, and leaves the connection to the next request', async () => {
      let bytes = 0;
      endpoint = await badEndpoint((socket) => {
        bytes += 1;
        socket.write(ok());
      });
      expect(await post(endpoint.url, { mayStart: () => false })).to.deep.equal({ kind: 'withheld' });
      expect(sent).to.deep.equal([]);
      expect(bytes).to.equal(0);
      expect(await post(endpoint.url)).to.include({ status: 200 });
      expect(endpoint.connections()).to.equal(1);
    });

    it('asks after the connection is there, however long that took', async () => {
      endpoint = await badEndpoint((socket) => socket.write(ok()));
      const { connect } = targetGuard(
        { allowHttp: true, allowLoopback: true, allowedTargets: [] },
        {
          resolve: async () => {
            await new Promise((resolve) => setTimeout(resolve, 50));
            gateOpen = false;
            return [{ address: '127.0.0.1', family: 4 }];
          },
        },
      );
      let gateOpen = true;
      const slow = listenerPools({ connect, connections: 1, maxPools: 1 });
      const url = endpoint.url.replace('127.0.0.1', 'slow.example.com');
      const result = await postThrough(slow)({
        url,
        headers: {},
        body: '{}',
        timeoutMs: 2_000,
        mayStart: () => gateOpen,
      });
      expect(result).to.deep.equal({ kind: 'withheld' });
      expect(sent).to.deep.equal([]);
      await slow.destroy();
    });
  });
});
