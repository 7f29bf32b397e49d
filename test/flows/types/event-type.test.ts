import { expect } from 'chai';
import {
  changeEventType,
  declareEventType,
  type EventTypeDefinition,
  type EventTypeEvent,
  EventTypeExists,
  EventTypeNotFound,
  eventTypeDecider,
  retireEventType,
} from '../../../src/flows/types/event-type.js';
import { findEventType, operateEventType } from '../../../src/flows/types/operate-event-types.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { given as givenHistory } from '../../support/given.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const name = 'order.paid';
const definition: EventTypeDefinition = {
  name,
  version: 1,
  description: 'paid',
  schema: null,
  example: null,
  searchable: [],
};
const event = (type: EventTypeEvent['type'], fields: Partial<EventTypeDefinition> = {}): EventTypeEvent => ({
  type,
  data: { ...definition, ...fields },
});
const given = (...history: EventTypeEvent[]) => givenHistory(eventTypeDecider, history);
const declare = (state: Parameters<typeof declareEventType>[1]) =>
  declareEventType({ name, description: 'paid', schema: null, example: null, searchable: [] }, state);

describe('an event type', () => {
  it('is declared once, with version 1', () => {
    given()
      .when(declare)
      .then([event('EventTypeDeclared')]);
    given(event('EventTypeDeclared')).when(declare).thenThrows(EventTypeExists);
  });

  it('gets its next version with each change, and none without a change', () => {
    given(event('EventTypeDeclared'))
      .when((state) => changeEventType({ name, schema: '{}' }, state))
      .then([event('EventTypeChanged', { version: 2, schema: '{}' })]);
    given(event('EventTypeDeclared'))
      .when((state) => changeEventType({ name, description: 'paid' }, state))
      .then([]);
    given(event('EventTypeDeclared', { schema: '{}' }))
      .when((state) => changeEventType({ name, schema: null }, state))
      .then([event('EventTypeChanged', { version: 2 })]);
    given()
      .when((state) => changeEventType({ name }, state))
      .thenThrows(EventTypeNotFound);
  });

  it('can be retired, and declared again with its next version', () => {
    const retire = (state: Parameters<typeof retireEventType>[1]) => retireEventType({ name }, state);
    given(event('EventTypeDeclared'))
      .when(retire)
      .then([event('EventTypeRetired')]);
    given(event('EventTypeDeclared'), event('EventTypeRetired')).when(retire).then([]);
    given(event('EventTypeDeclared'), event('EventTypeRetired'))
      .when(declare)
      .then([event('EventTypeDeclared', { version: 2 })]);
    given(event('EventTypeRetired'))
      .when((state) => changeEventType({ name }, state))
      .thenThrows(EventTypeNotFound);
    given().when(retire).thenThrows(EventTypeNotFound);
  });

  it('is refused without an append if its schema is not valid or does not accept the example', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const context = { cause: { actor: 'test', correlationId: 'test' }, now: new Date() };
    const operate = (fields: object) =>
      operateEventType(store, { change: 'declare', name, description: 'd', ...fields }, context);
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    for (const [fields, message] of [
      [{ schema: { type: 'nummer' } }, /^schema\.type: /],
      [{ schema: { type: 'number' }, example: 'x' }, /^example: the schema does not accept it: data: must be number$/],
      [{ example: 'x'.repeat(20_000) }, /^example: must have at most 16384 bytes/],
      [{ example: nested(101) }, /^example: must be nested at most 100 levels deep/],
      [{ schema: { const: nested(100_000) } }, /^schema: must be nested at most 100 levels deep/],
    ] as const) {
      const error = await rejection(operate(fields));
      expect(error).to.be.instanceOf(InvalidRequest).and.have.property('message').that.matches(message);
    }
    expect(await rejection(findEventType(store, name))).to.be.instanceOf(EventTypeNotFound);
    await operate({ schema: { type: 'number' }, example: 1 });
    // An example that the next schema would not accept has to change with it.
    const change = operateEventType(store, { change: 'change', name, schema: { type: 'string' } }, context);
    expect(await rejection(change)).to.be.instanceOf(InvalidRequest);
    expect(await findEventType(store, name)).to.deep.include({ version: 1, schema: { type: 'number' }, example: 1 });
    await store.close();
  });
});
