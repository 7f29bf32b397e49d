import { expect } from 'chai';
import { declareEventTypeRoute, showEventTypeRoute } from '../../../src/admin/api/contracts/event-types.js';
import { readFeedRoute } from '../../../src/admin/api/contracts/feed.js';
import {
  listFlowEventsRoute,
  publishFlowEventRoute,
  showFlowEventRoute,
} from '../../../src/admin/api/contracts/flow-events.js';
import { subscribeListenerRoute, tryListenerRoute } from '../../../src/admin/api/contracts/listeners.js';
import { activateTaskRoute, registerTaskRoute } from '../../../src/admin/api/contracts/tasks.js';
import type { Caller } from '../../../src/admin/api/routing/admin-route.js';
import { readFlowEvent } from '../../../src/flows/flow-event.js';
import { prettyJson } from '../../../src/site/components/pretty-json.js';
import { fieldsOf, jsonField } from '../../../src/site/fields.js';
import { copiedEvent, digestOf } from '../../../src/store-copy/copied-event.js';
import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';

const orgId = 'acme';
const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const data = '{"id":9007199254740993,"price":19.90,"far":1e400}';
/** Body as the console and the command line send it. */
const sent = () => jsonField(fieldsOf({ data }), 'data');

describe('numbers that doubles do not keep', function () {
  this.timeout(120_000);
  let given: GivenOperations;
  let receiver: Receiver;
  let listenerId: string;

  before(async () => {
    given = await givenOperations();
    receiver = await startReceiver();
    const hookUrl = `${receiver.origin}/hook`;
    await given.api.call(registerTaskRoute, { body: { orgId, name: 'Orders' } }, ada);
    await given.api.call(activateTaskRoute, { body: { orgId } }, ada);
    const subscription = { subscriptionType: '*', filter: { 'data.id': { $gt: 5.5 }, 'data.far': { $gt: 1 } } };
    ({ listenerId } = await given.api.call(subscribeListenerRoute, { body: { orgId, hookUrl, ...subscription } }, ada));
    const type = {
      name: 'order.paid',
      description: 'An order was paid',
      example: sent() as never,
      searchable: ['data.id'],
    };
    await given.api.call(declareEventTypeRoute, { body: type }, ada);
    await given.viewsCaughtUp();
    await given.api.call(publishFlowEventRoute, { body: { orgId, type: 'order.paid', id: 'o-1', data: sent() } }, ada);
    await receiver.has(1);
  });
  after(async () => {
    await given.stop();
    await receiver.close();
  });

  it('are delivered digit for digit, to a listener whose filter computes with doubles', () =>
    expect(receiver.received[0]?.body).to.contain(`,"data":${data}}`));

  it('are shown digit for digit', async () => {
    const shown = await given.api.call(showFlowEventRoute, { params: { eventId: 'o-1' }, query: { orgId } }, ada);
    expect(JSON.stringify(shown.data)).to.equal(data);
    expect(prettyJson(shown.data)).to.equal('{"id": 9007199254740993, "price": 19.90, "far": 1e400}');
    expect(shown).not.to.have.property('dataText');
  });

  it('are in the feed digit for digit', async () => {
    const { items } = await given.api.call(readFeedRoute, { query: { orgId } }, ada);
    expect(JSON.stringify(items[0])).to.contain(`,"data":${data}}`);
  });

  it('are found by their digits, and not by those of the nearest double', async () => {
    const found = async (find: string) =>
      (await given.api.call(listFlowEventsRoute, { query: { orgId, find } }, ada)).items.map(({ eventId }) => eventId);
    expect(await found('9007199254740993')).to.eql(['o-1']);
    expect(await found('9007199254740992')).to.eql([]);
  });

  it('are tried digit for digit', async () => {
    const body = { event: { type: 'order.paid', data: sent() } };
    const tried = await given.api.call(tryListenerRoute, { params: { listenerId }, body }, ada);
    expect(JSON.stringify(tried.body)).to.contain(`,"data":${data}}`);
  });

  it('are kept in the example of an event type', async () => {
    const { example } = await given.api.call(showEventTypeRoute, { query: { name: 'order.paid' } }, ada);
    expect(JSON.stringify(example)).to.equal(data);
  });

  it('are kept by a copy of the store, and covered by seals', async () => {
    const recorded: RecordedEvent[] = [];
    for await (const event of given.store.readAll({ filter: { categories: ['flow'] } })) recorded.push(event);
    const [event] = recorded;
    if (!event) throw new Error('nothing is recorded');
    const copied = JSON.parse(JSON.stringify(copiedEvent(event))) as Pick<RecordedEvent, 'data' | 'metadata'>;
    expect(readFlowEvent({ ...event, ...copied }).dataText).to.equal(data);
    const metadata = { ...(event.metadata as object), dataText: data.replace('0993', '0994') };
    expect(digestOf({ ...event, metadata })).not.to.equal(digestOf(event));
  });
});
