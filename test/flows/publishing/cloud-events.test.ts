import { request } from 'node:http';
import { expect } from 'chai';
import { CloudEvent, HTTP, type Message } from 'cloudevents';
import { type FlowEvent, readFlowEvent } from '../../../src/flows/flow-event.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { Answer, Served } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { servePublishing } from './serve-publishing.js';

const own = { orgid: 'org-1', userid: 'user-1' };
const listType = 'application/cloudevents-batch+json';

const order = (fields: Record<string, unknown> = {}) =>
  new CloudEvent({
    id: 'order-1',
    source: '/shops/7',
    type: 'com.example.order.paid',
    time: '2026-01-02T03:04:05.678Z',
    subject: 'order 1',
    flowid: 'flow-1',
    priority: 5,
    data: { total: 42 },
    ...fields,
  });

describe('publishing CloudEvents', () => {
  let store: EventStore;
  let served: Served;

  beforeEach(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    served = await servePublishing(store, { maxEventBytes: 100_000 });
  });

  afterEach(async () => {
    await served.close();
    await store.close();
  });

  /** Sends bytes as Node's own client does: it leaves header values as they are. */
  const send = (
    headers: Readonly<Record<string, string | readonly string[]>>,
    body: string | Buffer | undefined,
    path = '/api/flows',
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${served.origin}${path}`, { method: 'POST', headers: { ...own, ...headers } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
      });
      sent.on('error', reject).end(body);
    });

  /** Sends a message of the official SDK, whose header values are texts. */
  const sendMessage = ({ headers, body }: Message) =>
    send(headers as Record<string, string>, body === undefined ? undefined : String(body));

  async function recorded(): Promise<RecordedEvent[]> {
    const all: RecordedEvent[] = [];
    for await (const each of store.readAll({ filter: { categories: ['flow'] } })) all.push(each);
    return all;
  }
  const published = async (): Promise<FlowEvent[]> => (await recorded()).map(readFlowEvent);

  const flowEvent = {
    id: 'order-1',
    orgId: 'org-1',
    flowId: 'flow-1',
    type: 'com.example.order.paid',
    timestamp: '2026-01-02T03:04:05.678Z',
    data: { total: 42 },
  };
  const kept = { specversion: '1.0', source: '/shops/7', subject: 'order 1' };

  describe('made by the official SDK', () => {
    it('takes one in structured mode', async () => {
      expect(await sendMessage(HTTP.structured(order()))).to.deep.equal({ status: 202, body: { id: 'order-1' } });
      expect((await published())[0]).to.deep.include(flowEvent);
      expect((await recorded())[0]?.metadata).to.deep.include({ cloudEvent: { ...kept, priority: 5 } });
    });

    it('takes one in binary mode', async () => {
      expect(await sendMessage(HTTP.binary(order()))).to.deep.equal({ status: 202, body: { id: 'order-1' } });
      expect((await published())[0]).to.deep.include(flowEvent);
      const datacontenttype = 'application/json; charset=utf-8';
      expect((await recorded())[0]?.metadata).to.deep.include({
        cloudEvent: { ...kept, priority: '5', datacontenttype },
      });
    });

    it('takes one in binary mode without Content-Type, as the SDK of Python sends it', async () => {
      const headers = {
        'ce-specversion': '1.0',
        'ce-id': 'order-1',
        'ce-source': '/shops/7',
        'ce-type': 'com.example.order.paid',
        'ce-time': '2026-11-23T21:17:13.725067+00:00',
      };
      expect(await send(headers, '{"total": 42}')).to.deep.equal({ status: 202, body: { id: 'order-1' } });
      expect((await published())[0]).to.deep.include({ id: 'order-1', data: { total: 42 } });
      expect((await recorded())[0]?.metadata).to.deep.include({
        cloudEvent: { specversion: '1.0', source: '/shops/7' },
      });
      const { status, body } = await send(headers, 'forty-two');
      expect(status).to.equal(400);
      expect(body).to.include({ message: 'the body is not valid JSON' });
    });

    for (const path of ['/api/flows', '/api/flows/batch']) {
      it(`takes a batch of them at ${path}`, async () => {
        const events = [order(), order({ id: 'order-2', flowid: 'flow-2' }), order({ id: 'order-1' })];
        const { status, body } = await send({ 'content-type': listType }, JSON.stringify(events), path);
        expect(status).to.equal(202);
        expect(body).to.deep.equal({
          accepted: 3,
          rejected: 0,
          results: ['order-1', 'order-2', 'order-1'].map((id) => ({ id, status: 'accepted' })),
        });
        expect((await published()).map(({ id, flowId }) => [id, flowId])).to.deep.equal([
          ['order-1', 'flow-1'],
          ['order-2', 'flow-2'],
        ]);
      });
    }

    it('takes the same event in any mode once', async () => {
      await sendMessage(HTTP.structured(order()));
      await sendMessage(HTTP.binary(order()));
      expect(await published()).to.have.length(1);
    });

    it('takes text as data', async () => {
      const text = order({ datacontenttype: 'text/plain', data: 'paid: 42 €' });
      await sendMessage(HTTP.structured(text));
      await sendMessage(HTTP.binary(text.cloneWith({ id: 'order-2' })));
      expect((await published()).map(({ data }) => data)).to.deep.equal(['paid: 42 €', 'paid: 42 €']);
    });

    it('delivers null where there is no data', async () => {
      await sendMessage(HTTP.structured(order({ data: undefined })));
      const { headers } = HTTP.binary(order({ id: 'order-2', data: undefined }));
      await send(headers as Record<string, string>, undefined);
      expect((await published()).map(({ data }) => data)).to.deep.equal([null, null]);
    });

    it('refuses binary data', async () => {
      const bytes = order({ data: undefined, data_base64: 'AAEC', datacontenttype: 'application/octet-stream' });
      const { status, body } = await sendMessage(HTTP.structured(bytes));
      expect([status, body.message]).to.deep.equal([
        400,
        'data_base64: binary data cannot be delivered as JSON; send JSON or text in data',
      ]);
      const headers = { ...HTTP.binary(order()).headers, 'content-type': 'application/octet-stream' };
      const binary = await sendMessage({ headers, body: 'abc' });
      expect([binary.status, binary.body.message]).to.deep.equal([
        400,
        'datacontenttype: binary data cannot be delivered as JSON; send JSON or text',
      ]);
    });
  });

  it('takes the organisation from the extension orgid, if the caller may publish for it', async () => {
    const message = HTTP.structured(order({ orgid: 'org-2' }));
    expect(await sendMessage(message)).to.deep.include({ status: 403 });
    expect(await sendMessage({ ...message, headers: { ...message.headers, orgid: '' } })).to.include({ status: 202 });
    expect((await published())[0]).to.include({ orgId: 'org-2' });
  });

  type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
  const headers = (changes: Headers) => {
    const all: Headers = {
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-id': 'order-1',
      'ce-source': '/shops/7',
      'ce-type': 'order.paid',
      ...changes,
    };
    return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  };

  it('decodes header values: quotes, then percent-encoded UTF-8, once', async () => {
    // The examples of the HTTP Protocol Binding (§3.1.3.2), and a second round.
    for (const [value, subject] of [
      ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
      ['"a \\"b\\" %25 \\\\"', 'a "b" % \\'],
      ['50% off, %zz', '50% off, %zz'],
      ['%2525', '%25'],
    ] as const) {
      await send(headers({ 'ce-id': `of ${value.length}`, 'ce-subject': value }), '{}');
      const last = (await recorded()).at(-1);
      expect(last?.metadata).to.have.nested.property('cloudEvent.subject', subject);
    }
  });

  it('keeps any JSON as data in binary mode', async () => {
    for (const [index, data] of [null, 0, 'text', [1], { a: { b: [] } }].entries()) {
      const type = index % 2 === 0 ? 'application/json' : 'application/vnd.shop+json; charset=utf-8';
      await send(headers({ 'ce-id': `order-${index}`, 'content-type': type }), JSON.stringify(data));
      expect((await published()).at(-1)?.data).to.deep.equal(data);
    }
  });

  for (const [type, bytes, data] of [
    ['text/plain; charset=utf-16', Buffer.from('für 5 €', 'utf16le'), 'für 5 €'],
    ['text/plain; charset="UTF-16"', Buffer.from('\uFEFFfür 5 €', 'utf16le'), 'für 5 €'],
    ['text/plain; charset=utf-16', Buffer.from('\uFEFFfür 5 €', 'utf16le').swap16(), 'für 5 €'],
    ['text/plain; charset=utf-16be', Buffer.from('für 5 €', 'utf16le').swap16(), 'für 5 €'],
    ['text/plain; charset=ISO-8859-1', Buffer.from('für', 'latin1'), 'für'],
    ['application/xml; charset=windows-1252', Buffer.from([0x80]), '€'],
    ['text/csv', Buffer.from('\uFEFFfür'), 'für'],
    ['', Buffer.from('{"for":"ü"}'), { for: 'ü' }],
    ['application/json; charset=utf-8', Buffer.from('"ü"'), 'ü'],
  ] as const) {
    it(`reads the data of one in binary mode by its charset: ${type || 'an empty Content-Type'}, ${bytes.length} bytes`, async () => {
      expect((await send({ ...headers({}), 'content-type': type }, bytes)).body).to.deep.equal({ id: 'order-1' });
      expect((await published())[0]?.data).to.deep.equal(data);
    });
  }

  for (const [type, status, message] of [
    ['json', 415, 'Content-Type: json is not a media type; send application/json'],
    ['text/plain; charset=utf-32', 415, 'Content-Type: the charset utf-32 is not supported: send utf-8'],
    ['application/json; charset=utf-16', 415, 'Content-Type: the charset of JSON is utf-8, not utf-16'],
    ['text/plain; charset=', 400, 'Content-Type: the charset is empty: leave it out, or send utf-8'],
    ['text/plain', 400, 'the body is not valid UTF-8'],
    ['image/png', 400, 'datacontenttype: binary data cannot be delivered as JSON; send JSON or text'],
  ] as const) {
    it(`answers ${status} to one in binary mode that it cannot read: ${type}`, async () => {
      const answer = await send({ ...headers({}), 'content-type': type }, Buffer.from([0x22, 0xff, 0x22]));
      expect([answer.status, answer.body.message]).to.deep.equal([status, message]);
      expect(await recorded()).to.have.length(0);
    });
  }

  for (const [what, changes, body, message] of [
    ['without specversion', { 'ce-specversion': undefined }, '{}', /^specversion: must be 1\.0$/],
    ['of another version', { 'ce-specversion': '0.3' }, '{}', /^specversion: must be 1\.0$/],
    ['without id', { 'ce-id': undefined }, '{}', /^id: /],
    ['without source', { 'ce-source': undefined }, '{}', /^source: /],
    ['without type', { 'ce-type': undefined }, '{}', /^type: /],
    ['with another type than flow events may have', { 'ce-type': 'order paid' }, '{}', /^type: must be 1 to 128/],
    ['with a time that is none', { 'ce-time': 'today' }, '{}', /^time: must be an ISO 8601 date/],
    ['with a repeated attribute', { 'ce-id': ['a', 'b'] }, '{}', /^id: the header ce-id is repeated$/],
    ['with an attribute in Latin-1', { 'ce-subject': 'caf\u00e9' }, '{}', /^subject: send characters outside ASCII/],
    [
      'with percent-encoded Latin-1',
      { 'ce-subject': 'caf%E9' },
      '{}',
      /^subject: the percent-encoded bytes are not UTF-8/,
    ],
    ['with a name that is none of an attribute', { 'ce-order-id': '1' }, '{}', /^order-id: the name of an attribute/],
    ['with malformed JSON', {}, '{', /^the body is not valid JSON$/],
  ] as const) {
    it(`answers 400 to one in binary mode ${what}, and names the attribute`, async () => {
      const answer = await send(headers(changes), body);
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request']);
      expect(answer.body.message).to.match(message);
      expect(await recorded()).to.have.length(0);
    });
  }

  const structured = (json: unknown) =>
    send(
      { 'content-type': 'application/cloudevents+json; charset=UTF-8' },
      typeof json === 'string' ? json : JSON.stringify(json),
    );
  const minimal = { specversion: '1.0', id: 'order-1', source: '/shops/7', type: 'order.paid' };

  it('treats an attribute that is null in JSON as one that is not set', async () => {
    expect((await structured({ ...minimal, subject: null, time: null, flowid: null, data: null })).status).to.equal(
      202,
    );
    expect((await published())[0]).to.deep.include({ flowId: 'order-1', data: null });
  });

  for (const [what, json, message] of [
    ['that is no object', [minimal], /^send a JSON object$/],
    ['with malformed JSON', '{', /^the body is not valid JSON$/],
    ['whose id is null', { ...minimal, id: null }, /^id: /],
    ['whose attribute is an object', { ...minimal, order: { id: 1 } }, /^order: must be a text of 1 to 2048 printable/],
    ['whose attribute is a fraction', { ...minimal, total: 1.5 }, /^total: must be a text/],
    ['whose attribute has capitals', { ...minimal, flowId: 'f' }, /^flowId: the name of an attribute consists of/],
    [
      'whose data is nested too deep',
      `{"specversion":"1.0","id":"1","source":"s","type":"t","data":${'['.repeat(200)}${']'.repeat(200)}}`,
      /^data: must be nested/,
    ],
  ] as const) {
    it(`answers 400 to one in structured mode ${what}`, async () => {
      const answer = await structured(json);
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request']);
      expect(answer.body.message).to.match(message);
    });
  }

  it('answers 400 to one with very many attributes, in a short text', async () => {
    const extensions = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`a${index}`, {}]));
    const json = { specversion: '1.0', id: 'many', source: '/', type: 'a', ...extensions };
    const { status, body } = await send({ 'content-type': 'application/cloudevents+json' }, JSON.stringify(json));
    expect([status, body.message]).to.deep.equal([400, 'an event may have at most 100 attributes']);
  });

  it('rejects invalid events of a batch one by one', async () => {
    const { specversion: _, ...unversioned } = minimal;
    const body = JSON.stringify([minimal, { ...unversioned, id: 'order-2' }]);
    expect((await send({ 'content-type': listType }, body)).body.results).to.deep.equal([
      { id: 'order-1', status: 'accepted' },
      {
        id: 'order-2',
        status: 'rejected',
        error: 'invalid_request',
        message: 'specversion: must be 1.0',
      },
    ]);
  });

  it('counts the attributes in the size of an event', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`a${index}`, 'x'.repeat(2_000)]));
    expect((await structured({ ...minimal, ...attributes })).body).to.include({ error: 'payload_too_large' });
  });
});
