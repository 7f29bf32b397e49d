import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { allowsRedirect } from '../../../src/access/clients/client.js';
import {
  type ClientDocuments,
  clientDocuments,
  documentMemoryMs,
  maxDocumentBytes,
} from '../../../src/access/clients/client-documents.js';
import { ClientDocumentInvalid, ClientDocumentUnavailable } from '../../../src/access/errors.js';
import { issuerFetch } from '../../../src/access/issuer-fetch.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { rejection } from '../../support/rejection.js';
import { client } from './fixtures.js';

const redirect = 'https://agent.example/callback';

describe('the document of a client that is not registered', () => {
  let server: Server;
  let origin: string;
  let asked: string[];
  let ms: number;
  let pages: Record<string, RequestListener>;
  before((done) => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      pages[request.url ?? '']?.(request, response);
    }).listen(0, '127.0.0.1', () => {
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  beforeEach(() => {
    [asked, ms, pages] = [[], 0, {}];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = ({
    allowLoopback = true,
    timeoutMs = 20_000,
    hosts = ['127.0.0.1'],
    allowHttp = true,
  } = {}): ClientDocuments =>
    clientDocuments({
      fetch: issuerFetch({
        plainHttpTo: () => true,
        maxBytes: maxDocumentBytes,
        timeoutMs,
        openConnector: async () => targetGuard({ allowLoopback, allowHttp: true, allowedTargets: [] }).connect,
      }),
      isAcceptedHost: (host) => hosts.includes('*') || hosts.includes(host.replace(/:\d+$/, '')),
      allowHttp,
      now: () => new Date(ms),
    });
  const document = (path: string, changes: object = {}) => ({
    client_id: `${origin}${path}`,
    client_name: 'Agent & Co',
    redirect_uris: [redirect],
    ...changes,
  });
  const json =
    (content: object): RequestListener =>
    (_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(content));
  const find = (path: string, documents = open()) => documents.find(`${origin}${path}`);

  it('describes a public client, with the scopes that it names', async () => {
    pages['/client'] = json(document('/client'));
    expect(await find('/client')).to.deep.include({
      clientId: `${origin}/client`,
      name: 'Agent & Co',
      type: 'public',
      redirectUris: [redirect],
      scopes: ['listeners'],
    });
    pages['/publisher'] = json(document('/publisher', { scope: 'openid flows:publish listeners' }));
    expect((await find('/publisher')).scopes).to.have.members(['listeners', 'flows:publish']);
  });

  it('is fetched once for a time, also by requests at once, and again after an error', async () => {
    const documents = open();
    pages['/client'] = (_, response) => response.writeHead(503).end();
    expect(await rejection(find('/client', documents))).to.be.instanceOf(ClientDocumentUnavailable);
    pages['/client'] = json(document('/client'));
    await Promise.all([find('/client', documents), find('/client', documents)]);
    ms += documentMemoryMs - 1;
    await find('/client', documents);
    expect(asked).to.have.length(2);
    ms += 1;
    await find('/client', documents);
    expect(asked).to.have.length(3);
  });

  const refused: Record<string, (path: string) => RequestListener> = {
    'claims another address': () => json(document('/another')),
    'claims another host': (path) => json(document(path, { client_id: `https://agent.example${path}` })),
    redirects: (path) => (_, response) => {
      pages['/elsewhere'] = json(document(path));
      response.writeHead(302, { location: '/elsewhere' }).end();
    },
    'is missing': () => (_, response) => response.writeHead(404).end(),
    'is no JSON by its type': (path) => (_, response) =>
      response.setHeader('content-type', 'text/html').end(JSON.stringify(document(path))),
    'is no JSON': () => (_, response) => response.setHeader('content-type', 'application/json').end('{'),
    'has no redirect URI': (path) => json(document(path, { redirect_uris: [] })),
    'has a redirect URI without TLS': (path) => json(document(path, { redirect_uris: ['http://agent.example/'] })),
    'has a redirect URI that runs a script': (path) => json(document(path, { redirect_uris: ['javascript:alert(1)'] })),
    'authenticates by a secret': (path) => json(document(path, { token_endpoint_auth_method: 'client_secret_post' })),
    'has a name with control characters': (path) => json(document(path, { client_name: 'Zapier\u202e' })),
  };
  for (const [name, page] of Object.entries(refused))
    it(`is refused if it ${name}`, async () => {
      pages['/client'] = page('/client');
      expect(await rejection(find('/client'))).to.be.instanceOf(ClientDocumentInvalid);
      expect(asked).to.eql(['/client']);
    });

  it('is given up where it is too large or too slow', async () => {
    pages['/large'] = json(document('/large', { more: 'x'.repeat(maxDocumentBytes) }));
    pages['/slow'] = (_, response) => void response.setHeader('content-type', 'application/json').write('{');
    expect(await rejection(find('/large'))).to.be.instanceOf(ClientDocumentUnavailable);
    expect(await rejection(find('/slow', open({ timeoutMs: 200 })))).to.be.instanceOf(ClientDocumentUnavailable);
  });

  it('is fetched from no address to which deliveries may not go', async () => {
    pages['/client'] = json(document('/client'));
    expect(await rejection(find('/client', open({ allowLoopback: false })))).to.be.instanceOf(
      ClientDocumentUnavailable,
    );
    expect(asked).to.eql([]);
  });

  it('is fetched for a few callers at a time', async () => {
    const documents = open();
    const waiting: (() => void)[] = [];
    for (let index = 0; index < 9; index += 1)
      pages[`/${index}`] = (...exchange) => void waiting.push(() => json(document(`/${index}`))(...exchange));
    const found = Array.from({ length: 8 }, (_, index) => find(`/${index}`, documents));
    expect(await rejection(find('/8', documents))).to.be.instanceOf(ClientDocumentUnavailable);
    while (waiting.length < 8) await new Promise(setImmediate);
    for (const answer of waiting) answer();
    expect(await Promise.all(found)).to.have.length(8);
  });

  it('has an ID that is a plain https URL with a path, at an accepted host', () => {
    const { accepts } = open({ hosts: ['agent.example'], allowHttp: false });
    expect(accepts('https://agent.example/client.json')).to.equal(true);
    for (const id of [
      'https://other.example/client.json',
      'https://agent.example.evil.example/client.json',
      'http://agent.example/client.json',
      'https://agent.example',
      'https://agent.example/',
      'https://agent.example/a/../client.json',
      'https://AGENT.example/client.json',
      'https://agent.example/client.json#part',
      'https://user:secret@agent.example/client.json',
      'https://other.example\\@agent.example/client.json',
      `https://agent.example/${'x'.repeat(300)}`,
      'agent.example',
      'zapier',
      '',
    ])
      expect(accepts(id), id).to.equal(false);
  });

  it('permits any port of a loopback redirect URI, and of nothing else', () => {
    const redirectUris = ['http://127.0.0.1/callback', 'http://localhost:8/callback?a=1', redirect];
    const agent = client({ clientId: 'https://agent.example/client.json', redirectUris });
    for (const uri of ['http://127.0.0.1:5000/callback', 'http://localhost/callback?a=1', redirect])
      expect(allowsRedirect(agent, uri), uri).to.equal(true);
    for (const uri of [
      'http://127.0.0.1:5000/other',
      'http://[::1]:5000/callback',
      'https://127.0.0.1:5000/callback',
      'https://agent.example:8443/callback',
      'http://127.0.0.1:5000/callback#part',
      'http://user@127.0.0.1:5000/callback',
      'not a URL',
    ])
      expect(allowsRedirect(agent, uri), uri).to.equal(false);
    expect(allowsRedirect(client({ redirectUris }), 'http://127.0.0.1:5000/callback')).to.equal(false);
  });
});
