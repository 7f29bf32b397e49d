import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type ConnectionLimits, limitConnections } from '../../src/http/limit-connections.js';
import { until } from '../support/until.js';

/** A server with limited connections, which answers when the test says so, and its clients. */
function limitedServer(limits: ConnectionLimits) {
  const answers: ServerResponse[] = [];
  const sockets: Socket[] = [];
  const server = createServer((_, response) => answers.push(response));
  let now = 0;
  const limited = limitConnections(server, limits, () => now);
  const openConnections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

  async function open(localAddress = '127.0.0.1'): Promise<Socket> {
    const accepted = once(server, 'connection');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    socket.resume();
    sockets.push(socket);
    await accepted;
    return socket;
  }
  /** Sends the headers of a request, and `body`, of which `Content-Length` may declare more. */
  async function request(socket: Socket, { length = 0, body = '' } = {}): Promise<ServerResponse | undefined> {
    const count = answers.length;
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`);
    await until(() => answers.length > count, 'the request');
    return answers.at(-1);
  }
  async function answerLast(): Promise<void> {
    const response = answers.at(-1);
    response?.end();
    if (response && !response.closed) await once(response, 'close');
  }
  return {
    open,
    request,
    answerLast,
    openConnections,
    closeIdle: limited.closeIdle,
    /** Advances the server's clock, which does not move by itself. */
    advance: (ms: number) => {
      now += ms;
    },
    start: () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    async reset() {
      for (const socket of sockets.splice(0)) socket.destroy();
      answers.splice(0);
      await until(async () => (await openConnections()) === 0, 'the connections to close');
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const closed = (socket: Socket) => until(() => socket.destroyed, 'a connection to be closed');
const areClosed = (sockets: readonly Socket[]) => sockets.map(({ destroyed }) => destroyed);

describe('a limit of three connections', () => {
  const server = limitedServer({ max: 3, maxPerNetwork: 3, isShared: () => false });
  const { open, request, answerLast } = server;
  before(server.start);
  afterEach(server.reset);
  after(server.stop);

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
    server.closeIdle();
    server.advance(1_000);
    expect(idle.destroyed).to.equal(false);
    const fresh = await open();
    server.closeIdle();
    await closed(idle);
    expect([busy, fresh].map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
  });

  it('closes the one whose request has been arriving longest, not one that waits for its answer or the next request', async () => {
    const [idle, busy, slow] = [await open(), await open(), await open()];
    await request(idle);
    await answerLast();
    await request(busy);
    await request(slow, { length: 100, body: 'some of it' });
    server.advance(1_000);
    await open();
    await closed(slow);
    expect(areClosed([idle, busy])).to.deep.equal([false, false]);
  });

  it('closes an idle one rather than one whose request began a moment ago', async () => {
    const [idle, arriving, busy] = [await open(), await open(), await open()];
    await request(idle);
    await answerLast();
    await request(arriving, { length: 4, body: 'ab' });
    await request(busy);
    const newcomer = await open();
    await closed(idle);
    expect(areClosed([arriving, busy, newcomer])).to.deep.equal([false, false, false]);
  });

  it('closes the one whose client does not read its answer if the others have requests in progress', async () => {
    const [slow, busy, other] = [await open(), await open(), await open()];
    slow.pause();
    const response = await request(slow);
    response?.end(Buffer.alloc(50_000_000));
    await request(slow); // does not make it busy again
    await request(busy);
    await request(other);
    await closed(await open());
    server.advance(1_000);
    expect(response?.destroyed).to.equal(false);
    const newcomer = await open();
    await until(() => response?.destroyed === true, 'the slow reader to be closed');
    await request(newcomer);
    expect(areClosed([busy, other])).to.deep.equal([false, false]);
  });

  it('does not close one that waits for an answer while its next request arrives', async () => {
    const [slow, second, third] = [await open(), await open(), await open()];
    await request(slow);
    await request(slow, { length: 100 });
    await request(second);
    await request(third);
    await closed(await open());
    expect(areClosed([slow, second, third])).to.deep.equal([false, false, false]);
  });
});

describe('a limit of four connections, and two of each network', () => {
  const server = limitedServer({ max: 4, maxPerNetwork: 2, isShared: (address) => address === '127.0.0.9' });
  const { open, request, answerLast } = server;
  before(server.start);
  afterEach(server.reset);
  after(server.stop);

  it('replaces one of the same network, though there is room for others', async () => {
    const other = await open('127.0.0.2');
    const own = [await open(), await open()];
    const newcomer = await open();
    await closed(own[0] as Socket);
    expect(areClosed([other, own[1] as Socket, newcomer])).to.deep.equal([false, false, false]);
    await request(newcomer);
    await request(own[1] as Socket);
    await closed(await open());
    await request(await open('127.0.0.2'));
  });

  it('has none for a shared address, such as that of a proxy', async () => {
    const clients = [
      await open('127.0.0.9'),
      await open('127.0.0.9'),
      await open('127.0.0.9'),
      await open('127.0.0.9'),
    ];
    for (const client of clients) await request(client);
    expect(await server.openConnections()).to.equal(4);
    await answerLast();
    await open();
    await closed(clients[3] as Socket);
  });

  it('counts a network again from the beginning after its connections have closed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [first, second] = [await open(), await open()];
      await request(first);
      await request(second);
      await closed(await open());
      expect(areClosed([first, second])).to.deep.equal([false, false]);
      await server.reset();
    }
  });
});
