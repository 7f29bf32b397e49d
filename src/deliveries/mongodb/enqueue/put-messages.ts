import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { Message } from '../../queue/delivery.js';
import { type Collections, type MessageRow, messageKey } from '../collections.js';

export type Messages = {
  /** Inserts new messages, and restores purged bodies of existing ones. Returns the existing ones. */
  readonly put: (given: readonly Message[]) => Promise<readonly MessageRow[]>;
  /**
   * To be called after deliveries of these messages were inserted: cancels the purge of the bodies, and restores bodies
   * that were purged meanwhile.
   */
  readonly keepBodies: (rows: readonly MessageRow[]) => Promise<void>;
};

export function openMessages({ messages }: Pick<Collections, 'messages'>): Messages {
  async function putBodies(rows: readonly MessageRow[]): Promise<void> {
    const updates = rows.flatMap(({ _id, body, publishedId }) =>
      body === null ? [] : [{ updateOne: { filter: { _id, body: null }, update: { $set: { body, publishedId } } } }],
    );
    if (updates.length > 0) await messages.bulkWrite(updates, { ordered: false });
  }

  return {
    async put(given) {
      const known = await insertNew<MessageRow>(messages, given.map(toRow));
      await putBodies(known);
      return known;
    },
    async keepBodies(rows) {
      if (rows.length === 0) return;
      await messages.updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { $unset: { leaving: '' } });
      await putBodies(rows);
    },
  };
}

const toRow = (message: Message): MessageRow => ({ _id: messageKey(message), ...message });
