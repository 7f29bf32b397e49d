import { expect } from 'chai';
import { pino } from 'pino';
import { projections } from '../../../projections/index.js';
import { apiKeyStream } from '../../../src/access/api-keys/api-key.js';
import { consentIdOf, consentStream } from '../../../src/access/consents/consent.js';
import { sessionStream } from '../../../src/access/tokens/session.js';
import {
  type Erased,
  type EraseOrganisation,
  eraseOrganisation,
} from '../../../src/admin/erasure/erase-organisation.js';
import { flowStream } from '../../../src/flows/flow-event.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import { organisationStream } from '../../../src/listeners/organisation-settings.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import {
  type ErasureEvent,
  erasureCodec,
  erasuresStream,
  organisationMark,
} from '../../../src/stores/event-store/erasure-events.js';
import { StreamNotFound } from '../../../src/stores/event-store/errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { readLast } from '../../../src/stores/event-store/read-if-exists.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { keyCreated, keyFacts } from '../../access/api-keys/fixtures.js';
import { consentGranted, parties } from '../../access/consents/fixtures.js';
import { facts, issued } from '../../access/tokens/fixtures.js';
import {
  appendApiKeyEvent,
  appendConsentEvent,
  appendListenerEvent,
  appendOrganisationEvent,
  appendSessionEvent,
  appendTaskEvent,
  day,
} from '../../audit/append-events.js';
import { newEvent } from '../../contract/event-store/support.js';
import { firstId, nextId, subscribed, unsubscribed } from '../../listeners/fixtures.js';
import { batchOf, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { servedDocuments } from '../../support/views/fresh-fold.js';

export type ErasedStores = {
  store: EventStore;
  queue: DeliveryQueue;
  readModel: ReadModel;
  /** Content of the event store once it has been scavenged, where it can be: each event as text, but for its stream's name. */
  whatIsLeft: () => Promise<readonly { stream: string; text: string }[]>;
  close: () => Promise<void>;
};

const context = { cause: { actor: 'admin:ops', correlationId: 'request-1' }, now: day(20) };
const otherUrl = 'https://hooks.example.com/2';
const theirs = { orgId: 'org-2', listenerId: '33333333-3333-4333-8333-333333333333', userId: 'user-9' };
const theirSession = { sessionId: '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b99', orgId: 'org-2', userId: 'user-9' };
const theirKeys = [
  { apiKeyId: '0198c0de-0000-7000-8000-000000000002', orgId: 'org-2' },
  { apiKeyId: '0198c0de-0000-7000-8000-000000000003', orgId: null },
];
const ours = [
  listenerStream('org-1', 'https://hooks.example.com/1'),
  listenerStream('org-1', otherUrl),
  sessionStream(facts.sessionId),
  consentStream(consentIdOf(parties)),
  organisationStream('org-1'),
  apiKeyStream(keyFacts.apiKeyId),
];
const flows = [flowStream('org-1', 'flow-1'), 'flow-of-a-producer'];

/** Cases of an erasure for any stores; the last one interrupts it at every `stride`th call to a store, and runs it again. */
export function erasing(open: () => Promise<ErasedStores>, { stride }: { stride: number }): void {
  let stores: ErasedStores;

  beforeEach(async () => {
    stores = await open();
    await tellAll();
  });
  afterEach(() => stores.close());

  async function tellAll(): Promise<void> {
    const { store, queue } = stores;
    await appendListenerEvent(store, subscribed(), { at: day(1) });
    await appendListenerEvent(store, subscribed({ hookUrl: otherUrl, listenerId: nextId }), { at: day(1) });
    await appendListenerEvent(store, unsubscribed({ hookUrl: otherUrl, listenerId: nextId, since: 0 }), { at: day(2) });
    await appendSessionEvent(store, issued(), { at: day(2) });
    await appendConsentEvent(store, consentGranted(), { at: day(2) });
    await appendOrganisationEvent(
      store,
      {
        type: 'OrganisationSettingsChanged',
        data: { orgId: 'org-1', ordered: true, ratePerSecond: null, eventTypeCheck: 'off' },
      },
      { at: day(3) },
    );
    await appendApiKeyEvent(store, keyCreated(), { at: day(3), actor: 'admin:ops' });
    for (const key of theirKeys) await appendApiKeyEvent(store, keyCreated(key), { at: day(3), actor: 'admin:ops' });
    const setAsideOne = newEvent({ text: 'names no organisation' });
    await store.append('flow-of-a-producer', [setAsideOne]); // the first event that names an organisation decides
    for (const stream of flows) await store.append(stream, [newEvent({ orgId: 'org-1', text: 'ours' })]);
    await appendListenerEvent(store, subscribed(theirs), { at: day(4), actor: 'user:user-9' });
    await appendSessionEvent(store, issued(theirSession), { at: day(4) });
    await appendTaskEvent(
      store,
      { type: 'IntegrationTaskRegistered', data: { orgId: null, name: 'default' } },
      { at: day(4) },
    );
    await store.append('flow-of-theirs', [newEvent({ orgId: 'org-2' }), newEvent({ orgId: 'org-1' })]);
    await queue.enqueue(batchOf([queuedListener({ orgId: 'org-1', listenerId: firstId })], 2), 900);
    await queue.enqueue(batchOf([queuedListener(theirs)], 2, 'theirs'), 900);
    const aside = { revision: 0n, type: 'X', reason: 'bad' };
    const setAside = ['flow-of-a-producer', 'flow-of-theirs'].map((stream, index) => ({
      ...aside,
      stream,
      position: BigInt(index),
    }));
    await queue.enqueue({ messages: [], listeners: [], deliveries: [], ended: [], setAside }, 900);
  }

  const allAt = (head: () => Promise<bigint>) => async (readers: readonly string[]) => {
    const position = await head();
    return new Map(readers.map((reader) => [reader, position]));
  };

  /** A fan-out that has always reached the last event. */
  const settings = (): EraseOrganisation => ({
    store: stores.store,
    queue: { ...stores.queue, positions: allAt(() => stores.store.head()) },
    barrier: { close: (listenerId: string) => stores.queue.withdraw({ listenerId }) },
    log: pino({ enabled: false }),
  });
  const erase = (changes: Partial<EraseOrganisation> = {}): Promise<Erased> =>
    eraseOrganisation({ ...settings(), ...changes }, 'org-1', context);

  async function isThere(stream: string): Promise<boolean> {
    try {
      for await (const _ of stores.store.readStream(stream, { limit: 1 })) return true;
    } catch (error) {
      if (!(error instanceof StreamNotFound)) throw error;
    }
    return false;
  }

  async function recordedErasures(): Promise<ErasureEvent[]> {
    const events: ErasureEvent[] = [];
    for await (const recorded of stores.store.readStream(erasuresStream)) {
      const event = erasureCodec.decode(recorded);
      if (event) events.push({ type: event.type, data: event.data } as ErasureEvent); // as the codec gives it
    }
    return events;
  }

  async function expectNothingLeft(): Promise<void> {
    const { store, queue, readModel } = stores;
    for (const stream of [...ours, ...flows]) expect(await isThere(stream), stream).to.equal(false);
    expect((await queue.deliveries({ orgId: 'org-1' })).deliveries).to.deep.equal([]);
    expect(await queue.closedGates([firstId])).to.deep.equal(new Set([firstId]));
    expect((await queue.setAside()).map(({ stream }) => stream)).to.deep.equal(['flow-of-theirs']);
    for (const projection of projections) {
      await rebuild({ store, readModel, projection });
      const documents = await servedDocuments(readModel, projection);
      expect(JSON.stringify(documents), projection.name).not.to.match(/org-1|user-1|example\.com\/2/);
    }
    for (const { stream, text } of await stores.whatIsLeft()) {
      if (stream !== 'flow-of-theirs') expect(text, stream).not.to.match(/org-1|example\.com\/2/);
    }
    const recorded = await recordedErasures();
    expect(recorded.at(-1)).to.have.property('type', 'OrganisationErased');
    expect(JSON.stringify(recorded)).not.to.match(/org-1|user-1|example\.com|of-a-producer/);

    expect(await isThere(listenerStream('org-2', 'https://hooks.example.com/1'))).to.equal(true);
    expect(await isThere(sessionStream(theirSession.sessionId))).to.equal(true);
    for (const { apiKeyId } of theirKeys) expect(await isThere(apiKeyStream(apiKeyId)), apiKeyId).to.equal(true);
    expect(await isThere('flow-of-theirs')).to.equal(true);
    expect((await queue.deliveries({ orgId: 'org-2' })).deliveries).to.have.length(2);
  }

  it('deletes its streams and its rows in views and queue, and records this in events without its ID', async () => {
    expect(await erase()).to.deep.equal({
      organisation: organisationMark('org-1'),
      streams: 6,
      flowStreams: 2,
      elsewhere: ['flow-of-theirs'],
    });
    await expectNothingLeft();
    const [first, last] = await recordedErasures();
    const named = first?.type === 'StreamsErased' ? first.data.streams : [];
    expect(named.map(({ stream }) => stream)).to.have.members(ours);
    // The listener that held was unsubscribed first, and the session and the API key revoked.
    expect(Object.fromEntries(named.map(({ stream, revision }) => [stream, revision]))).to.deep.equal(
      Object.fromEntries(ours.map((stream, index) => [stream, ['1', '1', '1', '0', '0', '1'][index]])),
    );
    expect(last).to.deep.equal({
      type: 'OrganisationErased',
      data: { organisation: organisationMark('org-1'), streams: 6, flowStreams: 2, keptFlowStreams: 1 },
    });
  });

  it('changes nothing when it is repeated', async () => {
    await erase();
    const recorded = (await recordedErasures()).length;
    expect(await erase()).to.include({ streams: 0, flowStreams: 0 });
    expect(await recordedErasures()).to.have.length(recorded);
    await expectNothingLeft();
  });

  it('says once which listeners it has removed, with the URL that goes with their streams', async () => {
    const removed: { listenerId: string; hookUrl: string; gateWasClosed: Promise<boolean> }[] = [];
    const onRemoved: EraseOrganisation['onRemoved'] = ({ listenerId, hookUrl }) => {
      const gateWasClosed = stores.queue.closedGates([listenerId]).then((closed) => closed.has(listenerId));
      removed.push({ listenerId, hookUrl, gateWasClosed });
    };
    const behind = { ...settings().queue, positions: allAt(async () => 0n) };
    await rejection(erase({ onRemoved, queue: behind, fanOutTimeoutMs: 100 }));
    await erase({ onRemoved });
    await erase({ onRemoved });
    // The other one had been removed by its platform before.
    expect(removed.map(({ listenerId, hookUrl }) => ({ listenerId, hookUrl }))).to.deep.equal([
      { listenerId: firstId, hookUrl: 'https://hooks.example.com/1' },
    ]);
    expect(await removed[0]?.gateWasClosed).to.equal(true);
    await expectNothingLeft();
  });

  it('waits for the fan-out, and deletes nothing where that does not come', async () => {
    const behind = { ...settings().queue, positions: allAt(async () => 0n) };
    const error = await rejection(erase({ queue: behind, fanOutTimeoutMs: 100 }));
    expect(error).to.be.instanceOf(StoreUnavailable);
    for (const stream of [...ours, ...flows]) expect(await isThere(stream), stream).to.equal(true);
    expect((await stores.queue.lease(leaseRequest())).deliveries.map(({ orgId }) => orgId)).to.deep.equal(
      ['org-2', 'org-2'], // what was on its way to its listeners is cancelled all the same
    );
    await erase();
    await expectNothingLeft();
  });

  it('erases events that are appended during the erasure', async () => {
    let came = false;
    const deleteStream: EventStore['deleteStream'] = async (stream, options) => {
      if (!came) {
        came = true;
        await stores.store.append(flowStream('org-1', 'late'), [newEvent({ orgId: 'org-1' })]);
        await appendListenerEvent(stores.store, subscribed({ hookUrl: 'https://hooks.example.com/late' }), {
          at: day(5),
        });
      }
      await stores.store.deleteStream(stream, options);
    };
    expect(await erase({ store: { ...stores.store, deleteStream } })).to.include({ streams: 7, flowStreams: 3 });
    await expectNothingLeft();
  });

  describe('with the subscription of an agent', () => {
    const hookUrl = `https://agent.example/hook#sub_${'0'.repeat(32)}`;
    const ofAgent = { hookUrl, listenerId: '44444444-4444-4444-8444-444444444444' };
    const agent = { clientId: 'agent', sessionId: null };
    beforeEach(() => appendListenerEvent(stores.store, subscribed({ ...ofAgent, agent }), { at: day(5) }));

    /** The reader that notifies hosts, as far as it has come. */
    function reading(position: () => Promise<bigint>) {
      const { queue } = settings();
      const positions = async (readers: readonly string[]) => {
        const reached = await queue.positions(readers);
        return readers.includes('agent-access') ? new Map(reached).set('agent-access', await position()) : reached;
      };
      return { ...queue, positions };
    }

    for (const [name, ends] of Object.entries({ 'ended by it': false, 'that has just ended': true }))
      it(`deletes one ${name} after the end was read, from which its host is notified`, async () => {
        const { store } = stores;
        if (ends) await appendListenerEvent(store, unsubscribed({ ...ofAgent, agent, since: 0 }), { at: day(6) });
        const stream = listenerStream('org-1', hookUrl);
        let reads = 0;
        const isReadUpTo = async () => {
          reads += 1;
          if (reads < 4) return 0n;
          const last = await readLast(store, stream);
          return last?.type === 'ListenerUnsubscribed' ? last.position : 0n;
        };
        const readsBefore: number[] = [];
        const deleteStream: EventStore['deleteStream'] = async (deleted, options) => {
          if (deleted === stream) readsBefore.push(reads);
          await store.deleteStream(deleted, options);
        };
        await erase({ queue: reading(isReadUpTo), store: { ...store, deleteStream } });
        expect(readsBefore).to.eql([4]);
        await expectNothingLeft();
      });

    it('says that its host may not know, where the end is not read in time, and deletes it all the same', async () => {
      const said: unknown[] = [];
      const log = { error: (about: unknown) => void said.push(about) };
      await erase({ queue: reading(async () => 0n), noticesTimeoutMs: 100, log });
      expect(said).to.eql([{ organisation: organisationMark('org-1') }]);
      await expectNothingLeft();
    });
  });

  it('completes when it is run again, after an interruption at any call', async function () {
    this.timeout(240_000);
    for (let cut = 1; ; cut += stride) {
      const calls = { left: cut };
      const outcome = await erase(cutShort(settings(), calls)).catch((error: unknown) => error);
      await erase();
      await expectNothingLeft();
      if (!(outcome instanceof Killed)) {
        expect(outcome).to.include({ streams: 6, flowStreams: 2 });
        expect(cut, 'calls of an erasure').to.be.above(30); // at present 44 on SQLite
        return;
      }
      await stores.close();
      stores = await open();
      await tellAll();
    }
  });
}

class Killed extends Error {}

/** The same, with a maximum number of calls to a store, after which every call fails. */
function cutShort({ store, queue, barrier, ...rest }: EraseOrganisation, calls: { left: number }): EraseOrganisation {
  const cut = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, method]) => [
        name,
        (...args: unknown[]) => {
          if (calls.left <= 0) throw new Killed(name);
          calls.left -= 1;
          return method(...args);
        },
      ]),
    ) as Port; // the same methods by the same names
  return { ...rest, store: cut(store), queue: cut(queue), barrier: cut(barrier) };
}
