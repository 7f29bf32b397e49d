import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

describe('listeners with filters, from outside', () => {
  const orgId = organisation('acme');
  const filter = { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } };
  let service: SharedService;
  let receiver: Receiver;
  let url: string;
  let listenerId: string;

  before(async () => {
    receiver = await startReceiver();
    url = `${receiver.origin}/filtered`;
    service = await sharedService();
    ({ listenerId } = await subscribe(service, url, { orgId, filter }));
    await publish(service, { orgId, id: 'large', type: 'flow.completed', data: { total: 41, currency: 'CHF' } });
    await publish(service, { orgId, id: 'small', type: 'flow.completed', data: { total: 12, currency: 'CHF' } });
    await publish(service, { orgId, id: 'dollars', type: 'flow.completed', data: { total: 50, currency: 'USD' } });
    await publish(service, { orgId, id: 'last', type: 'flow.completed', data: { total: 99, currency: 'EUR' } });
    await until(() => received().includes('last'), 'the last selected event');
  });
  after(() => receiver.close());

  const { post } = administratorOf(() => service);
  const received = () => receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  async function explain(eventId: string) {
    const { body } = await post(`/flows/${eventId}/explain`, { orgId, listenerId });
    return (body as { items: Readonly<Record<string, unknown>>[] }).items[0];
  }

  it('get the events that the filter selects, and no others', () =>
    expect(received()).to.have.members(['large', 'last']));

  it('are not registered with a filter that is not valid: 400 names the place', async () => {
    const headers = { orgid: orgId, userid: 'ada' };
    const json = { hookUrl: url, subscriptionType: 'flow.*', filter: { 'data.total': { $gtt: 40 } } };
    const { status, body } = await service.fetch('/api/hooks/subscribe/flows', { headers, json });
    expect(status).to.equal(400);
    expect(body).to.include({ error: 'invalid_request', message: 'filter.data.total.$gtt: unknown operator' });
  });

  it('are explained by the condition that failed, and the value on which it failed', async () => {
    expect(await explain('small')).to.include({
      outcome: 'filter-mismatch',
      because: "the listener's filter excluded the event: data.total.$gt 40 failed on 12",
    });
    expect((await explain('dollars'))?.because).to.match(/data.currency.\$in \["EUR","CHF"\] failed on "USD"$/);
    await until(async () => (await explain('large'))?.outcome === 'delivered', 'the recorded delivery');
  });

  it('get a replay of the events that the filter of the time selects; one excluded event is refused with the reason', async () => {
    const refused = await post('/replays', { orgId, listenerId, eventId: 'small' });
    expect(refused.status).to.equal(409);
    expect(refused.body).to.include({
      error: 'filter_mismatch',
      message: "the listener's filter excludes this event: data.total.$gt 40 failed on 12",
    });
    const cli = await runCli(
      service.dataDirectory,
      'replays',
      'start',
      '--org',
      orgId,
      '--listener',
      listenerId,
      '--event',
      'small',
    );
    expect(cli.code).to.equal(1);
    expect(cli.stderr).to.match(/data\.total\.\$gt 40 failed on 12/);

    // The present filter selects other events: those of the past are selected by the filter of their time.
    await subscribe(service, url, { orgId, filter: { 'data.total': { $lt: 40 } } });
    const { status, body } = await post('/replays', { orgId, listenerId });
    expect(status).to.equal(201);
    const { id } = body as { id: string };
    await until(
      async () => (await replays()).some((each) => each.id === id && each.state === 'completed'),
      'the replay',
    );
    expect((await replays()).find((each) => each.id === id)).to.include({ enqueued: 2 });
    await until(() => received().length === 4, 'the replayed events');
    expect(received().slice(2)).to.have.members(['large', 'last']);
  });

  const replays = async () =>
    (await runCliForJson(service.dataDirectory, 'replays', 'list', '--org', orgId)) as {
      id: string;
      state: string;
      enqueued: number;
    }[];

  it('are listed with their filter, now and as of a time, and each change is in the history', async () => {
    const cli = (...args: string[]) => runCliForJson(service.dataDirectory, ...args);
    const present = { 'data.total': { $lt: 40 } };
    const [listed] = (await cli('listeners', 'list', '--org', orgId)) as { filter: unknown }[];
    expect(listed?.filter).to.deep.equal(present);
    const history = (await cli('audit', 'history', '--org', orgId)) as {
      type: string;
      at: string;
      before: object;
      after: object;
    }[];
    const changed = history.find(({ type }) => type === 'ListenerSubscriptionChanged');
    expect(changed?.before).to.deep.include({ filter });
    expect(changed?.after).to.deep.include({ filter: present });
    const subscribed = history.find(({ type }) => type === 'ListenerSubscribed');
    const [then] = (await cli('audit', 'as-of', '--org', orgId, '--at', subscribed?.at ?? '')) as { filter: unknown }[];
    expect(then?.filter).to.deep.equal(filter);
  });
});
