import { byId, insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Message } from '../../delivery.js';
import { type Collections, type MessageRow, messageKey } from '../collections.js';

/** `existing`: messages that had a row. `publishedAgain`: the keys of those whose row is of another position. */
type PutMessages = { existing: readonly MessageRow[]; publishedAgain: ReadonlySet<string> };

export type Messages = ReturnType<typeof openMessages>;

export function openMessages({ messages }: Pick<Collections, 'messages'>) {
  async function putBodies(rows: readonly MessageRow[]): Promise<void> {
    const updates = rows.flatMap(({ _id, body, publishedId, traceparent }) =>
      body === null ? [] : [{ filter: { _id, body: null }, update: { $set: { body, publishedId, traceparent } } }],
    );
    if (updates.length > 0) await updateEach(messages, updates);
  }

  /** The keys of `known` rows at whose position none of the `given` messages is. */
  async function ofOtherPositions(
    known: readonly MessageRow[],
    given: readonly Message[],
  ): Promise<ReadonlySet<string>> {
    if (known.length === 0) return new Set();
    const places = new Set(given.map((message) => placeOf(messageKey(message), message)));
    const stored = await messages
      .find({ _id: { $in: known.map(({ _id }) => _id) } })
      .project<Pick<MessageRow, '_id' | 'position'>>({ position: 1 })
      .toArray();
    return new Set(stored.flatMap((row) => (places.has(placeOf(row._id, row)) ? [] : [row._id])));
  }

  return {
    /**
     * Inserts new messages, and restores purged bodies of existing ones, except of those that were published again; for
     * replays of all.
     */
    async put(given: readonly Message[], isReplay: boolean): Promise<PutMessages> {
      const known = await insertNew<MessageRow>(messages, given.map(toRow).sort(byId));
      const publishedAgain = isReplay ? new Set<string>() : await ofOtherPositions(known, given);
      const existing = known.filter(({ _id }) => !publishedAgain.has(_id));
      await putBodies(existing);
      return { existing, publishedAgain };
    },
    /**
     * Called after deliveries of these messages were inserted: cancels the purge of the bodies and of the messages, and restores those that
     * were purged meanwhile.
     */
    async keepBodies(rows: readonly MessageRow[]): Promise<void> {
      if (rows.length === 0) return;
      const { matchedCount } = await messages.updateMany(
        { _id: { $in: rows.map(({ _id }) => _id) } },
        { $unset: { leaving: '', forgetting: '' } },
      );
      if (matchedCount < rows.length) await insertNew(messages, rows.toSorted(byId));
      await putBodies(rows);
    },
  };
}

const placeOf = (key: string, { position }: Pick<Message, 'position'>): string => `${position} ${key}`;

const toRow = (message: Message): MessageRow => ({ _id: messageKey(message), ...message });
