import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import { answerBeforeBody } from '../../src/http/arriving-bodies.js';
import { jsonValue, maxBodyBytes, readBody } from '../../src/http/body.js';
import type { RequestState, Routes } from '../../src/http/context.js';
import { listen } from '../../src/http/listen.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';

const bodyBytes = 40 * maxBodyBytes;

describe('a request whose body is too large', () => {
  let served: Served;
  before(async () => {
    const routes: Routes = new Router<RequestState>();
    routes.post('/', (ctx) => {
      ctx.body = jsonValue(ctx);
    });
    served = await serveRoutes(routes);
  });
  after(() => served.close());

  async function begin(headers: readonly string[], { origin }: { origin: string } = served): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port) });
    await once(socket, 'connect');
    const head = ['POST / HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json', ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    return socket;
  }

  async function answerOf(socket: Socket): Promise<string> {
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  for (const connection of ['keep-alive', 'close']) {
    it(`is answered to a client that reads nothing until it has sent everything: Connection: ${connection}`, async () => {
      const socket = await begin([`Content-Length: ${bodyBytes}`, `Connection: ${connection}`]);
      const piece = Buffer.alloc(maxBodyBytes, 'a');
      for (let sent = 0; sent < bodyBytes; sent += piece.length) if (!socket.write(piece)) await once(socket, 'drain');
      const answer = await answerOf(socket);
      expect(answer)
        .to.match(/^HTTP\/1.1 413 /)
        .and.to.include('over the limit');
    });
  }

  it('is answered at once, and its connection is closed if the rest does not come', async () => {
    const drainMs = 300;
    const app = new Koa<RequestState>();
    app.use(async (ctx, next) => {
      ctx.state = {} as RequestState; // the body's error is added to it
      await next();
    });
    app.use(answerBeforeBody(drainMs));
    app.use(readBody());
    app.use((ctx) => {
      ctx.status = 413;
    });
    const impatient = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
    const socket = await begin([`Content-Length: ${bodyBytes}`], impatient);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(String(first)).to.match(/^HTTP\/1.1 413 /);
    const answeredAt = performance.now();
    socket.resume();
    await once(socket, 'close');
    expect(performance.now() - answeredAt).to.be.at.least(drainMs / 2);
    await impatient.stop(0);
  });

  it('is answered where the body has no length', async () => {
    const socket = await begin(['Transfer-Encoding: chunked']);
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x10_00_00, 'a'), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 20; sent += 1) if (!socket.write(piece)) await once(socket, 'drain');
    socket.write('0\r\n\r\n');
    expect(await answerOf(socket)).to.match(/^HTTP\/1.1 413 /);
  });
});
