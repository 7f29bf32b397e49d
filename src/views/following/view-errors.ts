import type { Logger } from 'pino';
import type { Projection } from '../projection.js';
import type { ReadModel, ViewError } from '../read-model.js';

export type ViewErrors = ReturnType<typeof viewErrors>;

export type OpenViewErrors = {
  readModel: ReadModel;
  projection: Projection;
  log: Logger;
  /** Absent for a single instance. */
  term: bigint | undefined;
  retryMs: number;
};

/** Records the error that stops a view for other processes, in the background. */
export function viewErrors({ readModel, projection, log, term, retryMs }: OpenViewErrors) {
  /** Undefined while unknown: an earlier process may have recorded an error. */
  let recorded: { message: string | undefined } | undefined;
  let last: Promise<void> = Promise.resolve();
  let again: NodeJS.Timeout | undefined;
  let ended = false;

  function record(viewError: ViewError | undefined): void {
    clearTimeout(again);
    const latest = { message: viewError?.message };
    recorded = latest;
    last = last
      .then(() => readModel.recordError(projection, viewError, { term }))
      .catch((error: unknown) => {
        log.warn({ err: error, projection: projection.name }, 'the error that stops the view could not be recorded');
        if (recorded !== latest || ended) return;
        recorded = undefined; // the next error is recorded, or this one again: a quiet view has no next one
        again = setTimeout(() => record(viewError), retryMs);
      });
  }

  return {
    write({ message, position }: Pick<ViewError, 'message' | 'position'>): void {
      if (recorded?.message !== message) record({ message, position, since: new Date().toISOString() });
    },
    clear(): void {
      if (!recorded || recorded.message !== undefined) record(undefined);
    },
    /** Resolves once the last error was recorded, or could not be; no errors may follow. */
    end(): Promise<void> {
      ended = true;
      clearTimeout(again);
      return last;
    },
  };
}
