import { expect } from 'chai';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { DomainError } from '../../src/kernel/domain-error.js';
import { subscribing } from '../../src/listeners/commands/subscribe.js';
import { publicKeysAnswer, subscribeAnswer, unsubscribeAnswer } from '../../src/listeners/contract.js';
import {
  decideIntegrationTask,
  ensureDefaultTask,
  integrationTaskDecider,
  integrationTaskStream,
} from '../../src/listeners/integration-task.js';
import { listenerStream } from '../../src/listeners/listener.js';
import { listenerRoutes } from '../../src/listeners/routes.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { handle } from '../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { headerIdentity } from '../support/service/header-identity.js';
import { noLimits } from '../support/service/no-limits.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { details, nextId } from './fixtures.js';

class TargetNotAllowed extends DomainError {
  readonly code = 'target_not_allowed';
}

const cause = { actor: 'test', correlationId: 'test' };
const caller = { orgid: 'org-1', userid: 'user-1' };
const listener = { hookUrl: 'https://hooks.example.com/1', subscriptionType: 'flow.*' };

/** An answer, but for what it says of the subscription before. */
const settingsOf = ({ replaced, message, ...settings }: Record<string, unknown>) => settings;

describe('the routes for listeners', () => {
  let store: EventStore;
  let served: Served;
  let closed: string[];
  let barrierWorks: boolean;
  let quota: number | undefined;

  async function serve({ subscriptionTypes }: { subscriptionTypes?: readonly string[] } = {}): Promise<Served> {
    const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
    return serveRoutes(
      listenerRoutes('/api/hooks', {
        store,
        identity: headerIdentity,
        masterKeys: keys,
        barrier: {
          close: async (listenerId) => {
            if (!barrierWorks) throw new Error('the queue is away');
            closed.push(listenerId);
          },
        },
        limits: noLimits,
        readModel: {
          find: async (_, { where }) =>
            where?.listenerId === details.listenerId ? [{ key: '', document: details }] : [],
        },
        subscribe: subscribing({
          store,
          masterKeys: keys,
          subscriptionTypes,
          checkTarget: async (url) => {
            if (url.startsWith('https://internal.example/')) throw new TargetNotAllowed('this target is not allowed');
          },
          listenerQuota: async () => quota,
        }),
      }),
    );
  }

  const subscribe = (body: unknown = listener, headers: Record<string, string> = caller) =>
    served.post('/api/hooks/subscribe/flows', body, headers);
  const unsubscribe = (body: unknown = { hookUrl: listener.hookUrl }, headers: Record<string, string> = caller) =>
    served.post('/api/hooks/unsubscribe/flows', body, headers);

  async function history(orgId = 'org-1', hookUrl = listener.hookUrl): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of store.readStream(listenerStream(orgId, hookUrl))) types.push(type);
    return types;
  }

  const deactivateTask = () =>
    handle(
      store,
      integrationTaskStream(null),
      integrationTaskDecider,
      (task) => decideIntegrationTask({ change: 'deactivate', orgId: null }, task),
      { cause, now: new Date() },
    );

  beforeEach(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    await ensureDefaultTask(store);
    closed = [];
    barrierWorks = true;
    quota = undefined;
    served = await serve();
  });

  afterEach(async () => {
    await served.close();
    await store.close();
  });

  describe('subscribe', () => {
    it('answers 201 with the listener ID under both names and the signing secret', async () => {
      const { status, body } = await subscribe();
      expect(status).to.equal(201);
      const answer = subscribeAnswer.parse(body);
      expect(answer.id).to.equal(answer.listenerId);
      expect(answer).to.include({ ...listener, orgId: 'org-1' });
    });

    it('answers 429 to one listener more than the quota, and still accepts changes of registered ones', async () => {
      await subscribe();
      quota = 1;
      expect((await subscribe()).status).to.equal(201);
      expect((await subscribe({ ...listener, subscriptionType: 'flow.other' })).status).to.equal(201);
      const { status, body } = await subscribe({ ...listener, hookUrl: 'https://hooks.example.com/another' });
      expect(status).to.equal(429);
      expect(body).to.include({ error: 'too_many_listeners' });
    });

    it('answers a repeat with the same body, and appends nothing', async () => {
      const { body } = await subscribe();
      expect(await subscribe(listener, { ...caller, userid: 'user-2' })).to.deep.equal({ status: 201, body });
      expect(await history()).to.deep.equal(['ListenerSubscribed']);
    });

    it('ignores the fragment of the hook URL', async () => {
      const { body } = await subscribe();
      expect(await subscribe({ ...listener, hookUrl: `${listener.hookUrl}#part` })).to.deep.equal({
        status: 201,
        body,
      });
    });

    it('says what it replaced when the subscription changes, and nothing in a repeat', async () => {
      expect((await subscribe()).body).to.include({ replaced: null, message: 'The listener is registered.' });
      const { status, body } = await subscribe({ ...listener, subscriptionType: 'order.*' });
      expect(status).to.equal(201);
      expect(body.replaced).to.include({ subscriptionType: 'flow.*', ordered: false });
      expect(body.message).to.equal(
        'The listener is registered: its subscription is replaced, which had the type flow.*.',
      );
      const repeat = await subscribe({ ...listener, subscriptionType: 'order.*' });
      expect(repeat.body).to.include({ replaced: null, message: 'The listener is registered.' });
    });

    it('keeps the ID and the secret when the subscription type changes', async () => {
      const { body: first } = await subscribe();
      const { body } = await subscribe({ ...listener, subscriptionType: 'order.paid' });
      expect(settingsOf(body)).to.deep.equal({ ...settingsOf(first), subscriptionType: 'order.paid' });
      expect(await history()).to.deep.equal(['ListenerSubscribed', 'ListenerSubscriptionChanged']);
    });

    describe('with a filter', () => {
      const filter = { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } };

      it('answers with the filter, and appends nothing for the same one in another order', async () => {
        const { status, body } = await subscribe({ ...listener, filter });
        expect(status).to.equal(201);
        expect(subscribeAnswer.parse(body).filter).to.deep.equal(filter);
        const again = { 'data.currency': { $in: ['EUR', 'CHF'] }, 'data.total': { $gt: 40 } };
        expect((await subscribe({ ...listener, filter: again })).body).to.deep.equal(body);
        expect(await history()).to.deep.equal(['ListenerSubscribed']);
      });

      it('keeps the ID when the filter changes, or is left out', async () => {
        const { body: first } = await subscribe({ ...listener, filter });
        const changed = (await subscribe({ ...listener, filter: { type: 'flow.a' } })).body;
        expect(settingsOf(changed)).to.deep.equal({ ...settingsOf(first), filter: { type: 'flow.a' } });
        expect(changed.replaced).to.deep.include({ filter });
        expect(settingsOf((await subscribe()).body)).to.deep.equal({ ...settingsOf(first), filter: null });
        expect(await history()).to.deep.equal([
          'ListenerSubscribed',
          'ListenerSubscriptionChanged',
          'ListenerSubscriptionChanged',
        ]);
      });

      it('answers 400 to an invalid one, names the place, and appends nothing', async () => {
        for (const [invalid, message] of [
          [{ 'data.total': { $gtt: 40 } }, 'filter.data.total.$gtt: unknown operator'],
          ['data.total > 40', 'filter: must be an object'],
          [JSON.parse('{"__proto__": {"a": 1}}'), 'filter.__proto__: this name is not allowed in a path'],
        ]) {
          const { status, body } = await subscribe({ ...listener, filter: invalid });
          expect(status).to.equal(400);
          expect(body).to.include({ error: 'invalid_request', message });
        }
        expect(await rejection(history())).to.have.property('code', 'stream_not_found');
      });
    });

    it('answers with the transformation, and 400 with the place to one that cannot be parsed', async () => {
      const transform = '{"id": id, "amount": data.amount}';
      const { status, body } = await subscribe({ ...listener, transform });
      expect([status, subscribeAnswer.parse(body).transform]).to.deep.equal([201, transform]);
      const refused = await subscribe({ ...listener, transform: '{"id": id' });
      expect(refused.status).to.equal(400);
      expect(refused.body.message).to.match(/^transform: at character \d+: /);
      expect((await subscribe({ ...listener, transform: 5 })).body.message).to.equal('transform: must be a text');
    });

    it('gives an unsubscribed listener another ID and another secret', async () => {
      const { body: first } = await subscribe();
      await unsubscribe();
      const { body: next } = await subscribe();
      expect(next.listenerId).not.to.equal(first.listenerId);
      expect(next.signingSecret).not.to.equal(first.signingSecret);
    });

    it('separates organisations', async () => {
      const { body: ours } = await subscribe();
      const { body: theirs } = await subscribe(listener, { ...caller, orgid: 'org-2' });
      expect(theirs.listenerId).not.to.equal(ours.listenerId);
    });

    it('gives concurrent callers with the same listener the same listener', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => subscribe()));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
      expect(new Set(answers.map(({ body }) => body.listenerId)).size).to.equal(1);
      expect(await history()).to.deep.equal(['ListenerSubscribed']);
    });

    it('records the actor and the request ID', async () => {
      await subscribe(listener, { ...caller, 'x-request-id': 'request-1' });
      for await (const { metadata } of store.readStream(listenerStream('org-1', listener.hookUrl))) {
        expect(metadata).to.include({ actor: 'user:user-1', $correlationId: 'request-1', schemaVersion: 1 });
      }
    });

    it('takes null for unset fields', async () => {
      const unset = { ordered: null, signedWithKeyPair: null, ratePerSecond: null, filter: null, transform: null };
      const { status, body } = await subscribe({ ...listener, ...unset });
      expect(status).to.equal(201);
      expect(body).to.include({ ordered: false, signedWithKeyPair: false, ratePerSecond: null, filter: null });
    });

    it('answers 400 to fields whose names differ in case, with the right names, and registers nothing', async () => {
      for (const [wrong, value, right] of [
        ['Filter', { 'data.total': 1 }, 'filter'],
        ['Ordered', true, 'ordered'],
        ['hookurl', 'https://hooks.example.com/2', 'hookUrl'],
        ['rateperSecond', 5, 'ratePerSecond'],
      ] as const) {
        const { status, body } = await subscribe({ ...listener, [wrong]: value });
        expect(status).to.equal(400);
        expect(body).to.include({ error: 'invalid_request', message: `${wrong}: the name is ${right}` });
      }
      expect(await rejection(history())).to.have.property('name', 'StreamNotFound');
    });

    it('ignores additional fields', async () =>
      expect((await subscribe({ ...listener, bundle: { meta: {} } })).status).to.equal(201));

    const malformed: [string, unknown, RegExp][] = [
      ['without a hook URL', { subscriptionType: 'flow.*' }, /hookUrl/],
      ['with a hook URL that is not a string', { ...listener, hookUrl: 7 }, /hookUrl/],
      ['with a hook URL that is relative', { ...listener, hookUrl: '/hook' }, /hookUrl must be an absolute URL/],
      ['without a subscription type', { hookUrl: listener.hookUrl }, /subscriptionType/],
      ['with an empty subscription type', { ...listener, subscriptionType: '' }, /subscriptionType/],
      ['with an overlong subscription type', { ...listener, subscriptionType: 'x'.repeat(257) }, /subscriptionType/],
      ['with an unprintable subscription type', { ...listener, subscriptionType: 'a\nb' }, /subscriptionType/],
      ['that is a list', [listener], /object/],
      ['that is not JSON', '{', /JSON/],
    ];
    for (const [problem, body, message] of malformed) {
      it(`answers 400 to a body ${problem}`, async () => {
        const answer = await subscribe(body);
        expect(answer.status).to.equal(400);
        expect(answer.body.error).to.equal('invalid_request');
        expect(answer.body.message).to.match(message);
      });
    }

    it('answers 400 if the target is not allowed', async () => {
      const { status, body } = await subscribe({ ...listener, hookUrl: 'https://internal.example/' });
      expect(status).to.equal(400);
      expect(body.error).to.equal('target_not_allowed');
    });

    it('lists the allowed subscription types in the error for another one', async () => {
      await served.close();
      served = await serve({ subscriptionTypes: ['flow.completed', 'flow.failed'] });
      expect((await subscribe({ ...listener, subscriptionType: 'flow.failed' })).status).to.equal(201);
      const { status, body } = await subscribe();
      expect(status).to.equal(400);
      expect(body.message).to.include('flow.completed, flow.failed');
    });

    it('identifies the caller before it validates the body', async () => {
      const { status } = await subscribe('{', { ...caller, authorization: 'Bearer unknown' });
      expect(status).to.equal(401);
      expect((await subscribe({}, { ...caller, authorization: 'Bearer foreign' })).status).to.equal(403);
    });

    it('answers 500 if the integration task is inactive, but still answers repeats', async () => {
      const { body } = await subscribe();
      await deactivateTask();
      expect(await subscribe()).to.deep.equal({ status: 201, body });
      const refused = await subscribe({ ...listener, hookUrl: 'https://hooks.example.com/2' });
      expect(refused.status).to.equal(500);
      expect(refused.body.error).to.equal('integration_task_inactive');
    });

    it('answers 500 if the store is down', async () => {
      await store.close();
      const { status, body } = await subscribe();
      expect(status).to.equal(500);
      expect(body.error).to.equal('store_unavailable');
    });
  });

  describe('public keys', () => {
    const publicKeys = (listenerId: string) => served.get(`/api/hooks/listeners/${listenerId}/public-keys`);

    it('are shown without credentials, and nothing else of the listener', async () => {
      const { status, body } = await publicKeys(details.listenerId.toUpperCase());
      expect(status).to.equal(200);
      const { keys } = publicKeysAnswer.parse(body);
      expect(keys.map(({ version, until }) => [version, until])).to.deep.equal([[1, null]]);
    });

    it('are a 404 where no listener is registered', async () => {
      for (const listenerId of [nextId, 'no-uuid']) {
        const { status, body } = await publicKeys(listenerId);
        expect([status, body.error]).to.deep.equal([404, 'not_found']);
      }
    });
  });

  describe('unsubscribe', () => {
    it('answers 200 after the barrier is closed', async () => {
      const { body: subscribed } = await subscribe();
      const { status, body } = await unsubscribe();
      expect(status).to.equal(200);
      unsubscribeAnswer.parse(body);
      expect(closed).to.deep.equal([subscribed.listenerId]);
      expect(await history()).to.deep.equal(['ListenerSubscribed', 'ListenerUnsubscribed']);
    });

    it('succeeds again for an unsubscribed listener, and closes the barrier again', async () => {
      const { body: subscribed } = await subscribe();
      const first = await unsubscribe();
      expect(await unsubscribe()).to.deep.equal(first);
      expect(closed).to.deep.equal([subscribed.listenerId, subscribed.listenerId]);
      expect(await history()).to.have.length(2);
    });

    it('answers 500 if the barrier cannot be closed, and the retry closes it', async () => {
      const { body: subscribed } = await subscribe();
      barrierWorks = false;
      expect((await unsubscribe()).status).to.equal(500);
      barrierWorks = true;
      expect((await unsubscribe()).status).to.equal(200);
      expect(closed).to.deep.equal([subscribed.listenerId]);
    });

    it('answers 500 if the listener was never registered', async () => {
      const { status, body } = await unsubscribe();
      expect(status).to.equal(500);
      expect(body.error).to.equal('listener_not_found');
      expect(closed).to.deep.equal([]);
    });

    it('does not unsubscribe the listener of another organisation', async () => {
      await subscribe();
      expect((await unsubscribe({ hookUrl: listener.hookUrl }, { ...caller, orgid: 'org-2' })).status).to.equal(500);
      expect(await history()).to.deep.equal(['ListenerSubscribed']);
    });

    it('succeeds if the integration task is inactive', async () => {
      await subscribe();
      await deactivateTask();
      expect((await unsubscribe()).status).to.equal(200);
    });

    it('answers 400 to a body without a hook URL, after it has identified the caller', async () => {
      expect((await unsubscribe({})).status).to.equal(400);
      expect((await unsubscribe({}, { ...caller, authorization: 'Bearer unknown' })).status).to.equal(401);
    });
  });
});
