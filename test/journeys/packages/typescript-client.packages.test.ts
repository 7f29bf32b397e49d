import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { startTcpRelay } from '../../eventstoredb-double/src/tcp-relay.js';
import {
  type ClientError,
  type FlowHooks,
  loadTypescriptClient,
  type TypescriptClient,
} from '../../support/packages/typescript-client.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { rejection } from '../../support/rejection.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('the TypeScript client with the service', () => {
  const signed = organisation('signed');
  let client: TypescriptClient;
  let service: SharedService;
  let receiver: Receiver;
  let operator: FlowHooks;

  before(async () => {
    [client, service, receiver] = await Promise.all([loadTypescriptClient(), sharedService(), startReceiver()]);
    operator = new client.FlowHooks({ url: `${service.origin}/`, key: adminKey() });
  });
  after(async () => {
    await receiver?.close();
  });

  const adminKey = () => readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
  const { post } = administratorOf(() => service);
  const producerKey = async (orgId: string) => {
    const { body } = await post('/api-keys', { name: 'shop', orgId, scopes: ['flows:publish'] });
    return (body as { key: string }).key;
  };
  const listenersOf = async (orgId: string) =>
    (await collect(operator.listListeners({ orgId }))).map(({ listenerId }) => listenerId);
  const producerOf = async (orgId: string, options: object = {}) =>
    new client.FlowHooks({ url: service.origin, key: await producerKey(orgId), ...options });
  const eventIds = async (orgId: string) =>
    (await collect(operator.listFlowEvents({ orgId }))).map(({ eventId }) => eventId);
  const failure = async (call: () => Promise<unknown>) => (await rejection(call())) as ClientError;

  it('publishes an event under its id or a new one, and a listener receives it with a signature that verifies', async () => {
    const options = { orgId: signed, signedWithKeyPair: true };
    const { signingSecret, signingPublicKey } = await subscribe(service, `${receiver.origin}/signed`, options);
    const producer = await producerOf(signed);
    const event = Object.freeze({ type: 'flow.completed', data: { total: 42, name: 'Grüße 🙂' } });
    expect(await producer.publish({ ...event, id: 'order-1' })).to.deep.equal({ id: 'order-1' });
    const { id } = await producer.publish(event);
    expect(id).to.match(/^[0-9a-f-]{36}$/);

    await until(() => receiver.received.filter(({ path }) => path === '/signed').length === 2, 'both deliveries');
    const [delivery] = receiver.received.filter(({ body }) => body.includes(id));
    if (!delivery) throw new Error('not delivered');
    const { headers, body } = delivery;
    expect(client.verify(signingSecret, headers, body)).to.deep.include({ ...event, id, orgId: signed });
    expect(client.verify(signingSecret, headers, Buffer.from(body))).to.deep.include({ id });
    expect(client.verify(signingPublicKey, headers, body)).to.deep.include({ id });
    const fetchHeaders = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(client.verify(['whsec_b3RoZXI=', signingSecret], fetchHeaders, body)).to.deep.include({ id });

    const refused = (...args: Parameters<TypescriptClient['verify']>) => {
      try {
        return client.verify(...args);
      } catch (error) {
        return (error as ClientError).code;
      }
    };
    expect(refused('whsec_b3RoZXI=', headers, body)).to.equal('invalid_signature');
    for (const key of [signingSecret, signingPublicKey]) {
      expect(refused(key, headers, `${body} `)).to.equal('invalid_signature');
      expect(refused(key, {}, body)).to.equal('invalid_signature');
      expect(refused(key, { ...headers, 'webhook-timestamp': '1' }, body)).to.equal('invalid_signature');
    }
    expect(refused([], headers, body)).to.equal('invalid_option');
    expect(refused('whsec_%', headers, body)).to.equal('invalid_option');
    expect(refused('whpk_AAAA', headers, body)).to.equal('invalid_option');
  });

  it('shows what its key is for, and subscribes and unsubscribes under it, also where answers are lost', async () => {
    const orgId = organisation('subscribing');
    const { body } = await post('/api-keys', { name: 'shop', orgId: null, scopes: ['listeners:write'] });
    const { id, key } = body as { id: string; key: string };
    const relay = await startTcpRelay(service.origin);
    const subscriber = new client.FlowHooks({ url: new URL(relay.url).origin, key });
    try {
      const facts = { actor: `api-key:${id}`, orgId: null, scopes: ['listeners:write'] };
      expect(await subscriber.whoami()).to.deep.include(facts);
      expect(await operator.whoami()).to.include({ role: 'owner' });
      const hookUrl = `${receiver.origin}/subscribed`;
      const listener = { orgId, hookUrl, subscriptionType: 'order.*' };
      relay.cutNextAnswer();
      const { listenerId, signingSecret } = await subscriber.subscribe(listener);
      expect(await subscriber.subscribe(listener)).to.include({ listenerId, signingSecret });
      expect(await listenersOf(orgId)).to.deep.equal([listenerId]);
      relay.cutNextAnswer();
      await subscriber.unsubscribe({ orgId, hookUrl });
      await subscriber.unsubscribe({ orgId, hookUrl });
      expect(await listenersOf(orgId)).to.deep.equal([]);
      const error = await failure(() => subscriber.subscribe({ hookUrl, subscriptionType: '*' }));
      expect(error).to.include({ code: 'invalid_request', status: 400 });
    } finally {
      await relay.close();
    }
  });

  it('publishes a batch of any number, and answers for each event in order', async () => {
    const producer = await producerOf('many');
    const events = Array.from({ length: 2_100 }, (_, index) => ({
      type: index === 1_500 ? 'not allowed' : 'order.paid',
      data: index,
      ...(index !== 3 && { id: `many-${index}` }),
    }));
    const results = await producer.publishBatch(events);
    expect(results).to.have.length(events.length);
    for (const [index, { status, id }] of results.entries()) {
      if (index !== 3) expect(id).to.equal(`many-${index}`);
      expect(status, id).to.equal(index === 1_500 ? 'rejected' : 'accepted');
    }
    expect(results[1_500]).to.include({ error: 'invalid_request' });
    expect(await producer.publishBatch([])).to.deep.equal([]);
  });

  it('lists all pages of flow events, deliveries and listeners', async () => {
    const orgId = organisation('listed');
    const { listenerId } = await subscribe(service, `${receiver.origin}/listed`, { orgId });
    const ids = Array.from({ length: 7 }, (_, index) => `l-${index}`);
    await (await producerOf(orgId)).publishBatch(ids.map((id) => ({ id, type: 'flow.completed', data: id })));
    await until(async () => (await eventIds(orgId)).length === 7, 'the fan-out');
    const events = await collect(operator.listFlowEvents({ orgId }, { pageSize: 2 }));
    expect(events.map(({ eventId }) => eventId)).to.have.ordered.members(ids.toReversed());
    const succeeded = () => collect(operator.listDeliveries({ orgId, state: 'succeeded' }, { pageSize: 3 }));
    await until(async () => (await succeeded()).length === 7, 'the deliveries');
    expect((await succeeded()).map(({ eventId }) => eventId)).to.have.members(ids);
    expect(await collect(operator.listDeliveries({ orgId, eventId: 'l-3' }))).to.have.length(1);
    const listeners = await collect(operator.listListeners({ orgId }));
    expect(listeners.map((each) => each.listenerId)).to.deep.equal([listenerId]);
    for await (const { eventId } of operator.listFlowEvents({ orgId }, { pageSize: 1 })) {
      expect(eventId).to.equal('l-6');
      break;
    }
  });

  it('explains the outcome of an event', async () => {
    const orgId = organisation('explained');
    const { listenerId } = await subscribe(service, `${receiver.origin}/explained`, {
      orgId,
      subscriptionType: 'order.*',
    });
    await (await producerOf(orgId)).publish({ id: 'e/1 ?', type: 'flow.completed', data: null });
    await until(async () => (await eventIds(orgId)).length === 1, 'the fan-out');
    const { event, items } = await operator.explain({ orgId, eventId: 'e/1 ?' });
    expect(event).to.include({ orgId, type: 'flow.completed' });
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ listenerId, outcome: 'type-mismatch' });
    const error = await failure(() => operator.explain({ orgId, eventId: 'never' }));
    expect(error).to.include({ name: 'FlowHooksError', code: 'flow_event_not_found', status: 404 });
    expect(error.requestId).to.be.a('string');
  });

  it('starts a replay, follows it to its end, and cancels another', async () => {
    const orgId = organisation('replayed');
    const data = Array.from({ length: 20 }, (_, index) => index);
    await (await producerOf(orgId)).publishBatch(data.map((each) => ({ type: 'flow.completed', data: each })));
    const { listenerId } = await subscribe(service, `${receiver.origin}/replayed`, { orgId });
    const { id } = await operator.replay({ orgId, listenerId, type: 'flow.*' });
    const seen: string[] = [];
    const onProgress = ({ state }: { state: string }) => seen.push(state);
    const replay = await operator.waitForReplay(id, { pollMs: 20, onProgress });
    expect(replay).to.include({ id, state: 'completed', enqueued: 20, percent: 100 });
    expect(seen.at(-1)).to.equal('completed');
    await until(() => receiver.received.filter(({ path }) => path === '/replayed').length === 20, 'the deliveries');

    const slow = await operator.replay({ orgId, listenerId, ratePerSecond: 0.1 });
    const waiting = failure(() => operator.waitForReplay(slow.id, { signal: AbortSignal.timeout(100) }));
    expect(await waiting).to.include({ code: 'aborted' });
    expect(await operator.cancelReplay(slow.id)).to.include({ state: 'cancelled' });
    expect(await operator.waitForReplay(slow.id)).to.include({ state: 'cancelled' });
  });

  it('has every route with its types, where errors are answers', async () => {
    const { data } = await operator.api.GET('/admin/api/event-types', { params: { query: {} } });
    expect(data).to.deep.include({ items: [] });
    const samples = await operator.api.GET('/api/hooks/perform-list');
    expect(samples.response.status).to.equal(201);
    expect(samples.data).to.be.an('array');
    const { error, response } = await operator.api.GET('/admin/api/replays/{id}', {
      params: { path: { id: '9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c' } },
    });
    expect(response.status).to.equal(404);
    expect(error).to.include({ error: 'replay_not_found' });
  });

  it('repeats a request whose answer was lost under the same ids: each event is recorded once', async () => {
    const orgId = organisation('lost');
    const relay = await startTcpRelay(service.origin);
    try {
      const producer = await producerOf(orgId, { url: new URL(relay.url).origin });
      relay.cutNextAnswer();
      const { id } = await producer.publish({ type: 'flow.completed', data: 1 });
      relay.cutNextAnswer();
      const results = await producer.publishBatch([2, 3].map((data) => ({ type: 'flow.completed', data })));
      const ids = [id, ...results.map((result) => result.id)];
      await until(async () => (await eventIds(orgId)).length >= 3, 'the fan-out');
      await producer.publish({ id: 'last', type: 'flow.completed', data: 4 });
      await until(async () => (await eventIds(orgId)).includes('last'), 'the fan-out');
      expect(await eventIds(orgId))
        .to.have.members([...ids, 'last'])
        .and.have.length(4);

      relay.cutNextAnswer();
      const once = new client.FlowHooks({ url: new URL(relay.url).origin, key: await producerKey(orgId), retries: 0 });
      const error = await failure(() => once.publish({ type: 'flow.completed', data: 5 }));
      expect(error).to.include({ code: 'connection_failed' });
      expect(error.results).to.have.length(1);
      expect(error.results?.[0]).to.include({ status: 'unknown' });
    } finally {
      await relay.close();
    }
  });

  it('starts one replay, although the answer to its start was lost', async () => {
    const orgId = organisation('lost-replay');
    const { listenerId } = await subscribe(service, `${receiver.origin}/lost-replay`, { orgId });
    const relay = await startTcpRelay(service.origin);
    try {
      const throughRelay = new client.FlowHooks({ url: new URL(relay.url).origin, key: adminKey() });
      relay.cutNextAnswer();
      const { id } = await throughRelay.replay({ orgId, listenerId });
      await throughRelay.waitForReplay(id, { pollMs: 20 });
      const replays = async () => {
        const { data } = await operator.api.GET('/admin/api/replays', { params: { query: { orgId } } });
        return (data as { items: { id: string; state: string }[] }).items;
      };
      await until(async () => (await replays()).some(({ state }) => state === 'completed'), 'the view');
      expect((await replays()).map((each) => each.id)).to.deep.equal([id]);
    } finally {
      await relay.close();
    }
  });

  it('has errors with the code and the request id of the service, and shows the key nowhere', async () => {
    const key = await producerKey('secret');
    const producer = new client.FlowHooks({ url: service.origin, key, retries: 0 });
    const forbidden = await failure(() => producer.publish({ orgId: 'other', type: 'flow.completed', data: 1 }));
    expect(forbidden).to.be.instanceOf(client.FlowHooksError);
    expect(forbidden).to.include({ status: 403, code: 'forbidden' });
    expect(forbidden.requestId).to.match(/^[0-9a-f-]{36}$/);
    const unauthenticated = new client.FlowHooks({ url: service.origin, key: `${key}x`, retries: 0 });
    const wrongKey = await failure(() => unauthenticated.publish({ type: 'flow.completed', data: 1 }));
    expect(wrongKey).to.include({ status: 401, code: 'unauthenticated' });
    const nowhere = new client.FlowHooks({ url: `http://127.0.0.1:${await reusablePort()}`, key, retries: 0 });
    const unreachable = await failure(() => nowhere.publish({ type: 'flow.completed', data: 1 }));
    expect(unreachable).to.include({ code: 'connection_failed' });
    expect(unreachable.message).to.include('ECONNREFUSED');
    const shown = [producer, forbidden, wrongKey, unreachable].flatMap((each) => [
      inspect(each, { depth: null, showHidden: true, getters: true }),
      JSON.stringify(each),
      String(each),
      (each as Error).stack ?? '',
    ]);
    expect(shown.join('\n')).to.not.include(key);
    for (const invalid of [`${key}\n`, `${key} ä`, '']) {
      const error = await failure(async () => new client.FlowHooks({ url: service.origin, key: invalid }));
      expect(error).to.include({ code: 'invalid_option' });
      expect(inspect(error)).to.not.include(key);
    }
  });
});
