import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type IssuerFetchOptions, isInLocalNetwork, issuerFetch } from '../../src/access/issuer-fetch.js';
import { startConnectProxy } from '../support/receivers-of-listeners/connect-proxy.js';
import { rejection } from '../support/rejection.js';

const kilobyte = 1_024;

describe('requests to issuers', () => {
  let server: Server;
  let origin: string;
  const asked: string[] = [];
  const answers: Record<string, RequestListener> = {
    '/keys': (_, response) => response.end('{"keys":[]}'),
    '/moved': (_, response) => response.writeHead(302, { Location: '/keys' }).end(),
    '/nothing': (_, response) => response.writeHead(204).end(),
    '/large': (_, response) => response.end(Buffer.alloc(65 * kilobyte)),
    '/bomb': (_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000 * kilobyte))),
    '/slow': (_, response) => response.write('{'),
    '/echo': (request, response) => request.pipe(response),
  };
  before((done) => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      answers[request.url ?? '']?.(request, response);
    }).listen(0, '127.0.0.1', () => {
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const fetching = (options: Partial<IssuerFetchOptions> = {}) =>
    issuerFetch({ plainHttpTo: isInLocalNetwork, maxBytes: 64 * kilobyte, timeoutMs: 5_000, ...options });
  const reasonOf = async (answer: Promise<Response>) => {
    const error = (await rejection(answer)) as Error;
    return error.cause instanceof Error ? error.cause.message : error.message;
  };

  it('reach private addresses, which listeners do not', async () => {
    const response = await fetching()(`${origin}/keys`, {});
    expect(await response.json()).to.deep.equal({ keys: [] });
    expect((await fetching()(`${origin}/nothing`, {})).status).to.equal(204);
  });

  it('send a body', async () => {
    const body = new URLSearchParams({ grant_type: 'authorization_code' });
    const response = await fetching()(`${origin}/echo`, { method: 'POST', body });
    expect(await response.text()).to.equal('grant_type=authorization_code');
  });

  it('send nothing without TLS to an address that is not local', async () => {
    asked.length = 0;
    const answer = fetching({ plainHttpTo: () => false })(`${origin}/keys`, {});
    expect(await reasonOf(answer)).to.equal('http is allowed on loopback and private addresses only: use https');
    expect(asked).to.deep.equal([]);
    for (const local of ['127.0.0.1', '::1', '::ffff:10.1.2.3', '192.168.1.1', '172.31.255.255', 'fd00::1'])
      expect(isInLocalNetwork(local), local).to.equal(true);
    for (const other of ['93.184.215.14', '::ffff:93.184.215.14', '169.254.169.254', '2606:4700::1', '0.0.0.0', ''])
      expect(isInLocalNetwork(other), other).to.equal(false);
  });

  it('follow no redirect', async () => {
    asked.length = 0;
    expect((await fetching()(`${origin}/moved`, {})).status).to.equal(302);
    expect(asked).to.deep.equal(['/moved']);
  });

  it('end at answers that are too large, also after decompression', async () => {
    for (const path of ['/large', '/bomb'])
      expect(await reasonOf(fetching()(`${origin}${path}`, {})), path).to.equal('the answer has more than 65536 bytes');
  });

  it('end when the answer is not complete at the deadline, or the caller gives up', async () => {
    expect(await rejection(fetching({ timeoutMs: 100 })(`${origin}/slow`, {}))).to.have.property(
      'name',
      'TimeoutError',
    );
    const given = fetching()(`${origin}/slow`, { signal: AbortSignal.timeout(50) });
    expect(await rejection(given)).to.have.property('name', 'TimeoutError');
  });

  it('have http and https URLs only', async () => {
    expect(await reasonOf(fetching()('data:application/json,{"keys":[]}', {}))).to.match(/http and https URLs only/);
  });
});

describe('requests to issuers through an egress proxy', () => {
  it('go by CONNECT to the address, also without TLS, which is judged as without a proxy', async () => {
    const server = createServer((_, response) => response.end('{"keys":[]}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const proxy = await startConnectProxy({ credentials: 'ada:secret' });
    const egress = { url: proxy.url, except: [], resolvesNames: false };
    const response = await issuerFetch({ plainHttpTo: isInLocalNetwork, egress })(`http://localhost:${port}/`, {});
    expect(await response.json()).to.eql({ keys: [] });
    expect(proxy.asked).to.eql([`127.0.0.1:${port}`]);
    const refused = issuerFetch({ plainHttpTo: () => false, egress })(`http://localhost:${port}/`, {});
    expect(((await rejection(refused)) as Error).cause).to.be.instanceOf(Error);
    proxy.answer(503);
    const failed = issuerFetch({ plainHttpTo: isInLocalNetwork, egress })(`http://localhost:${port}/`, {});
    const { cause } = (await rejection(failed)) as { cause: Error };
    expect(cause.message).to.match(/^the egress proxy 127\.0\.0\.1:\d+ answered 503$/);
    await proxy.close();
    server.closeAllConnections();
    server.close();
  });
});
