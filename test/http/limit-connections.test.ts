import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type LimitedConnections, limitConnections } from '../../src/http/limit-connections.js';
import { until } from '../support/until.js';

describe('a limit of three connections', () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => answers.push(response));
  const sockets: Socket[] = [];
  let limited: LimitedConnections;

  before(async () => {
    limited = limitConnections(server, 3);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    answers.splice(0);
    await until(() => openConnections().then((count) => count === 0), 'the connections to close');
  });
  after((done) => {
    server.close(done);
  });

  const openConnections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

  async function open(): Promise<Socket> {
    const accepted = once(server, 'connection');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    socket.resume();
    sockets.push(socket);
    await accepted;
    return socket;
  }
  async function request(socket: Socket): Promise<void> {
    const count = answers.length;
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => answers.length > count, 'the request');
  }
  async function answerLast(): Promise<void> {
    const response = answers.at(-1);
    response?.end();
    if (response && !response.closed) await once(response, 'close');
  }
  const closed = (socket: Socket) => until(() => socket.destroyed, 'a connection to be closed');

  it('closes the one that has been silent longest when another comes, not one that had an answer', async () => {
    const client = await open();
    await request(client);
    await answerLast();
    const silent = [await open(), await open()];
    for (let n = 0; n < 5; n += 1) silent.push(await open());
    for (const socket of silent.slice(0, 5)) await closed(socket);
    expect([client, ...silent.slice(5)].map(({ destroyed }) => destroyed)).to.deep.equal([false, false, false]);
    await request(client);
  });

  it('closes the one whose last answer is the longest ago where each had one', async () => {
    const clients = [await open(), await open(), await open()];
    for (const client of clients) {
      await request(client);
      await answerLast();
    }
    const newcomer = await open();
    await closed(clients[0] as Socket);
    await request(newcomer);
    expect(clients.slice(1).map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
  });

  it('closes the new one where each has a request in progress', async () => {
    const clients = [await open(), await open(), await open()];
    for (const client of clients) await request(client);
    await closed(await open());
    expect(clients.map(({ destroyed }) => destroyed)).to.deep.equal([false, false, false]);
  });

  it('lets those be closed that have been idle for a second', async () => {
    const [idle, busy] = [await open(), await open()];
    await request(busy);
    limited.closeIdle();
    await pause(1_000);
    expect(idle.destroyed).to.equal(false);
    const fresh = await open();
    limited.closeIdle();
    await closed(idle);
    expect([busy, fresh].map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
  });
});
