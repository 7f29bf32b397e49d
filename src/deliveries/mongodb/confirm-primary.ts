import { insertNew } from '../../stores/mongodb/insert-new.js';
import type { Collections } from './collections.js';

/** The one document; all instances write it. */
const _id = 'confirmed';

/**
 * Writes, and waits until a majority has acknowledged it. So the server was the primary after this was called, and what is
 * read next, from it or from one that was elected later, holds all that a majority had acknowledged before the call. Rejects
 * on a primary that has been deposed and has not noticed: decision 29.
 */
export function primaryConfirmer({ primary }: Pick<Collections, 'primary'>): () => Promise<void> {
  /** Inserts first, updates after: where upserts of one document race, some servers lose one. */
  return async () => {
    for (;;) {
      const { matchedCount } = await primary.updateOne({ _id }, { $inc: { times: 1n } });
      if (matchedCount === 1) return;
      if ((await insertNew(primary, [{ _id, times: 0n }])).length === 0) return;
    }
  };
}
