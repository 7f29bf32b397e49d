import { insertNew } from '../../mongodb/insert-new.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { viewOf } from '../build-name.js';
import type { ReadModel, Trouble } from '../read-model.js';
import type { Collections } from './collections.js';

/**
 * A row stays, without its error, to keep its term: the late note of an earlier lease holder would otherwise remain
 * after a later holder has recovered.
 */
export function openTroubles({ troubles }: Pick<Collections, 'troubles'>): Pick<ReadModel, 'trouble' | 'noteTrouble'> {
  /** False where there is no row, or one of a later term. */
  async function update(view: string, trouble: Trouble | null, term: bigint | undefined): Promise<boolean> {
    const { matchedCount } = await (term === undefined
      ? troubles.updateOne({ _id: view }, { $set: { trouble } })
      : troubles.updateOne({ _id: view, term: { $not: { $gt: term } } }, { $set: { trouble, term } }));
    return matchedCount === 1;
  }

  return {
    trouble: (projection) =>
      withMongoErrors(async () => {
        const trouble = (await troubles.findOne({ _id: viewOf(projection) }))?.trouble;
        return trouble ? { ...trouble, position: trouble.position } : undefined;
      }),
    noteTrouble: (projection, noted, { term } = {}) =>
      withMongoErrors(async () => {
        const view = viewOf(projection);
        const trouble = noted ?? null;
        if (await update(view, trouble, term)) return;
        const row = { _id: view, trouble, ...(term !== undefined && { term }) };
        if ((await insertNew(troubles, [row])).length > 0) await update(view, trouble, term);
      }),
  };
}
