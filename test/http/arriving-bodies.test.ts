import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { pino } from 'pino';
import { answerTokenError } from '../../src/access/token-errors.js';
import type { ArrivalLimits } from '../../src/http/arriving-bodies.js';
import { readBody } from '../../src/http/body.js';
import type { RequestState } from '../../src/http/context.js';
import { answerError } from '../../src/http/errors.js';
import { type Listening, listen } from '../../src/http/listen.js';

/** Answers each request with the length of its body in JSON. */
async function serve(limits: Partial<ArrivalLimits>): Promise<Listening> {
  const app = new Koa<RequestState>();
  app.silent = true;
  app.use(async (ctx, next) => {
    const peer = { address: undefined, isGateway: false, isProxy: false };
    ctx.state = { requestId: 'request-1', peer, log: pino({ level: 'silent' }), traceparent: undefined };
    await next().catch((error: unknown) => answerTokenError(ctx, error) || answerError(ctx, error));
  });
  app.use(
    readBody({ limits: { deadlineMs: 60_000, maxTotalBytes: 1_000_000, ...limits }, routeBodyLimit: () => 400_000 }),
  );
  app.use((ctx) => {
    ctx.body = { length: JSON.stringify(ctx.state.body).length };
  });
  return listen(app.callback(), { host: '127.0.0.1', port: 0 });
}

type Answer = { status: number; headers: string; body: Record<string, unknown> };

describe('a request body that arrives slowly', () => {
  const sockets: Socket[] = [];
  let served: Listening;
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await served.stop(0);
  });

  /** Sends a request whose body is longer than `body`. */
  function send(body: string | Buffer, { path = '/', headers = '' } = {}): Socket {
    const socket = connect(Number(new URL(served.origin).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 100_000}\r\n${headers}\r\n`,
    );
    socket.write(body);
    return socket;
  }
  /** The answer that the service gives before it closes the connection. */
  async function answerTo(socket: Socket): Promise<Answer> {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await new Promise((resolve) => socket.once('close', resolve)); // also after an error
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), headers: head, body: JSON.parse(body) };
  }

  it('is answered 408 at its deadline, and its connection closed', async () => {
    served = await serve({ deadlineMs: 200 });
    const startedAt = performance.now();
    const socket = send('{"some":');
    let isAnswered = false;
    socket.once('data', () => {
      isAnswered = true;
    });
    // After the answer has been read: writing to a closed connection would lose it.
    const drip = setInterval(() => setImmediate(() => isAnswered || socket.write(' ')), 20);
    const { status, headers, body } = await answerTo(socket);
    clearInterval(drip);
    expect(performance.now() - startedAt).to.be.at.least(190);
    expect([status, body.error, body.requestId]).to.eql([408, 'request_timeout', 'request-1']);
    expect(headers).to.match(/^connection: close$/im);
  });

  it('is answered 503 on a token route, where a platform would take a 408 for the end of its session', async () => {
    served = await serve({ deadlineMs: 200 });
    const { status, headers, body } = await answerTo(send('{"some":', { path: '/refresh' }));
    expect([status, body.error]).to.eql([503, 'temporarily_unavailable']);
    expect(headers).to.match(/^retry-after: 5$/im);
  });

  it('is given up, the oldest first, when all together need too much memory; others arrive', async () => {
    served = await serve({});
    const slow: Socket[] = [];
    const half = `{"a":"${'a'.repeat(230_000)}`;
    for (let count = 0; count < 4; count += 1) {
      slow.push(send(half));
      await pause(50);
    }
    const first = answerTo(slow[0] as Socket);
    const response = await fetch(served.origin, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ a: 'b'.repeat(300_000) }),
    });
    expect(response.status).to.equal(200);
    const { status, body } = await first;
    expect([status, body.error]).to.eql([429, 'too_many_requests']);
    expect(slow.slice(1, 3).map(({ destroyed }) => destroyed)).to.eql([false, false]);
  });

  it('counts as one of the largest size if it is compressed', async () => {
    served = await serve({});
    const slow: Socket[] = [];
    const bomb = gzipSync(Buffer.alloc(390_000, '{'));
    for (let count = 0; count < 3; count += 1) slow.push(send(bomb, { headers: 'Content-Encoding: gzip\r\n' }));
    const { status } = await Promise.race(slow.map(answerTo));
    expect(status).to.equal(429);
  });

  it('leaves no memory counted once it has arrived or its client has gone', async () => {
    served = await serve({});
    for (let count = 0; count < 10; count += 1) {
      const socket = send('a'.repeat(200_000));
      await pause(20);
      socket.destroy();
      const body = JSON.stringify({ a: 'b'.repeat(300_000) });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(served.origin, { method: 'POST', headers, body })).status).to.equal(200);
    }
    const last = send('a'.repeat(200_000));
    await pause(50);
    expect(last.destroyed).to.equal(false);
  });
});
