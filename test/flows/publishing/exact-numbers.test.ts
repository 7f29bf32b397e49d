import { expect } from 'chai';
import fc from 'fast-check';
import { bodyOf, readFlowEvent } from '../../../src/flows/flow-event.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { startEventStoreDouble } from '../../eventstoredb-double/src/start-double.js';
import { jsonText } from '../../support/json-texts.js';
import type { Served } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { servePublishing } from './serve-publishing.js';

type Opened = { store: EventStore; stop: () => Promise<void> };

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => ({
    store: openSqliteEventStore({ directory: temporaryDirectory() }),
    stop: async () => undefined,
  }),
  EventStoreDB: async () => {
    const double = await startEventStoreDouble();
    return { store: openEventStoreDb({ url: double.url }), stop: () => double.stop() };
  },
};

/** Requests that publish an event with this data, as JSON texts. */
const requests: Readonly<
  Record<
    string,
    (data: string, id: string) => { path: string; type: string; body: string; headers?: Record<string, string> }
  >
> = {
  'a single event': (data, id) => ({
    path: '/api/flows',
    type: 'application/json',
    body: `{"type": "order.paid", "id": "${id}", "data": ${data}}`,
  }),
  'a batch': (data, id) => ({
    path: '/api/flows/batch',
    type: 'application/json',
    body: `[{"type": "order.paid", "id": "other ${id}", "data": 1}, {"type": "order.paid", "id": "${id}", "data": ${data}}]`,
  }),
  lines: (data, id) => ({
    path: '/api/flows/batch',
    type: 'application/x-ndjson',
    body: `{"type": "order.paid", "id": "${id}", "data": ${data}}\n`,
  }),
  'a structured CloudEvent': (data, id) => ({
    path: '/api/flows',
    type: 'application/cloudevents+json',
    body: `{"specversion": "1.0", "source": "/", "type": "order.paid", "id": "${id}", "data": ${data}}`,
  }),
  'a batch of CloudEvents': (data, id) => ({
    path: '/api/flows',
    type: 'application/cloudevents-batch+json',
    body: `[{"specversion": "1.0", "source": "/", "type": "order.paid", "id": "${id}", "data": ${data}}]`,
  }),
  'a binary CloudEvent': (data, id) => ({
    path: '/api/flows',
    type: 'application/json',
    body: data,
    headers: { 'ce-specversion': '1.0', 'ce-source': '/', 'ce-type': 'order.paid', 'ce-id': id },
  }),
};

for (const [name, open] of Object.entries(stores)) {
  describe(`numbers of published events on ${name}`, () => {
    let opened: Opened;
    let served: Served;

    before(async () => {
      opened = await open();
      const { store } = opened;
      served = await servePublishing(store, { maxEventBytes: 100_000 });
    });
    after(async () => {
      await served.close();
      await opened.store.close();
      await opened.stop();
    });

    async function publish(format: string, data: string, id: string) {
      const request = requests[format]?.(data, id);
      if (!request) throw new Error(format);
      const { path, type, body, headers } = request;
      return served.post(path, body, { 'content-type': type, orgid: 'org-1', userid: 'user-1', ...headers });
    }

    async function recorded(id: string): Promise<RecordedEvent> {
      for await (const event of opened.store.readAll({ direction: 'backwards' }))
        if ((event.data as { id?: unknown }).id === id) return event;
      throw new Error(`${id} is not recorded`);
    }

    const deliveredData = async (id: string) => /"data":(.*)}$/s.exec(bodyOf(readFlowEvent(await recorded(id))))?.[1];

    for (const format of Object.keys(requests)) {
      it(`arrive digit for digit in ${format}`, () => {
        let count = 0;
        return fc.assert(
          fc.asyncProperty(jsonText, async (data) => {
            count += 1;
            const id = `${format} ${count}`;
            expect((await publish(format, data, id)).status).to.equal(202);
            expect(await deliveredData(id)).to.equal(data);
          }),
          {
            numRuns: 8,
            examples: [['[9007199254740993,7615917337495251231,123456789012345.123456,1e-400]'], ['1e400']],
          },
        );
      });
    }

    it('arrive digit for digit beside an attribute of a CloudEvent that is a whole number in another spelling', async () => {
      const event =
        '{"specversion":"1.0","source":"/","type":"order.paid","id":"beside","sequence":5.0,"data":[1.0,1e400]}';
      const headers = { 'content-type': 'application/cloudevents+json', orgid: 'org-1', userid: 'user-1' };
      expect((await served.post('/api/flows', event, headers)).status).to.equal(202);
      expect(await deliveredData('beside')).to.equal('[1.0,1e400]');
      expect((await recorded('beside')).metadata).to.have.nested.property('cloudEvent.sequence', 5);
    });

    it('are kept once: a repeat with other digits changes nothing', async () => {
      for (const data of ['9007199254740993', '9007199254740995'])
        expect((await publish('a single event', data, 'repeated')).status).to.equal(202);
      expect(await deliveredData('repeated')).to.equal('9007199254740993');
    });

    it('are kept a second time only where doubles do not keep them', async () => {
      await publish('a single event', '[1,2.5,-3,123456789012345]', 'plain');
      expect((await recorded('plain')).metadata).not.to.have.property('dataText');
    });
  });
}
