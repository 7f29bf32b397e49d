import type { Logger } from 'pino';
import type { Projection } from '../../projections/projection.js';
import type { ReadModel, Trouble } from './read-model.js';

/** What keeps a view from going on, noted for other processes without anybody waiting for it. */
export type TroubleNotes = {
  readonly write: (trouble: Pick<Trouble, 'message' | 'position'>) => void;
  readonly clear: () => void;
  /** Resolves once what was said last has been noted, or could not be. */
  readonly written: () => Promise<void>;
};

export type OpenTroubleNotes = { readonly readModel: ReadModel; readonly projection: Projection; readonly log: Logger };

export function troubleNotes({ readModel, projection, log }: OpenTroubleNotes): TroubleNotes {
  /** Undefined while it is not known: at first, an earlier process may have noted something. */
  let noted: { readonly message: string | undefined } | undefined;
  let last: Promise<void> = Promise.resolve();

  function note(trouble: Trouble | undefined): void {
    noted = { message: trouble?.message };
    last = last
      .then(() => readModel.noteTrouble(projection, trouble))
      .catch((error: unknown) => {
        noted = undefined; // the next one is written, whatever it says
        log.warn({ err: error, projection: projection.name }, 'what keeps the view from going on could not be noted');
      });
  }

  return {
    write({ message, position }) {
      if (noted?.message !== message) note({ message, position, since: new Date().toISOString() });
    },
    clear() {
      if (!noted || noted.message !== undefined) note(undefined);
    },
    written: () => last,
  };
}
