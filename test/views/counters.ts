import { z } from 'zod';
import { codecFor, defineEvent } from '../../src/stores/event-store/codec.js';
import type { EventStore, NewEvent } from '../../src/stores/event-store/event-store.js';
import { projection, put } from '../../src/views/projection.js';

export const CounterSet = defineEvent({
  category: 'counter',
  type: 'CounterSet',
  version: 1,
  schema: z.object({ name: z.string(), value: z.number() }),
});

const codec = codecFor([CounterSet]);

/** A small view: each counter's value, by name. `onEvent` stands in for what a handler may do wrong. */
export const counters = ({ version = 1, onEvent = (_name: string) => {} } = {}) =>
  projection({
    name: 'counters',
    version,
    category: 'counter',
    indexes: [['value']],
    events: [CounterSet],
    forget: () => [],
    on: {
      CounterSet: ({ data: { name, value } }) => {
        onEvent(name);
        return put(name, { value, version });
      },
    },
  });

export const counterSet = (name: string, value: number): NewEvent =>
  codec.encode({ type: 'CounterSet', data: { name, value } }, { actor: 'test', correlationId: 'test' }, new Date());

/** Sets a counter; resolves to the position of the event. */
export async function setCounter(store: EventStore, name: string, value: number): Promise<bigint> {
  return (await store.append(`counter-${name}`, [counterSet(name, value)])).position;
}
