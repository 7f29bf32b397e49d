import { expect } from 'chai';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { operationalCopies } from '../../../src/admin/operations/operational-copies.js';
import { operationalEventOf } from '../../../src/admin/operations/operational-event.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { operationsOrganisation } from '../../../src/events/operational-events.js';
import { flowAbout, flowStream } from '../../../src/flows/flow-event.js';
import { recordedAt } from '../../../src/stores/event-store/codec.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { details, detailsWith, paused, resumed, secretRotated } from '../../listeners/fixtures.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const { orgId } = details;
/** Listeners of operators and of the customer, for all operational events of these prefixes. */
const listeners = [operationsOrganisation, orgId].map((each) =>
  detailsWith(details, { orgId: each, subscriptionType: 'listener.*' }),
);
const minute = (count: number, second = 0) => new Date(Date.UTC(2026, 0, 1, 12, count, second));

describe('the copies of operational events', () => {
  let store: EventStore;
  let causes: number;

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    causes = 0;
  });
  afterEach(() => store.close());

  /** Publishes what the change causes, as if it was recorded then. */
  async function changed(event: ListenerEvent, at: Date, actor = 'portal:ada'): Promise<RecordedEvent> {
    causes += 1;
    const recorded: RecordedEvent = {
      ...listenerCodec.encode(event, { actor, correlationId: 'test' }, at),
      stream: 'listener-1',
      revision: BigInt(causes),
      position: BigInt(causes),
      created: at,
    };
    await publish(recorded);
    return recorded;
  }

  async function publish(recorded: RecordedEvent): Promise<void> {
    const copies = operationalCopies({
      store,
      readModel: {
        find: async (_, { where }) =>
          listeners
            .filter((each) => each.orgId === where?.orgId)
            .map((each) => ({ key: '1', document: { ...each, from: '', until: '' } })),
      },
      masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 1)]])),
      clock: () => 0,
    });
    const event = operationalEventOf(recorded);
    if (!event) throw new Error('it causes no operational event');
    await copies.publish({ ...event, causeId: recorded.id, at: recordedAt(recorded) }, recorded.position);
  }

  const typesIn = async (stream: string) => {
    const types: string[] = [];
    for await (const { type } of store.readStream(stream)) types.push(type);
    return types;
  };
  const ofOperators = () => typesIn(flowStream(operationsOrganisation, flowAbout(orgId)));
  const ofCustomer = () => typesIn(flowStream(orgId, operationsOrganisation));

  it('tell operators once a minute of each cause at a listener, however often a customer repeats it', async () => {
    for (let second = 0; second < 60; second += 6) {
      await changed(paused({ since: 0 }), minute(0, second));
      await changed(resumed({ since: 0 }), minute(0, second));
      await changed(secretRotated({ since: 0, paused: false }), minute(0, second));
    }
    expect(await ofOperators()).to.deep.equal(['listener.paused', 'listener.resumed', 'secret.rotated']);
    expect(await ofCustomer()).to.have.length(30);
    await changed(paused({ since: 0 }), minute(1));
    expect(await ofOperators()).to.have.length(4);
  });

  it('tell operators of each cause and each listener in a minute', async () => {
    await changed(paused({ since: 0 }), minute(0));
    await changed(paused({ since: 0, reason: 'failing' }), minute(0));
    await changed(paused({ since: 0 }), minute(0), 'admin:ops');
    await changed(paused({ since: 0, listenerId: '0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11' }), minute(0));
    expect(await ofOperators()).to.have.length(4);
  });

  it('are published once, also if their cause is handled again after a crash', async () => {
    const cause = await changed(paused({ since: 0 }), minute(0));
    await publish(cause);
    expect([await ofOperators(), await ofCustomer()]).to.deep.equal([['listener.paused'], ['listener.paused']]);
  });
});
