import { expect } from 'chai';
import type { ListenerDetails, ListenerEvent, SigningSecret } from '../../../src/events/listener-events.js';
import { Forbidden } from '../../../src/http/errors.js';
import {
  type AgentSubscriptionKey,
  agentHookUrl,
  agentSubscriptionId,
  type SubscribeAgent,
  subscribeAgent,
  subscriptionIdIn,
} from '../../../src/listeners/agents/agent-subscription.js';
import { type Listener, listenerDecider } from '../../../src/listeners/listener.js';
import { TooManyListeners } from '../../../src/listeners/listener-quota.js';
import { given as givenOf } from '../../support/given.js';
import { firstId, nextId, plainSubscription } from '../fixtures.js';

const now = new Date('2026-02-03T04:00:00.000Z');
const hour = 3_600_000;
const later = (ms: number) => new Date(now.getTime() + ms);

const agent = { clientId: 'https://agent.example/client.json', sessionId: firstId };
const secretOf = (name: string, fields: Partial<SigningSecret> = {}): SigningSecret => ({
  keyGeneration: 'g1',
  sealed: name,
  version: 1,
  previous: null,
  expiresAt: later(2 * hour).toISOString(),
  ...fields,
});
const details = (changes: Partial<ListenerDetails> = {}): ListenerDetails => ({
  listenerId: firstId,
  orgId: 'acme',
  userId: 'ada',
  hookUrl: 'https://agent.example/hook#sub_1',
  subscription: plainSubscription,
  secret: secretOf('one'),
  failing: null,
  agent,
  ...changes,
});
const begun = (changes: Partial<ListenerDetails> = {}): ListenerEvent => ({
  type: 'ListenerSubscribed',
  data: details(changes),
});
const paused: ListenerEvent = { type: 'ListenerPaused', data: { ...details(), reason: 'failing', since: '0' } };
type Reason = Extract<ListenerEvent, { type: 'ListenerUnsubscribed' }>['data']['reason'];
const ended = (reason: Reason, changes: Partial<ListenerDetails> = {}): ListenerEvent => ({
  type: 'ListenerUnsubscribed',
  data: { ...details(changes), reason, since: '0' },
});
const subscribe =
  ({
    secret = 'one',
    generation = 'g1',
    ...changes
  }: Partial<SubscribeAgent> & { secret?: string; generation?: string } = {}) =>
  (listener: Listener): ListenerEvent[] => {
    const { orgId, userId, hookUrl, subscription } = details();
    return subscribeAgent(
      {
        orgId,
        userId,
        hookUrl,
        agent,
        subscription,
        listenerId: nextId,
        task: { state: 'active', orgId, name: 'own' } as SubscribeAgent['task'],
        encrypted: () => ({ keyGeneration: generation, sealed: secret }),
        isSecretOf: (_, { sealed }) => sealed === secret,
        currentGeneration: generation,
        cursor: null,
        ttlMs: hour,
        now,
        ...changes,
      },
      listener,
    );
  };
const given = (...history: readonly ListenerEvent[]) => givenOf(listenerDecider, history);

describe('the subscription of an agent', () => {
  it('begins with the secret that the agent gave, and an end', () =>
    given()
      .when(subscribe())
      .then([begun({ listenerId: nextId })]));

  it('keeps the cursor with which it began, whatever its refreshes have', () => {
    const back = { ...agent, cursor: 'c0' };
    const renewed = { agent: { ...back, sessionId: nextId }, paused: false, since: '0' };
    given()
      .when(subscribe({ cursor: 'c0' }))
      .then([begun({ listenerId: nextId, agent: back })]);
    given(begun({ agent: back }))
      .when(subscribe({ cursor: 'c1', agent: { ...agent, sessionId: nextId } }))
      .then([{ type: 'ListenerRenewed', data: { ...details(), ...renewed } }]);
  });

  it('appends nothing for a refresh before half of the recorded time has passed', () =>
    given(begun())
      .when(subscribe({ now: later(hour) }))
      .then([]));

  it('ends later once a refresh grants more than is recorded', () =>
    given(begun())
      .when(subscribe({ now: later(hour + 1) }))
      .then([
        {
          type: 'ListenerRenewed',
          data: {
            ...details({ secret: secretOf('one', { expiresAt: later(3 * hour + 1).toISOString() }) }),
            paused: false,
            since: '0',
          },
        },
      ]));

  it('gets another secret, with which both sign for a day', () =>
    given(begun())
      .when(subscribe({ secret: 'two' }))
      .then([
        {
          type: 'ListenerSecretRotated',
          data: {
            ...details({
              secret: secretOf('two', {
                version: 2,
                previous: { keyGeneration: 'g1', sealed: 'one', version: 1, until: later(24 * hour).toISOString() },
              }),
            }),
            paused: false,
            since: '0',
          },
        },
      ]));

  it('is encrypted again by the first refresh after a rotation of the master key', () => {
    const [renewed] = subscribe({ generation: 'g2', isSecretOf: () => true })(given(begun()).state);
    expect(renewed?.type).to.equal('ListenerRenewed');
    expect(renewed?.data.secret).to.include({ keyGeneration: 'g2', version: 2 });
  });

  it('is of the session of the last refresh', () => {
    const [renewed] = subscribe({ agent: { ...agent, sessionId: nextId } })(given(begun()).state);
    expect(renewed?.type).to.equal('ListenerRenewed');
    expect(renewed?.data.agent).to.eql({ ...agent, sessionId: nextId });
  });

  it('is resumed by a refresh', () => {
    const [resumed, ...more] = subscribe()(given(begun(), paused).state);
    expect([resumed?.type, more.length]).to.eql(['ListenerResumed', 0]);
    expect(subscribe({ secret: 'two' })(given(begun(), paused).state).map(({ type }) => type)).to.eql([
      'ListenerResumed',
      'ListenerSecretRotated',
    ]);
  });

  it('begins anew, as another listener, once it has expired', () => {
    const [ended, next] = subscribe({ now: later(2 * hour) })(given(begun()).state);
    expect(ended).to.deep.include({ type: 'ListenerUnsubscribed' });
    expect(ended?.data).to.include({ reason: 'expired', listenerId: firstId, since: '0' });
    expect(next?.data.listenerId).to.equal(nextId);
  });

  for (const reason of ['operator', 'access-revoked'] as const)
    describe(`that others have ended (${reason})`, () => {
      it('does not begin again in the session of the last refresh, at any time', () => {
        for (const now of [later(0), later(1000 * hour)])
          given(begun(), ended(reason)).when(subscribe({ now })).thenThrows(Forbidden, 'Access revoked');
      });

      it('begins again after another sign-in', () =>
        given(begun(), ended(reason))
          .when(subscribe({ agent: { ...agent, sessionId: nextId } }))
          .then([begun({ listenerId: nextId, agent: { ...agent, sessionId: nextId } })]));

      it('begins again without a session, as by an API key, once its time is over', () => {
        const apiKey = { agent: { clientId: null, sessionId: null } };
        const history = [begun(apiKey), ended(reason, apiKey)];
        given(...history)
          .when(subscribe({ ...apiKey, now: later(2 * hour - 1) }))
          .thenThrows(Forbidden, 'Access revoked');
        const [again] = subscribe({ ...apiKey, now: later(2 * hour) })(given(...history).state);
        expect(again).to.deep.include({ type: 'ListenerSubscribed' });
      });
    });

  for (const reason of ['requested', 'expired', 'gone'] as const)
    it(`begins again in the same session after another end (${reason})`, () =>
      given(begun(), ended(reason))
        .when(subscribe())
        .then([begun({ listenerId: nextId })]));

  it('counts as a listener of the organisation, and needs its integration task', () => {
    given()
      .when(subscribe({ exhaustedQuota: 5 }))
      .thenThrows(TooManyListeners);
    expect(() => subscribe({ task: { state: 'missing' } as SubscribeAgent['task'] })(given().state)).to.throw();
    given(begun())
      .when(subscribe({ exhaustedQuota: 5 }))
      .then([]);
  });
});

describe('the identity of a subscription of an agent', () => {
  const key: AgentSubscriptionKey = {
    orgId: 'acme',
    actor: 'user:ada',
    clientId: null,
    url: 'https://agent.example/hook?a=1',
    name: 'order.paid',
    arguments: { 'data.a': 1, 'data.b': [1, 2] },
  };

  it('is the same for arguments in another order, and another one for each other value', () => {
    const id = agentSubscriptionId(key);
    expect(agentSubscriptionId({ ...key, arguments: { 'data.b': [1, 2], 'data.a': 1 } })).to.equal(id);
    const others: Partial<AgentSubscriptionKey>[] = [
      { orgId: 'globex' },
      { actor: 'user:bob' },
      { clientId: 'agent' },
      { url: 'https://agent.example/hook?a=2' },
      { name: 'order.sent' },
      { arguments: { 'data.a': 1, 'data.b': [2, 1] } },
      { arguments: {} },
    ];
    const ids = new Set(others.map((other) => agentSubscriptionId({ ...key, ...other })));
    expect(ids.add(id).size).to.equal(others.length + 1);
  });

  it('is the fragment of the hook URL, which those of platforms do not have', () => {
    expect(subscriptionIdIn(agentHookUrl(key))).to.equal(agentSubscriptionId(key));
    expect(agentHookUrl({ ...key, url: `${key.url}#sub_${'0'.repeat(32)}` }).split('#')).to.have.length(2);
    expect(subscriptionIdIn('https://agent.example/hook')).to.equal(undefined);
  });
});
