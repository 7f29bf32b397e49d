import { expect } from 'chai';
import { eventTypes } from '../../projections/event-types.js';
import { indexedEventTypes, scannedEventTypes } from '../../src/audit/find-streams.js';
import { serviceHistory } from '../../src/audit/service-history.js';
import { operateEventType } from '../../src/flows/types/operate-event-types.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import type { RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { buildName } from '../../src/views/projection.js';
import { rejection } from '../support/rejection.js';
import { applyEvents } from '../support/views/project-events.js';
import { onBothStores } from './audited-stores.js';
import type { AuditedStores } from './organisation-history.js';

const context = (number: number, actor = 'admin:ops') => ({
  cause: { actor, correlationId: 'c' },
  now: new Date(`2026-01-0${number}T00:00:00.000Z`),
});

onBothStores('event types in the history of the service', (open) => {
  let stores: AuditedStores;
  const schema = { type: 'object' };

  before(async () => {
    stores = await open();
    const { store } = stores;
    const declare = { change: 'declare', name: 'order.paid', description: 'An order was paid', schema } as const;
    await operateEventType(store, declare, context(2, 'admin:ann'));
    await operateEventType(store, { ...declare, name: 'order.sent' }, context(3));
    await operateEventType(store, { change: 'change', name: 'order.paid', example: { total: 1 } }, context(4));
    await operateEventType(store, { change: 'retire', name: 'order.sent' }, context(5));
  });
  after(() => stores.close());

  /** The view holds the first events of the store, up to this number. */
  async function projected(count: number) {
    const { store, readModel } = stores;
    const build = await readModel.open(eventTypes, buildName(eventTypes, `run-${count}`));
    await readModel.flip(eventTypes, build.name);
    const events: RecordedEvent[] = [];
    for await (const each of store.readAll({ filter: { categories: ['eventType'] } })) events.push(each);
    await applyEvents(build, eventTypes, events.slice(0, count));
  }

  it('have an entry for each version, with its schema and example before and after it', async () => {
    const entries = await serviceHistory(stores.store, scannedEventTypes(stores.store), {});
    expect(entries.map(({ type, eventType, actor }) => [type, eventType, actor])).to.deep.equal([
      ['EventTypeDeclared', 'order.paid', 'admin:ann'],
      ['EventTypeDeclared', 'order.sent', 'admin:ops'],
      ['EventTypeChanged', 'order.paid', 'admin:ops'],
      ['EventTypeRetired', 'order.sent', 'admin:ops'],
    ]);
    const declared = {
      state: 'declared',
      version: 1,
      description: 'An order was paid',
      schema,
      example: null,
      searchable: [],
    };
    expect(entries[2]?.before).to.deep.equal(declared);
    expect(entries[2]?.after).to.deep.equal({ ...declared, version: 2, example: { total: 1 } });
    expect(entries[3]?.after).to.deep.equal({ ...declared, state: 'retired' });
  });

  it('are found by the view, however far behind it is, and not without one', async () => {
    const { store, readModel } = stores;
    const scanned = await serviceHistory(store, scannedEventTypes(store), {});
    const indexed = () => serviceHistory(store, indexedEventTypes(store, readModel), {});
    expect(await rejection(indexed())).to.be.instanceOf(StoreUnavailable);
    for (const count of [0, 1, 3, 4]) {
      await projected(count);
      expect(await indexed(), `${count} events`).to.deep.equal(scanned);
    }
  });
});
