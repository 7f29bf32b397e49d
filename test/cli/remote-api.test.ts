import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listListenersRoute, pauseListenerRoute } from '../../src/admin/api/contracts/listeners.js';
import { remoteCall } from '../../src/cli/connection/remote-api.js';
import { describeFailure } from '../../src/cli/failure.js';
import { rejection } from '../support/rejection.js';

describe('a call of a remote service', () => {
  let server: Server;
  let answer: RequestListener;
  let seen: { line: string; authorization: string | undefined; body: string }[];
  const call = () => {
    const { port } = server.address() as AddressInfo;
    return remoteCall({ url: `http://127.0.0.1:${port}/base`, key: 'secret' });
  };
  const list = () => call()(listListenersRoute, { query: { orgId: 'a b', limit: '7' } });

  before((done) => {
    server = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      seen.push({
        line: `${request.method} ${request.url}`,
        authorization: request.headers.authorization,
        body,
      });
      answer(request, response);
    }).listen(0, '127.0.0.1', done);
  });
  beforeEach(() => {
    seen = [];
    answer = (_, response) => response.end('{"items":[],"next":null}');
  });
  after(() => server.close());

  it('has the key, and the values in path, query and body', async () => {
    expect(await list()).to.eql({ items: [], next: null });
    await call()(pauseListenerRoute, { params: { listenerId: 'a/b' } });
    expect(seen).to.eql([
      { line: 'GET /base/admin/api/listeners?orgId=a+b&limit=7', authorization: 'Bearer secret', body: '' },
      { line: 'POST /base/admin/api/listeners/a%2Fb/pause', authorization: 'Bearer secret', body: '{}' },
    ]);
  });

  it('fails with the code and the message of the service, whose exit code follows from the code', async () => {
    answer = (_, response) => response.writeHead(400).end('{"error":"invalid_request","message":"orgId: no\\nway"}');
    expect(describeFailure(await rejection(list()))).to.include({ line: 'orgId: no way', exitCode: 2 });
    answer = (_, response) => response.writeHead(401).end('{"error":"unauthenticated","message":"not a key"}');
    expect(describeFailure(await rejection(list())).line).to.match(
      /does not accept the key \(not a key\): flow-hooks login http:\S+\/base takes one of its ADMIN_KEYS, an API key or the token of an operator$/,
    );
    answer = (_, response) => response.writeHead(503).end('{"error":"store_unavailable","message":"down"}');
    expect(describeFailure(await rejection(list()))).to.include({ line: 'down', exitCode: 3 });
  });

  it('never follows a redirect, which would show the key to another host', async () => {
    answer = (_, response) => response.writeHead(301, { location: 'https://elsewhere.example.com/' }).end();
    const { line, exitCode } = describeFailure(await rejection(list()));
    expect(line).to.match(/redirects to https:\/\/elsewhere\.example\.com\/: name that address$/);
    expect({ exitCode, requests: seen.length }).to.eql({ exitCode: 3, requests: 1 });
  });

  it('says so if something else answers', async () => {
    for (const status of [200, 404, 502]) {
      answer = (_, response) => response.writeHead(status).end('<html>');
      expect(describeFailure(await rejection(list())).line).to.match(
        new RegExp(`answers with ${status}, but not as a Flow Hooks service does`),
      );
    }
  });

  it('says why the service cannot be reached', async () => {
    const { line, exitCode } = describeFailure(
      await rejection(
        remoteCall({ url: 'http://127.0.0.1:65534', key: 'k' })(listListenersRoute, { query: { orgId: 'a' } }),
      ),
    );
    expect(line).to.match(/^http:\/\/127\.0\.0\.1:65534 cannot be reached: .*ECONNREFUSED/);
    expect(exitCode).to.equal(3);
  });
});
