import { randomUUID } from 'node:crypto';
import type { ReadModel } from '../../src/views/read-model.js';
import { buildsContract } from './read-model/builds.js';
import { documentsContract } from './read-model/documents.js';
import { listenerSearchContract } from './read-model/listener-search.js';
import { listenersContract } from './read-model/listeners.js';
import { lookupsContract } from './read-model/lookups.js';
import { rebuildsContract } from './read-model/rebuilds.js';
import { removalsContract } from './read-model/removals.js';
import type { OpenReadModel } from './read-model/support.js';
import { termsContract } from './read-model/terms.js';

/** Promises of an adapter beyond those of all. */
export type Promises = {
  /** Several instances may write, each under the term of its lease. */
  terms: boolean;
};

/** `open` gives an empty read model at its first call for a `place`, and what is there at later ones. */
export function readModelContract(name: string, open: OpenReadModel, promises: Promises): void {
  describe(`read model on ${name}`, () => {
    let place: string;
    let opened: ReadModel[];

    async function another(): Promise<ReadModel> {
      const readModel = await open(place);
      opened.push(readModel);
      return readModel;
    }
    const readModel = (): ReadModel => {
      const [first] = opened;
      if (!first) throw new Error('it is opened before each test');
      return first;
    };

    beforeEach(async () => {
      place = randomUUID();
      opened = [];
      await another();
    });
    afterEach(async () => {
      for (const each of opened) await each.close();
    });

    documentsContract({ readModel, another });
    removalsContract({ readModel, another });
    lookupsContract({ readModel, another });
    listenersContract({ readModel, another });
    listenerSearchContract({ readModel, another });
    buildsContract({ readModel, another });
    rebuildsContract({ readModel, another });
    if (promises.terms) termsContract({ readModel, another });
  });
}
