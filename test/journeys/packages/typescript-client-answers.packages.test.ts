import { expect } from 'chai';
import { failure, scriptedClients } from '../../support/packages/scripted-client.js';
import { type Answer, json } from '../../support/packages/scripted-server.js';

const accepted = json(202, { id: 'one' });
const event = { id: 'one', type: 'order.paid', data: { total: 42 } };

describe('addresses and answers of the TypeScript client', function () {
  this.timeout(60_000);
  const { client, scripted } = scriptedClients();

  it('follows no redirect, so that the key goes to no other server', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const other = await scripted([accepted]);
      const location = `${other.origin}/elsewhere?token=secret`;
      const { flowHooks, requests } = await scripted([(response) => response.writeHead(status, { location }).end()]);
      const error = await failure(flowHooks.publish(event));
      expect(error).to.include({ code: 'unexpected_redirect', status });
      expect(error.message).to.include(`${other.origin}/elsewhere`).and.not.include('secret');
      await failure(flowHooks.api.GET('/healthz'));
      expect(other.requests).to.have.length(0);
      expect(requests).to.have.length(2);
    }
  });

  it('sends the key to no other address, with any options of a call', async () => {
    const other = await scripted([json(200, {})]);
    const { flowHooks } = await scripted([json(200, {})]);
    const error = await failure(flowHooks.api.GET('/healthz', { baseUrl: other.origin }));
    expect(error).to.include({ code: 'invalid_option' });
    expect(other.requests).to.have.length(0);
  });

  it('names answers that are not those of the service', async () => {
    const html =
      (status: number): Answer =>
      (response) =>
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
    const proxy = await scripted([html(502)], { retries: 0 });
    expect(await failure(proxy.flowHooks.publish(event))).to.include({
      code: 'http_error',
      status: 502,
      message: '502 Bad Gateway',
    });
    const page = await scripted([html(200)]);
    const listed = page.flowHooks.listDeliveries({ orgId: 'acme' })[Symbol.asyncIterator]();
    expect(await failure(listed.next())).to.include({ code: 'unexpected_answer', status: 200 });
    expect(await failure(page.flowHooks.api.GET('/test'))).to.include({ code: 'unexpected_answer', status: 200 });
    const { flowHooks: other } = await scripted(Array.from({ length: 5 }, () => json(200, {})));
    for (const call of [
      () => other.listListeners({ orgId: 'acme' })[Symbol.asyncIterator]().next(),
      () => other.explain({ orgId: 'acme', eventId: 'one' }),
      () => other.replay({ orgId: 'acme', listenerId: 'one' }),
      () => other.waitForReplay('one'),
      () => other.cancelReplay('one'),
    ])
      expect(await failure(call())).to.include({ code: 'unexpected_answer', status: 200 });
    const withoutItems = await scripted([json(200, { event: {}, items: null, next: null })]);
    for (const call of [
      () => withoutItems.flowHooks.listListeners({ orgId: 'acme' })[Symbol.asyncIterator]().next(),
      () => withoutItems.flowHooks.explain({ orgId: 'acme', eventId: 'one' }),
    ])
      expect(await failure(call())).to.include({ code: 'unexpected_answer', status: 200 });
    for (const answer of [
      html(200),
      json(202, { accepted: 1, rejected: 0, results: ['a'] }),
      json(200, {}),
      json(200, 'text'),
      json(202, { accepted: 1, rejected: 0, results: [] }),
    ]) {
      const { flowHooks } = await scripted([answer]);
      for (const call of [flowHooks.publish(event), flowHooks.publishBatch([event])]) {
        const error = await failure(call);
        expect(error).to.include({ code: 'unexpected_answer' }).and.property('status').to.be.within(200, 202);
        expect(error.results).to.deep.equal([{ status: 'unknown', id: 'one' }]);
      }
    }
  });

  it('follows the pages of lists and explanations, also past an empty one', async () => {
    const pages = [
      { items: [1], next: 'a' },
      { items: [], next: 'b' },
      { items: [2, 3], next: null },
    ];
    const listed = await scripted(pages.map((page) => json(200, page)));
    const items: unknown[] = [];
    for await (const item of listed.flowHooks.listFlowEvents({ orgId: 'acme' }, { pageSize: 7 })) items.push(item);
    expect(items).to.deep.equal([1, 2, 3]);
    const queries = listed.requests.map(({ path }) => Object.fromEntries(new URL(path, listed.origin).searchParams));
    const asked = { orgId: 'acme', limit: '7' };
    expect(queries).to.deep.equal([asked, { ...asked, after: 'a' }, { ...asked, after: 'b' }]);

    const explained = await scripted(pages.map((page) => json(200, { ...page, event: { type: 'order.paid' } })));
    const explanation = await explained.flowHooks.explain({ orgId: 'acme', eventId: 'one' });
    expect(explanation).to.deep.equal({ event: { type: 'order.paid' }, items: [1, 2, 3] });
    const bodies = explained.requests.map(({ body }) => (JSON.parse(body) as { after?: string }).after);
    expect(bodies).to.deep.equal([undefined, 'a', 'b']);
  });

  it('sends requests below the path of the address, with the key', async () => {
    for (const path of ['', '/', '/base', '/base/', '/base//']) {
      const { origin, requests } = await scripted([accepted]);
      await new (client().FlowHooks)({ url: `${origin}${path}`, key: 'fhk_secret' }).publish(event);
      expect(requests[0]?.path).to.equal(path.startsWith('/base') ? '/base/api/flows' : '/api/flows');
      expect(requests[0]?.headers).to.include({
        authorization: 'Bearer fhk_secret',
        'content-type': 'application/json',
      });
    }
  });

  it('sends IDs of any characters in headers, as the UTF-8 that the service reads', async () => {
    const { flowHooks, requests } = await scripted([json(201, [])]);
    const ids = { orgid: 'Zürich', userid: '艾达 👩‍💻' };
    await flowHooks.api.GET('/api/hooks/perform-list', { params: { header: ids } });
    await flowHooks.api.GET('/api/hooks/perform-list', { headers: ids });
    const received = requests.map(({ headers }) =>
      [headers.orgid, headers.userid].map((value) => Buffer.from(String(value), 'latin1').toString()),
    );
    expect(received).to.deep.equal([Object.values(ids), Object.values(ids)]);
    const broken = failure(flowHooks.api.GET('/api/hooks/perform-list', { headers: { orgid: 'acme\r\nuserid: ada' } }));
    expect(await broken).to.include({ code: 'invalid_option' });
    expect(requests).to.have.length(2);
  });

  it('refuses addresses and options that are not valid', () => {
    const url = 'https://hooks.example.com';
    const refused = [
      ...['hooks.example.com', '/base', 'ftp://a.example', `${url}?a=b`, `${url}#a`, 'https://ada:pw@a.example'].map(
        (each) => ({ url: each }),
      ),
      ...[{ retries: -1 }, { retries: 0.5 }, { timeoutMs: 0 }, { deadlineMs: Number.NaN }, { key: '' }],
    ];
    for (const options of refused) {
      const create = () => new (client().FlowHooks)({ url, key: 'fhk_secret', ...options });
      expect(create, JSON.stringify(options)).to.throw(client().FlowHooksError).with.property('code', 'invalid_option');
    }
    expect(new (client().FlowHooks)({ url: new URL(url), key: 'k', timeoutMs: Number.POSITIVE_INFINITY })).to.be.an(
      'object',
    );
  });
});
