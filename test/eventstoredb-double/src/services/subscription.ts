import { randomUUID } from 'node:crypto';
import { inOrder } from '../conduct.js';
import type { Node } from '../node.js';
import type { RecordedEvent } from '../store/recorded-event.js';
import { resolveLink } from '../store/resolve-link.js';
import { type CallFailure, consumerTooSlow, dropped } from './call-failure.js';
import { Outbox, type ReadCall } from './outbox.js';
import { caughtUpMessage, eventMessage } from './read-response.js';

/** Maximum live messages held for a consumer whose outbox is full; with one more it is too slow. */
const liveBufferSize = 32;

/** Form of events that the reader requests. */
export interface EventForm {
  resolveLinks: boolean;
  structuredIds: boolean;
}

/** One subscription call: history is put into it as fast as it is read, live messages are pushed. */
export class Subscription {
  readonly id = randomUUID();
  readonly outbox: Outbox;
  readonly #node: Node;
  readonly #held: (() => void)[] = [];
  readonly #pass: (say: () => void) => void;
  readonly #endings: (() => void)[] = [];
  #eventsSent = 0;
  #hasFallenBehind = false;

  constructor(node: Node, call: ReadCall) {
    this.#node = node;
    this.#pass = inOrder(() => node.conduct.answering());
    this.outbox = new Outbox(call, () => this.#leave());
    this.outbox.onRoom = () => this.#flush();
    node.subscriptions.add(this);
  }

  get isOver(): boolean {
    return this.outbox.isClosed;
  }

  /** Puts a message of the history. */
  put(message: Uint8Array): void {
    this.outbox.put(message);
  }

  putEvent(event: RecordedEvent, { resolveLinks, structuredIds }: EventForm): void {
    if (this.isOver) return;
    const { conduct, store } = this.#node;
    this.outbox.put(eventMessage(resolveLinks ? resolveLink(store.log, event) : { event }, structuredIds));
    this.#eventsSent += 1;
    const { dropSubscriptionsAfter: drop } = conduct.told;
    if (drop && this.#eventsSent >= drop.events) this.end(dropped(drop.code));
  }

  /** Waits until the next page of history can be put. */
  async readyForMore(): Promise<void> {
    await this.#node.conduct.hearing();
    await this.outbox.room();
  }

  /** Says something live: now, or when there is room, unless too much is held already. */
  push(say: () => void): void {
    this.#pass(() => {
      if (this.isOver) return;
      if (this.#held.length === 0 && !this.outbox.isFull) say();
      else if (this.#held.length < liveBufferSize) this.#held.push(say);
      else this.#overflow(say);
    });
  }

  /** Handles each written event, until the subscription is over; returns the function that stops it. */
  listen(listener: (event: RecordedEvent) => void): () => void {
    const stop = this.#node.store.log.onWrite((events) => events.forEach(listener));
    this.onOver(stop);
    return stop;
  }

  /** Calls `react` when the subscription is over, at once if it is. */
  onOver(react: () => void): void {
    if (this.isOver) react();
    else this.#endings.push(react);
  }

  end(failure?: CallFailure): void {
    this.outbox.end(failure);
  }

  /** The consumer is dropped, or gets what it has missed from the history: it is caught up behind that once more. */
  #overflow(say: () => void): void {
    if (this.#node.version.dropsSlowConsumers) {
      this.end(consumerTooSlow());
      return;
    }
    this.#held.push(say);
    this.#hasFallenBehind = true;
  }

  #flush(): void {
    while (this.#held.length > 0 && !this.outbox.isFull && !this.isOver) this.#held.shift()?.();
    if (!this.#hasFallenBehind || this.#held.length > 0) return;
    this.#hasFallenBehind = false;
    this.put(caughtUpMessage());
  }

  #leave(): void {
    this.#node.subscriptions.remove(this);
    for (const react of this.#endings.splice(0)) react();
  }
}
