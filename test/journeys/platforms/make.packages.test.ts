import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../src/access/clients/client-registry.js';
import { MakeError } from '../../support/make/communicate.js';
import { type CommonData, connectMake, type MakeConnection } from '../../support/make/make.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { passSignIn } from '../../support/service/platform.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

describe('the Make app', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let listeners: Receiver;
  let common: CommonData;
  const { get, post } = administratorOf(() => service);

  before(async () => {
    listeners = await startReceiver();
    service = await startService({ environment: { NOTIFY_REMOVED: 'true', RATE_LIMIT_EVENTS: '5/1h' } });
    const client = {
      clientId: 'make',
      name: 'Make',
      redirectUris: ['https://www.make.com/oauth/cb/app'],
      scopes: ['listeners', 'flows:publish'],
    };
    const { status, body } = await post('/clients', client);
    expect(status, JSON.stringify(body)).to.equal(201);
    const { clientSecret } = body as { clientSecret: string };
    common = { url: service.origin, clientId: 'make', clientSecret };
    await post('/event-types', {
      name: 'order.paid',
      description: 'An order was paid.',
      schema: {},
      example: { total: 1 },
    });
    await pause(clientMemoryMs);
  });
  after(async () => {
    await service.stop();
    await listeners.close();
  });

  const connect = (orgId: string, values: CommonData = common): Promise<MakeConnection> =>
    connectMake(values, async ({ searchParams }) => {
      const returned = await passSignIn(service, searchParams, { userId: 'ada', orgId });
      return returned.searchParams;
    });
  const publish = (orgId: string, event: object) => service.fetch('/api/flows', { json: { orgId, ...event } });
  const listenersOf = async (orgId: string) =>
    ((await get(`/listeners?orgId=${orgId}`)).body as { items: readonly Readonly<Record<string, unknown>>[] }).items;
  const receivedAt = (path: string) => listeners.received.filter((each) => each.path === path);
  const failure = async (attempt: Promise<unknown>): Promise<MakeError> => {
    const error = await attempt.catch((each: unknown) => each);
    if (error instanceof MakeError) return error;
    throw new Error(`expected an error of Make, but got ${JSON.stringify(error)}`);
  };

  it('connects a user, labels the connection, refreshes its tokens before they expire, and revokes them', async () => {
    const connection = await connect('signing-in');
    expect(connection.label).to.equal('ada (signing-in)');
    const { accessToken, refreshToken } = connection.data();
    await connection.options('subscriptionTypes');
    expect(connection.data()).to.include({ accessToken, refreshToken });

    connection.wait(50);
    await connection.options('subscriptionTypes');
    const refreshed = connection.data();
    expect(refreshed.accessToken).to.be.a('string').and.not.equal(accessToken);
    expect(refreshed.refreshToken).to.be.a('string').and.not.equal(refreshToken);

    await connection.invalidate();
    const call = { url: '/test', method: 'GET' };
    expect(await failure(connection.run('makeApiCall', call))).to.include({ type: 'InvalidAccessTokenError' });
    // Not as if there were no events: a scenario would go on without them.
    const search = failure(connection.run('searchFlowEvents', { limit: 1 }));
    expect(await search).to.include({ type: 'InvalidAccessTokenError' });
    connection.wait(60);
    const refused = await failure(connection.options('subscriptionTypes'));
    expect(refused).to.include({ type: 'InvalidAccessTokenError' });
    expect(refused.message).to.match(/^\[400\] ./);
  });

  it('tells a user why the sign-in was refused', async () => {
    const refused = (answer: Readonly<Record<string, string>>) =>
      failure(
        connectMake(
          common,
          async ({ searchParams }) => new URLSearchParams({ ...answer, state: searchParams.get('state') ?? '' }),
        ),
      );
    const denied = await refused({ error: 'access_denied', error_description: 'the user did not agree' });
    expect(denied).to.include({ type: 'RuntimeError', message: 'the user did not agree' });
    expect(await refused({ error: 'server_error' })).to.include({ message: 'server_error' });
    expect((await refused({})).message).to.include('without a code');
  });

  it('watches the flow events of a type that a filter selects, until the webhook is deleted', async () => {
    const connection = await connect('watching');
    expect(await connection.options('subscriptionTypes')).to.deep.equal([
      { label: 'All events', value: '*' },
      { label: 'order.paid', value: 'order.paid' },
    ]);
    expect(await connection.options('subscriptionTypes', { search: 'was PAID' })).to.deep.equal([
      { label: 'order.paid', value: 'order.paid' },
    ]);
    expect(await connection.options('subscriptionTypes', { search: '' })).to.have.length(2);
    const parameters = { subscriptionType: 'order.*', filter: '{"data.total": {"$gt": 40}}', ordered: true };
    const webhook = await connection.attach(`${listeners.origin}/watching`, parameters);
    const [listener] = await listenersOf('watching');
    expect(listener).to.deep.include({ subscriptionType: 'order.*', ordered: true, userId: 'ada' });

    const paid = (id: string, total: number) => ({ id, type: 'order.paid', data: { total } });
    await publish('watching', paid('small', 40));
    await publish('watching', { ...paid('other', 50), type: 'invoice.paid' });
    await publish('watching', paid('large', 41));
    await until(() => receivedAt('/watching').length > 0, 'a delivery');
    const [delivery, ...others] = receivedAt('/watching');
    if (delivery === undefined || others.length > 0) throw new Error('expected one delivery');
    expect(webhook.bundleOf(delivery)).to.deep.include({ ...paid('large', 41), orgId: 'watching' });

    await webhook.detach();
    await webhook.detach(); // Make may repeat it
    await publish('watching', paid('late', 99));
    await pause(500);
    expect(receivedAt('/watching')).to.have.length(1);
    expect(await listenersOf('watching')).to.deep.equal([]);
  });

  it('starts no scenario when an operator removes the listener, and its listener is removed when Make answers 410', async () => {
    const connection = await connect('removing');
    const webhook = await connection.attach(`${listeners.origin}/removed`, { subscriptionType: '*' });
    const [{ listenerId } = { listenerId: '' }] = await listenersOf('removing');
    expect((await post(`/listeners/${listenerId}/unsubscribe`)).status).to.equal(200);
    await until(() => receivedAt('/removed').length > 0, 'the notice of the removal');
    const [notice] = receivedAt('/removed');
    if (notice === undefined) throw new Error('no notice');
    expect(notice.method).to.equal('DELETE');
    expect(webhook.bundleOf(notice)).to.equal(undefined);

    await connection.attach(`${listeners.origin}/gone`, { subscriptionType: '*' });
    listeners.answer(410);
    await publish('removing', { type: 'order.paid', data: {} });
    await until(async () => (await listenersOf('removing')).length === 0, 'the listener to be removed');
    listeners.answer(200);
  });

  it('publishes flow events once for each ID, and finds them, but no samples', async () => {
    const connection = await connect('searching');
    const all = { limit: 10 };
    expect(await connection.run('searchFlowEvents', all)).to.deep.equal([]);
    expect(await connection.run('searchFlowEvents', { ...all, subscriptionType: 'order.paid' })).to.deep.equal([]);

    const event = { type: 'order.paid', data: '{"total": 42}', id: 'order-1-paid', occurredAt: new Date(0) };
    expect(await connection.run('publishFlowEvent', event)).to.deep.equal({ id: 'order-1-paid' });
    expect(await connection.run('publishFlowEvent', event)).to.deep.equal({ id: 'order-1-paid' });
    const { id } = (await connection.run('publishFlowEvent', { type: 'order.sent', data: '[1]' })) as { id: string };
    const search = async (parameters: object) =>
      (await connection.run('searchFlowEvents', { ...all, ...parameters })) as readonly { id: string }[];
    await until(async () => (await search({})).length === 2, 'the events to be found');
    expect((await search({})).map((each) => each.id)).to.deep.equal([id, 'order-1-paid']);
    expect((await search({ limit: 1 })).map((each) => each.id)).to.deep.equal([id]);
    expect(await search({ subscriptionType: 'order.paid' })).to.deep.equal([
      {
        id: 'order-1-paid',
        type: 'order.paid',
        timestamp: '1970-01-01T00:00:00.000Z',
        orgId: 'searching',
        flowId: 'order-1-paid',
        data: { total: 42 },
      },
    ]);
    expect(await search({ filter: '{"data.total": 42}' })).to.have.length(1);
    expect(await (await connect('another')).run('searchFlowEvents', all)).to.deep.equal([]);
  });

  it('makes any other call to the service, and to no other server', async () => {
    const connection = await connect('calling');
    const pairs = (fields: Readonly<Record<string, string>>) =>
      Object.entries(fields).map(([key, value]) => ({ key, value }));
    const call = {
      url: '/api/hooks/subscribe/flows',
      method: 'POST',
      headers: pairs({ 'Content-Type': 'application/json' }),
      body: JSON.stringify({ hookUrl: `${listeners.origin}/called`, subscriptionType: '*' }),
    };
    expect(await connection.run('makeApiCall', call)).to.deep.include({ statusCode: 201 });
    const query = { url: '/api/hooks/perform-list', method: 'GET', qs: pairs({ limit: '1' }) };
    const answer = (await connection.run('makeApiCall', query)) as { body: readonly unknown[] };
    expect(answer.body).to.have.length(1);

    const { host } = new URL(listeners.origin);
    for (const url of [`//${host}/stolen`, `${listeners.origin}/stolen`, `@${host}/stolen`, `\\\\${host}/stolen`])
      expect((await failure(connection.run('makeApiCall', { url, method: 'GET' }))).message).to.match(/^\[404\]/);
    expect(listeners.received.filter(({ path }) => path.includes('stolen'))).to.deep.equal([]);
  });

  it('works with an address that ends with slashes, and paths that begin with one, or with none', async () => {
    const connection = await connect('slashes', { ...common, url: `${service.origin}//` });
    for (const url of ['/test', 'test', '//test']) {
      const answer = await connection.run('makeApiCall', { url, method: 'GET' });
      expect(answer, url).to.deep.include({ statusCode: 200, body: { success: 1 } });
    }
    const webhook = await connection.attach(`${listeners.origin}/slashes`, { subscriptionType: '*' });
    await webhook.detach();
    connection.wait(50);
    expect(await connection.run('searchFlowEvents', { limit: 1 })).to.deep.equal([]);
    await connection.invalidate();
    const doubled = connection.log.filter(({ request }) => new URL(String(request.url)).pathname.includes('//'));
    expect(doubled).to.deep.equal([]);
  });

  it('reports errors with the types that Make acts on', async () => {
    const wrongSecret = await failure(connect('failing', { ...common, clientSecret: 'wrong' }));
    expect(wrongSecret.message).to.match(/^\[401\] ./);
    const connection = await connect('failing');
    const url = `${listeners.origin}/failing`;
    const filter = await failure(
      connection.attach(url, { subscriptionType: '*', filter: '{"data.total": {"$gtt": 1}}' }),
    );
    expect(filter).to.include({ type: 'DataError', message: '[400] filter.data.total.$gtt: unknown operator' });
    expect(await failure(connection.run('searchFlowEvents', { filter: '{', limit: 1 }))).to.include({
      type: 'DataError',
    });

    for (let count = 0; count < 5; count += 1)
      await connection.run('publishFlowEvent', { type: 'order.paid', data: '{}' });
    const limited = await failure(connection.run('publishFlowEvent', { type: 'order.paid', data: '{}' }));
    expect(limited).to.include({ type: 'RateLimitError' });

    const task = await post('/tasks/register', { orgId: 'failing' }); // inactive until it is activated
    expect(task.status, JSON.stringify(task.body)).to.equal(200);
    const inactive = await failure(connection.attach(url, { subscriptionType: '*' }));
    expect(inactive).to.include({ type: 'InvalidConfigurationError' });
    expect(inactive.message).to.match(/^\[500\] ./);
  });

  it('leaves no secret in the logs of Make', async () => {
    const connection = await connect('secret');
    const first = connection.data();
    connection.wait(50);
    const webhook = await connection.attach(`${listeners.origin}/secret`, { subscriptionType: '*' });
    await webhook.detach();
    await connection.run('searchFlowEvents', { limit: 1 });
    await connection.run('makeApiCall', { url: '/test', method: 'GET' });
    await connection.invalidate();
    const logged = JSON.stringify(connection.log);
    expect(connection.log).to.have.length(9);
    const { accessToken, refreshToken } = connection.data();
    for (const secret of [common.clientSecret, first.accessToken, first.refreshToken, accessToken, refreshToken])
      expect(logged).not.to.include(String(secret));
    expect(logged).not.to.include('whsec_');
    expect(logged).not.to.match(/"(code|code_verifier)":"(?!\*{5}")/);
  });
});
