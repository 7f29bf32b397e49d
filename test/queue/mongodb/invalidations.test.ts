import { expect } from 'chai';
import type { Collections, ListenerRow } from '../../../src/queue/mongodb/collections.js';
import { CalmListeners } from '../../../src/queue/mongodb/lease/calm-listeners.js';
import { openInvalidations } from '../../../src/queue/mongodb/listeners/invalidations.js';

const row = { _id: 'one', closed: false, hintVersion: 0 } as ListenerRow;

/** A collection that has the record once it was inserted; `onInsert` is called before. */
function recordsWith(onInsert: () => void) {
  let record: object | null = null;
  return {
    findOneAndUpdate: async () => record,
    deleteMany: async () => undefined,
    insertMany: async ([inserted]: readonly object[]) => {
      onInsert();
      record = { ...inserted };
    },
  } as unknown as Collections['primary'];
}

describe('the record by which an instance learns of changed listeners', () => {
  it('has listeners forgotten that were read before it was there, of which it tells nothing', async () => {
    const calm = new CalmListeners();
    const primary = recordsWith(() => calm.note([row], calm.changes));
    const { provePrimary } = openInvalidations({ primary }, calm);
    await provePrimary();
    expect(calm.get('one')).to.equal(undefined);
    calm.note([row], calm.changes);
    await provePrimary();
    expect(calm.get('one')).to.equal(row);
  });
});
