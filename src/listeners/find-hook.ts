import { listeners } from '../../projections/listeners.js';
import { StoreUnavailable } from '../event-store/errors.js';
import type { EventStore } from '../event-store/event-store.js';
import type { ReadModel } from '../read-model/read-model.js';
import { ListenerNotFound, type Registration } from './listener.js';

/** Whose hook a registration is, or was. Throws `ListenerNotFound` where there never was one of this ID. */
export type FindHook = (listenerId: string) => Promise<Pick<Registration, 'orgId' | 'hookUrl'>>;

/** A view that does not come as far in this time, in milliseconds, has stopped, or nobody keeps it up to date. */
const viewTimeoutMs = 5_000;

/** Looks in the view; what is not there is looked for again once the view has come to the last listener event of now. */
export function findHook({
  store,
  readModel,
  viewPassed,
}: {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  /** Resolves once the listeners view holds this listener event; rejects with the signal's reason when it aborts. */
  readonly viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
}): FindHook {
  async function look(listenerId: string): Promise<Registration | undefined> {
    const [period] = await readModel.find(listeners, { where: { listenerId }, limit: 1 });
    return period?.document as Registration | undefined; // the projection wrote it
  }

  async function requireView(): Promise<void> {
    const last = { filter: { categories: ['listener'] }, direction: 'backwards', limit: 1 } as const;
    for await (const { position } of store.readAll(last)) {
      const timeout = AbortSignal.timeout(viewTimeoutMs);
      await viewPassed(position, timeout).catch((error: unknown) => {
        if (!timeout.aborted) throw error;
        throw new StoreUnavailable(`the view listeners has not come to position ${position}`);
      });
    }
  }

  return async (listenerId) => {
    const known = await look(listenerId);
    if (known) return known;
    await requireView();
    const found = await look(listenerId);
    if (!found) throw new ListenerNotFound();
    return found;
  };
}
