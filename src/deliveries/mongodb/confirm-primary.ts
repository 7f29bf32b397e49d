import { insertNew } from '../../stores/mongodb/insert-new.js';
import type { Collections } from './collections.js';

/** The only document; all instances write it. */
const _id = 'confirmed';

/**
 * Writes one document with majority acknowledgement. The server was therefore the primary after the call began, and
 * later reads, from it or from its successor, contain everything that a majority had acknowledged before the call.
 * Rejects on a deposed primary that has not noticed the election: decision 5.
 */
export function primaryConfirmer({ primary }: Pick<Collections, 'primary'>): () => Promise<void> {
  /** Update, then insert, instead of an upsert: some servers lose one of two concurrent upserts. */
  return async () => {
    for (;;) {
      const { matchedCount } = await primary.updateOne({ _id }, { $inc: { times: 1n } });
      if (matchedCount === 1) return;
      if ((await insertNew(primary, [{ _id, times: 0n }])).length === 0) return;
    }
  };
}
