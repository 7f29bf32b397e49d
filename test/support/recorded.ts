import { type ListenerEvent, listenerCodec } from '../../src/events/listener-events.js';
import { listenerStream } from '../../src/listeners/listener.js';
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

/** Listener events as a store would give them back: one stream for each listener, positions from `first` on. */
export function recordedListenerEvents(events: readonly ListenerEvent[], first = 0n): readonly RecordedEvent[] {
  const revisions = new Map<string, bigint>();
  return events.map((event, index) => {
    const stream = listenerStream(event.data.orgId, event.data.hookUrl);
    const revision = (revisions.get(stream) ?? -1n) + 1n;
    revisions.set(stream, revision);
    const cause = { actor: `user:${event.data.userId}`, correlationId: `request-${index}` };
    const encoded = listenerCodec.encode(event, cause, recordedAt);
    return { ...encoded, stream, revision, position: first + BigInt(index), created: recordedAt };
  });
}
