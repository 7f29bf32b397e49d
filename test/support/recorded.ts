import type { Codec, DomainEvent } from '../../src/stores/event-store/codec.js';
import type { RecordedEvent } from '../../src/stores/event-store/event-store.js';

const recordedAt = new Date('2026-01-02T03:04:05.678Z');

/** Events of one stream as a store would give them back, from position `first` on. */
export const recorded = <Event extends DomainEvent>(
  codec: Codec<Event>,
  stream: string,
  events: readonly Event[],
  { first = 0n, actor = 'user:user-1' } = {},
): readonly RecordedEvent[] =>
  events.map((event, index) => ({
    ...codec.encode(event, { actor, correlationId: `request-${index}` }, recordedAt),
    stream,
    revision: BigInt(index),
    position: first + BigInt(index),
    created: recordedAt,
  }));
