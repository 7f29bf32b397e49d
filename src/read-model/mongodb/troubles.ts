import { insertNew } from '../../mongodb/insert-new.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { type ReadModel, viewOf } from '../read-model.js';
import type { Collections } from './collections.js';

/** What keeps views from going on, as rows. */
export const openTroubles = ({
  troubles,
}: Pick<Collections, 'troubles'>): Pick<ReadModel, 'trouble' | 'noteTrouble'> => ({
  trouble: (projection) =>
    withMongoErrors(async () => {
      const trouble = (await troubles.findOne({ _id: viewOf(projection) }))?.trouble;
      return trouble && { ...trouble, position: trouble.position };
    }),
  noteTrouble: (projection, trouble) =>
    withMongoErrors(async () => {
      const _id = viewOf(projection);
      if (!trouble) await troubles.deleteOne({ _id });
      else if ((await insertNew(troubles, [{ _id, trouble }])).length > 0) {
        await troubles.updateOne({ _id }, { $set: { trouble } });
      }
    }),
});
