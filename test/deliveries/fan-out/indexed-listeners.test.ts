import { expect } from 'chai';
import fc from 'fast-check';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { ListenerIndex } from '../../../src/deliveries/fan-out/indexed-listeners.js';
import { paceInTurns } from '../../../src/deliveries/fan-out/pace.js';
import { type FlowEvent, payloadOf, recordedData } from '../../../src/flows/flow-event.js';
import { selectsEvent } from '../../../src/flows/types/subscription-types.js';
import { parseJson } from '../../../src/kernel/input/exact-json.js';
import { filterText, selects } from '../../../src/listeners/filters/filter.js';
import { open } from '../../../src/views/projection.js';
import { details, detailsWith } from '../../listeners/fixtures.js';
import { anyData, anyFilter } from '../../support/filters/any-filter.js';

const plain = {
  ...details,
  state: 'active',
  pausedBy: null,
  status: 'active',
  from: '',
  since: '',
  until: open,
} as const;

/** A listener for each filter, null for none, with its number as its ID. */
const listenersWith = (filters: readonly unknown[], types: readonly string[] = []): readonly ListenerPeriod[] =>
  filters.map((filter, number) =>
    detailsWith(plain, {
      listenerId: `${number}`,
      subscriptionType: types[number] ?? 'order.paid',
      filter: filterText(filter),
    }),
  );

const eventWith = (data: FlowEvent['data'], type = 'order.paid'): FlowEvent => ({
  id: 'e1',
  eventId: 'e1',
  orgId: 'org-1',
  flowId: 'f1',
  type,
  timestamp: '2026-01-01T00:00:00Z',
  recordedAt: '2026-01-01T00:00:00Z',
  data,
});

const selectedOf = (listeners: Iterable<ListenerPeriod>, event: FlowEvent): readonly string[] =>
  [...listeners].flatMap(({ listenerId, subscription: { subscriptionType, filter } }) =>
    selectsEvent(subscriptionType, event) && selects(filter, payloadOf(event)) ? [listenerId] : [],
  );

const candidateIds = (index: ListenerIndex, event: FlowEvent): readonly string[] =>
  [...index.candidates(event, paceInTurns())].map(({ listenerId }) => listenerId);

/** All of its filters have been evaluated. */
function indexed(filters: readonly unknown[], types?: readonly string[]): ListenerIndex {
  const index = new ListenerIndex(listenersWith(filters, types));
  candidateIds(index, eventWith({}));
  return index;
}

const anyType = fc.constantFrom('order.paid', 'order.sent', 'order', 'order.*', '*', 'flows', 'order.paid.*');

describe('the index of listeners', () => {
  it('finds all listeners that select an event, in their order, however many events came before', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyType, fc.oneof(fc.constant(null), anyFilter)), { maxLength: 12 }),
        fc.array(fc.tuple(anyType, anyData, fc.boolean()), { minLength: 1, maxLength: 6 }),
        (registered, events) => {
          const filters = registered.map(([, filter]) => filter);
          const listeners = listenersWith(
            filters,
            registered.map(([type]) => type),
          );
          const index = new ListenerIndex(listeners);
          for (const [type, data, isOperational] of events) {
            const event = { ...eventWith(data, type), ...(isOperational && { isOperational }) };
            expect(selectedOf(index.candidates(event, paceInTurns()), event)).to.deep.equal(
              selectedOf(listeners, event),
            );
          }
        },
      ),
      { numRuns: 1_000 },
    ));

  it('has the filters evaluated whose equality the event meets, by the same type or a prefix of it', () => {
    const of = (customer: unknown) => ({ 'data.customer': customer });
    const types = ['order.paid', 'order.*', 'order.sent', 'order.paid', 'order.paid', 'order.paid'];
    const index = indexed([of('a'), of('a'), of('a'), of({ $in: ['a', 'b'] }), of('b'), { $or: [of('b')] }], types);
    expect(candidateIds(index, eventWith({ customer: 'a' }))).to.deep.equal(['0', '1', '3', '5']);
  });

  it('compares values as the filters do: a missing one is null, and any element of an array counts', () => {
    const index = indexed([null, 'a', 1, '1', true].map((status) => ({ 'data.lines.status': status })));
    const candidates = (data: FlowEvent['data']) => candidateIds(index, eventWith(data));
    expect(candidates({})).to.deep.equal(['0']);
    expect(candidates({ lines: [{ status: 'a' }, {}, { status: [1, [true]] }] })).to.deep.equal(['0', '1', '2']);
    expect(candidates({ lines: { status: '1' } })).to.deep.equal(['3']);
  });

  it('finds a number that doubles do not keep by its double, as filters compute', () => {
    const sent = (text: string) => parseJson(`{"id":${text}}`) as { id: unknown };
    const index = indexed(['9007199254740993', '9007199254740997'].map((id) => ({ 'data.id': sent(id).id })));
    const { data } = recordedData(sent('9007199254740993'));
    expect(candidateIds(index, eventWith(data))).to.deep.equal(['0']);
  });

  it('uses the equality that a listener shares with the fewest others', () => {
    const index = indexed(Array.from({ length: 100 }, (_, id) => ({ 'data.country': 'DE', 'data.id': id })));
    expect(candidateIds(index, eventWith({ country: 'DE', id: 42 })).length).to.be.below(3);
  });

  it('leaves an event that is too costly to look up to the filters', () => {
    const filters = Array.from({ length: 60 }, (_, number) => ({ [`data.list.x${number}`]: 1 }));
    const event = eventWith({ list: Array.from({ length: 900 }, (_, number) => ({ [`x${number}`]: number % 2 })) });
    expect(selectedOf(indexed(filters).candidates(event, paceInTurns()), event)).to.deep.equal(
      selectedOf(listenersWith(filters), event),
    );
  });
});
