import type { Logger } from 'pino';
import type { Projection } from '../projection.js';
import type { ReadModel, Trouble } from '../read-model.js';

/** What keeps a view from going on, noted for other processes without anybody waiting for it. */
export type TroubleNotes = {
  readonly write: (trouble: Pick<Trouble, 'message' | 'position'>) => void;
  readonly clear: () => void;
  /** To be called when nothing more is to be said: resolves once what was said last has been noted, or could not be. */
  readonly end: () => Promise<void>;
};

export type OpenTroubleNotes = {
  readonly readModel: ReadModel;
  readonly projection: Projection;
  readonly log: Logger;
  /** Of the lease under which the view is kept up to date, where several instances may. */
  readonly term: bigint | undefined;
  /** The pause before what could not be noted is noted again. */
  readonly retryMs: number;
};

export function troubleNotes({ readModel, projection, log, term, retryMs }: OpenTroubleNotes): TroubleNotes {
  /** Undefined while it is not known: at first, an earlier process may have noted something. */
  let noted: { readonly message: string | undefined } | undefined;
  let last: Promise<void> = Promise.resolve();
  let again: NodeJS.Timeout | undefined;
  let ended = false;

  function note(trouble: Trouble | undefined): void {
    clearTimeout(again);
    const said = { message: trouble?.message };
    noted = said;
    last = last
      .then(() => readModel.noteTrouble(projection, trouble, { ...(term !== undefined && { term }) }))
      .catch((error: unknown) => {
        log.warn({ err: error, projection: projection.name }, 'what keeps the view from going on could not be noted');
        if (noted !== said || ended) return;
        noted = undefined; // whatever is said next is noted, and this if nothing is: a quiet view has nothing to say
        again = setTimeout(() => note(trouble), retryMs);
      });
  }

  return {
    write({ message, position }) {
      if (noted?.message !== message) note({ message, position, since: new Date().toISOString() });
    },
    clear() {
      if (!noted || noted.message !== undefined) note(undefined);
    },
    end() {
      ended = true;
      clearTimeout(again);
      return last;
    },
  };
}
