import type { ListenerPeriod } from '../../../projections/listeners.js';
import { bodyOf, type FlowEvent } from '../../flows/flow-event.js';
import { searchTermsOf } from '../../flows/types/search-terms.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { Message, NewDelivery, PutListener, SetAside } from '../../queue/delivery.js';
import type { FanOutBatch, Released } from '../../queue/fan-out-batch.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { queuedListenerOf } from './queued-listener.js';

/** Permanent: the namespace of the delivery IDs. */
const deliveryId = uuidV5('6f8a3f5e-1f0b-4d0c-9a39-0b7d5f0f6f2e');

const emptyParts = () => ({
  messages: [] as Message[],
  listeners: new Map<string, PutListener>(),
  deliveries: [] as NewDelivery[],
  ended: [] as string[],
  released: [] as Released[],
  cancelledReplays: [] as string[],
  setAside: [] as SetAside[],
});

export class FanOutBatchBuilder {
  private parts = emptyParts();

  get size(): number {
    return this.parts.deliveries.length;
  }

  /** Something is released in it: what comes after that belongs into the next part. */
  get releases(): boolean {
    return this.parts.released.length > 0;
  }

  /** Deliveries come with their message, and what is released with its listener, in the same part: neither is alone. */
  get isEmpty(): boolean {
    const { messages, listeners, ended, cancelledReplays, setAside } = this.parts;
    return messages.length + listeners.size + ended.length + cancelledReplays.length + setAside.length === 0;
  }

  /** An event that no listener wants is kept without a body, so that it is found and listed by its IDs. */
  addWithoutDeliveries(event: FlowEvent, position: bigint, searchable: readonly string[] = []): void {
    this.parts.messages.push({ ...messageOf(event, position, searchable), body: null });
  }

  /** The body is made here, once; a part that holds further deliveries of the event names it again, to no effect. */
  message(event: FlowEvent, position: bigint, searchable: readonly string[] = []): Message {
    return { ...messageOf(event, position, searchable), body: bodyOf(event), traceparent: event.traceparent };
  }

  /** `replay`: the replay that it belongs to; whatever that is, receivers know it by the same `webhook-id`. */
  deliver(message: Message, details: ListenerPeriod, replay?: string): void {
    const { orgId, eventId } = message;
    const { listenerId } = details;
    const paused = details.state === 'paused';
    if (this.parts.messages.at(-1) !== message) this.parts.messages.push(message);
    if (!this.parts.listeners.has(listenerId)) {
      this.addListener(queuedListenerOf(details, { paused, position: BigInt(details.from) }));
    }
    // As JSON the parts cannot run into each other.
    const webhookId = deliveryId(JSON.stringify([orgId, eventId, listenerId]));
    const id = replay === undefined ? webhookId : deliveryId(JSON.stringify([orgId, eventId, listenerId, replay]));
    this.parts.deliveries.push({ id, webhookId, orgId, eventId, listenerId, replay, held: paused || undefined });
  }

  addListener(listener: PutListener): void {
    this.parts.listeners.set(listener.listenerId, listener);
  }

  end(listenerId: string): void {
    this.parts.ended.push(listenerId);
  }

  release(released: Released): void {
    this.parts.released.push(released);
  }

  cancelReplay(replay: string): void {
    this.parts.cancelledReplays.push(replay);
  }

  /** Sets the event of an `EventUndecodable` aside, and returns the reason. Throws other errors. */
  setAside(error: unknown): string {
    if (!(error instanceof EventUndecodable)) throw error;
    const { position, stream, revision, type } = error.event;
    this.parts.setAside.push({ position, stream, revision, type, reason: error.message });
    return error.message;
  }

  /** Returns all that has been gathered, and begins anew. */
  take(): FanOutBatch {
    const { listeners, ...rest } = this.parts;
    this.parts = emptyParts();
    return { ...rest, listeners: [...listeners.values()] };
  }
}

function messageOf(event: FlowEvent, position: bigint, searchable: readonly string[]): Omit<Message, 'body'> {
  const { id: publishedId, eventId, orgId, type, recordedAt } = event;
  const terms = searchTermsOf(event, searchable);
  return {
    eventId,
    publishedId,
    orgId,
    type,
    position,
    recordedAt: Date.parse(recordedAt),
    terms: terms.length > 0 ? terms : undefined,
  };
}
