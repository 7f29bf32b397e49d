import { expect } from 'chai';
import { listenerHistory } from '../../../projections/listener-history.js';
import { explainFlowEvent } from '../../../src/deliveries/explain/explain-flow-event.js';
import { publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import { newListenerId } from '../../../src/listeners/listener.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../../src/views/projection.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { subscribed } from '../../listeners/fixtures.js';
import { costlyData, costlyFilters } from '../../support/costly-filters.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { tickingClock, turnsDuring } from '../../support/turns-during.js';
import { applyEvents } from '../../support/views/project-events.js';

const orgId = 'acme';
const listeners = 100;

describe('explaining a flow event to listeners with costly filters', () => {
  it('lets other work of the thread have its turn', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const queue = openSqliteDeliveryQueue({ directory });
    const readModel = openSqliteReadModel({ directory });
    const build = await readModel.open(listenerHistory, buildName(listenerHistory, 'run-1'));
    await readModel.flip(listenerHistory, build.name);
    const registered = costlyFilters(listeners).map((filter, number) =>
      subscribed({ orgId, listenerId: newListenerId(), hookUrl: `https://hooks.example.com/${number}`, filter }),
    );
    await applyEvents(build, listenerHistory, recordedListenerEvents(registered, 0n));
    const event = { id: 'order-1', type: 'flow.completed', data: costlyData };
    const context = { orgId, cause: { actor: 'test', correlationId: 'test' }, now: new Date(), maxBytes: 1_000_000 };
    for (let before = 0; before < listeners; before += 1) {
      await publishFlowEvent(store, { id: `${before}`, type: 'flow.begun', data: before }, context); // takes the listeners' positions
    }
    await publishFlowEvent(store, event, context);

    const clocks = { clock: () => 2_000, monotonicNow: tickingClock() };
    const sources = { store, queue, readModel, historyCaughtUp: () => Promise.resolve(), ...clocks };
    let outcomes: readonly string[] = [];
    const turns = await turnsDuring(async () => {
      const explained = await explainFlowEvent(sources, { orgId, eventId: event.id, limit: listeners });
      outcomes = explained.listeners.map(({ because }) => because);
    });
    expect(new Set(outcomes)).to.have.lengthOf(1);
    expect(outcomes[0]).to.match(/filter of more than 50000 steps/);
    expect(outcomes).to.have.lengthOf(listeners);
    expect(turns, 'turns of other work, between the filters').to.be.at.least(0.9 * listeners); // a few where there is none
    for (const each of [build, readModel, queue, store]) await each.close();
  });
});
