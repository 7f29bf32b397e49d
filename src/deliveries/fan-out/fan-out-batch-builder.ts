import type { ListenerPeriod } from '../../../projections/listeners.js';
import { bodyOf, type FlowEvent } from '../../flows/flow-event.js';
import { searchTermsOf } from '../../flows/types/search-terms.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { EventUndecodable } from '../../stores/event-store/errors.js';
import type { Message, NewDelivery, PutListener } from '../queue/delivery.js';
import type { SetAside } from '../queue/kept-events.js';
import type { FanOutBatch, Released } from '../queue/leasing.js';
import { queuedListenerOf } from './queued-listener.js';

/** Permanent: the namespace of the delivery IDs. */
const deliveryId = uuidV5('6f8a3f5e-1f0b-4d0c-9a39-0b7d5f0f6f2e');

export class FanOutBatchBuilder {
  private messages: Message[] = [];
  private listeners = new Map<string, PutListener>();
  private deliveries: NewDelivery[] = [];
  private ended: string[] = [];
  private released: Released[] = [];
  private cancelledReplays: string[] = [];
  private setAside: SetAside[] = [];

  get size(): number {
    return this.deliveries.length;
  }

  /** Something is released in it: what comes after that belongs into the next part. */
  get releases(): boolean {
    return this.released.length > 0;
  }

  get isEmpty(): boolean {
    const { messages, listeners, ended, cancelledReplays, setAside } = this;
    return messages.length + listeners.size + ended.length + cancelledReplays.length + setAside.length === 0;
  }

  /** An event that no listener wants is kept without a body, so that it is found by its ID. */
  addUnwanted(event: FlowEvent, position: bigint, searchable: readonly string[] = []): void {
    this.messages.push({ ...messageOf(event, position, searchable), body: null });
  }

  /** The body is made here, once; a part that holds further deliveries of the event names it again, to no effect. */
  message(event: FlowEvent, position: bigint, searchable: readonly string[] = []): Message {
    const { id: publishedId, traceparent } = event;
    const message = { ...messageOf(event, position, searchable), publishedId, body: bodyOf(event) };
    return traceparent === undefined ? message : { ...message, traceparent };
  }

  /** `replay`: the replay that it belongs to; whatever that is, receivers know it by the same `webhook-id`. */
  deliver(message: Message, details: ListenerPeriod, replay?: string): void {
    const { orgId, eventId } = message;
    const { listenerId } = details;
    const paused = details.state === 'paused';
    if (this.messages.at(-1) !== message) this.messages.push(message);
    if (!this.listeners.has(listenerId)) {
      this.addListener(queuedListenerOf(details, { paused, position: BigInt(details.from) }));
    }
    // As JSON the parts cannot run into each other.
    const webhookId = deliveryId(JSON.stringify([orgId, eventId, listenerId]));
    const id = replay === undefined ? webhookId : deliveryId(JSON.stringify([orgId, eventId, listenerId, replay]));
    this.deliveries.push({ id, webhookId, orgId, eventId, listenerId, replay, held: paused || undefined });
  }

  addListener(listener: PutListener): void {
    this.listeners.set(listener.listenerId, listener);
  }

  end(listenerId: string): void {
    this.ended.push(listenerId);
  }

  release(released: Released): void {
    this.released.push(released);
  }

  cancelReplay(replay: string): void {
    this.cancelledReplays.push(replay);
  }

  addSetAside({ event, message }: EventUndecodable): void {
    const { position, stream, revision, type } = event;
    this.setAside.push({ position, stream, revision, type, reason: message });
  }

  /** Returns all that has been gathered, and begins anew. */
  take(): FanOutBatch {
    const { messages, listeners, deliveries, ended, released, cancelledReplays, setAside } = this;
    this.messages = [];
    this.listeners = new Map();
    this.deliveries = [];
    this.ended = [];
    this.released = [];
    this.cancelledReplays = [];
    this.setAside = [];
    return { messages, listeners: [...listeners.values()], deliveries, ended, released, cancelledReplays, setAside };
  }
}

function messageOf(event: FlowEvent, position: bigint, searchable: readonly string[]): Omit<Message, 'body'> {
  const { eventId, orgId, type, recordedAt } = event;
  const terms = searchTermsOf(event, searchable);
  return {
    eventId,
    orgId,
    type,
    position,
    recordedAt: Date.parse(recordedAt),
    terms: terms.length > 0 ? terms : undefined,
  };
}
