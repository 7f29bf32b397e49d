import type { Message, NewDelivery } from '../../queue/delivery.js';
import { type Messages, messageName, type StoredMessage } from './messages.js';
import type { NewMessage, WriteBehindBuffer } from './write-behind-buffer.js';

type AnyMessage = StoredMessage | NewMessage;

/** The messages of batches: those in the buffer are not written yet. */
export type BatchMessages = {
  /** Returns the message, written only if it has to be. */
  readonly bufferedOrStored: (message: Message, enqueuedAt: number, isReplay: boolean) => AnyMessage;
  /** Finds the messages of a batch's deliveries, and adds those found elsewhere to `known`. */
  readonly finder: (known: Map<string, AnyMessage>) => (delivery: NewDelivery) => AnyMessage;
};

export function batchMessages(messages: Messages, buffer: Pick<WriteBehindBuffer, 'message'>): BatchMessages {
  return {
    /** A new message stays unwritten: it has no rows, so all its deliveries outside the buffer are new. */
    bufferedOrStored(message, enqueuedAt, isReplay) {
      const { orgId, eventId, body } = message;
      const name = messageName(message);
      const buffered = buffer.message(name);
      if (buffered && buffered.key === undefined) return buffered;
      if (body === null || buffered || messages.find(orgId, eventId)) {
        return messages.put(message, enqueuedAt, isReplay);
      }
      return { name, ...message, body, enqueuedAt };
    },

    /** Finds a delivery's message. Remembers the last one, as the deliveries of one event follow each other. */
    finder(known) {
      let last: { readonly delivery: NewDelivery; readonly message: AnyMessage } | undefined;
      return (delivery) => {
        const { orgId, eventId } = delivery;
        if (last?.delivery.eventId === eventId && last.delivery.orgId === orgId) return last.message;
        const name = messageName(delivery);
        const message = known.get(name) ?? buffer.message(name) ?? messages.find(orgId, eventId);
        if (!message) throw new RangeError(`a delivery without its message: event ${eventId}`);
        known.set(name, message);
        last = { delivery, message };
        return message;
      };
    },
  };
}
