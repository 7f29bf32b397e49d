import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { publish, signIn, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Payload = { id: string; type: string; orgId: string; data: unknown };
type Headers = Readonly<Record<string, string>>;

describe('samples of an organisation', function () {
  this.timeout(240_000);
  let running: ServiceProcess;
  const service = () => running;
  async function restart(environment: Readonly<Record<string, string>>): Promise<void> {
    await running.stop();
    running = await startService({ dataDirectory: running.dataDirectory, environment });
  }
  let receiver: Receiver;
  let tokens: Readonly<Record<'acme' | 'globex', string>>;

  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const { post } = administratorOf(service);

  async function samples(headers: Headers, query = ''): Promise<readonly Payload[]> {
    const { status, body } = await service().fetch(`/api/hooks/perform-list${query}`, { headers });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as readonly Payload[];
  }

  async function apiKey(orgId: string | undefined, scopes: readonly string[]): Promise<Headers> {
    const { body } = await post('/api-keys', {
      name: 'samples',
      scopes,
      orgId: orgId ?? null,
    });
    return bearer((body as { key: string }).key);
  }

  const idsOf = (triggers: readonly Payload[]) => triggers.map(({ id }) => id);
  const latest = (orgId: string) => [4, 3, 2, 1, 0].map((event) => `${orgId}-${event}`);
  const isStatic = (triggers: readonly Payload[]) => triggers.every(({ orgId }) => orgId === 'sample-organisation');

  before(async () => {
    running = await startService();
    receiver = await startReceiver();
    const signedIn = async (orgId: string) => (await signIn(service(), { orgId })).access_token;
    tokens = { acme: await signedIn('acme'), globex: await signedIn('globex') };
    for (const orgId of ['acme', 'globex'])
      await subscribe(service(), `${receiver.origin}/${orgId}`, { orgId, subscriptionType: '*' });
    for (let event = 0; event < 5; event += 1)
      for (const orgId of ['acme', 'globex'])
        await publish(service(), {
          orgId,
          id: `${orgId}-${event}`,
          flowId: `${orgId}-flow`,
          type: event === 0 ? 'order.sent' : 'order.paid',
          occurredAt: '2026-01-02T03:04:05Z',
          data: { total: event * 10 },
        });
    await receiver.has(10);
    // The embedded queue writes deliveries behind, within two seconds.
    for (const orgId of ['acme', 'globex'])
      await until(async () => idsOf(await samples({ orgid: orgId })).join() === latest(orgId).join(), 'the samples');
  });
  after(async () => {
    await receiver.close();
    await running.stop();
  });

  it('are the events of the organisation, the latest first, exactly as its listener has received them', async () => {
    const received = receiver.received
      .filter(({ path }) => path === '/acme')
      .map(({ body }) => JSON.parse(body) as Payload)
      .sort((left, right) => (left.id < right.id ? 1 : -1));
    expect(await samples(bearer(tokens.acme))).to.deep.equal(received);
  });

  it('are those of the caller’s own organisation: with an access token, an API key, and trusted headers', async () => {
    for (const orgId of ['acme', 'globex'] as const) {
      expect(idsOf(await samples(bearer(tokens[orgId])))).to.deep.equal(latest(orgId));
      expect(idsOf(await samples(await apiKey(orgId, ['listeners:read'])))).to.deep.equal(latest(orgId));
      expect(idsOf(await samples({ orgid: orgId }))).to.deep.equal(latest(orgId));
      const all = await apiKey(undefined, ['listeners:read']);
      expect(idsOf(await samples({ ...all, orgid: orgId }))).to.deep.equal(latest(orgId));
    }
  });

  it('are static for a caller whose identity is not accepted, or is for another organisation', async () => {
    for (const headers of [
      {},
      bearer('unknown'),
      { ...bearer(tokens.acme), orgid: 'globex' },
      { ...(await apiKey('acme', ['listeners:read'])), orgid: 'globex' },
      await apiKey('acme', ['flows:publish']),
      await apiKey(undefined, ['listeners:read']),
    ])
      expect(isStatic(await samples(headers)), JSON.stringify(headers)).to.equal(true);
  });

  it('are of the type, the filter and the number in the query', async () => {
    const own = bearer(tokens.acme);
    const filter = (json: object) => `filter=${encodeURIComponent(JSON.stringify(json))}`;
    for (const [query, ids] of [
      ['subscriptionType=order.sent', ['acme-0']],
      ['type=order.*&limit=2', ['acme-4', 'acme-3']],
      ['subscriptionType=&type=&filter=&limit=1', ['acme-4']],
      [filter({ 'data.total': { $gte: 30 } }), ['acme-4', 'acme-3']],
      [`type=order.paid&${filter({ 'data.total': { $lt: 25 } })}`, ['acme-2', 'acme-1']],
    ] as const)
      expect(idsOf(await samples(own, `?${query}`)), query).to.deep.equal(ids);
  });

  it('are a static one of the type, if there is no such event', async () => {
    const [sample, ...others] = await samples(bearer(tokens.acme), '?type=order.cancelled');
    expect(others).to.deep.equal([]);
    expect(sample).to.include({ id: 'sample-order.cancelled', type: 'order.cancelled' });
  });

  it('are made by the declared type, if there is no such event: its example, or data that its schema accepts', async () => {
    const schema = { type: 'object', required: ['total'], properties: { total: { type: 'integer', minimum: 5 } } };
    await post('/event-types', { name: 'order.shipped', description: 'shipped', schema, example: { total: 42 } });
    await post('/event-types', { name: 'order.packed', description: 'packed', schema });
    const dataOf = async (type: string) =>
      (await samples(bearer(tokens.acme), `?type=${type}`)).map(({ data }) => data);
    expect(await dataOf('order.shipped')).to.deep.equal([{ total: 42 }]);
    expect(await dataOf('order.packed')).to.deep.equal([{ total: 5 }]);
  });

  it('are, with an expression, as the listener that subscribes with it receives them', async () => {
    const expression = '{"id": id, "amount": data.total + 1, "by": orgId}';
    const url = `${receiver.origin}/transformed`;
    await subscribe(service(), url, { orgId: 'hooli', subscriptionType: 'order.booked', transform: expression });
    for (const total of [1, 'many', 2])
      await publish(service(), { orgId: 'hooli', id: `booked-${total}`, type: 'order.booked', data: { total } });
    const received = async () =>
      (await receiver.has(12))
        .filter(({ path }) => path === '/transformed')
        .map(({ body }) => JSON.parse(body) as { id: string })
        .sort((left, right) => (left.id < right.id ? 1 : -1));
    const query = `?type=order.booked&transform=${encodeURIComponent(expression)}`;
    const own = { orgid: 'hooli' };
    await until(async () => (await samples(own, query)).length === 2, 'the samples');
    expect(await samples(own, query)).to.deep.equal(await received());
    expect(await samples(own, query)).to.deep.equal([
      { id: 'booked-2', amount: 3, by: 'hooli' },
      { id: 'booked-1', amount: 2, by: 'hooli' },
    ]);
    expect(isStatic(await samples({}, query)), 'without credentials nothing is evaluated').to.equal(true);
  });

  it('are refused with the reason if the expression fails for all, takes too long, or cannot be parsed', async () => {
    const refusal = async (expression: string) => {
      const query = `?type=order.paid&transform=${encodeURIComponent(expression)}`;
      const { status, body } = await service().fetch(`/api/hooks/perform-list${query}`, {
        headers: bearer(tokens.globex),
      });
      expect([status, (body as { error: string }).error], JSON.stringify(body)).to.deep.equal([400, 'invalid_request']);
      return (body as { message: string }).message;
    };
    expect(await refusal('$error("not today")')).to.equal(
      'transform: it fails for the samples, such as globex-4: not today (at character 7)',
    );
    expect(await refusal('($f := function($x) { $f($x + 1) }; $f(1))')).to.match(/it takes longer than 1000 ms$/);
    expect(await refusal('{"id": id')).to.match(/^transform: at character \d+: /);
  });

  it('are refused with 400 for a query that is not valid', async () => {
    for (const query of ['limit=101', 'limit=0', 'limit=x', 'type=a&subscriptionType=b', 'filter=x', 'filter={"x":1}'])
      expect(
        (await service().fetch(`/api/hooks/perform-list?${query}`, { headers: bearer(tokens.acme) })).status,
        query,
      ).to.equal(400);
  });

  it('hold nothing of an organisation that was erased, and those of the others stay', async () => {
    const { status } = await post('/organisations/erase', { orgId: 'acme', confirm: 'acme' });
    expect(status).to.equal(200);
    expect(isStatic(await samples({ orgid: 'acme' }))).to.equal(true);
    expect(idsOf(await samples({ orgid: 'globex' }))).to.deep.equal(latest('globex'));
  });

  it('hold nothing that was deleted after its retention', async () => {
    await restart({ FLOW_RETENTION: '1s' });
    await until(async () => isStatic(await samples({ orgid: 'globex' })), 'the events to be deleted', {
      limitMs: 90_000,
    });
    await publish(service(), { orgId: 'globex', id: 'new', type: 'order.paid', data: {} });
    await until(async () => idsOf(await samples({ orgid: 'globex' })).join() === 'new', 'the new event');
  });
});
