import { listeners } from '../../../../projections/listeners.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import type { ReadModel } from '../../../stores/read-model/read-model.js';
import { ListenerNotFound, type Registration } from '../listener.js';
import { viewCaughtUp } from './view-caught-up.js';

/** Whose hook a registration is, or was. Throws `ListenerNotFound` where there never was one of this ID. */
export type FindHook = (listenerId: string) => Promise<Pick<Registration, 'orgId' | 'hookUrl'>>;

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
  const caughtUp = viewCaughtUp(store, viewPassed);

  async function look(listenerId: string): Promise<Registration | undefined> {
    const [period] = await readModel.find(listeners, { where: { listenerId }, limit: 1 });
    return period?.document as Registration | undefined; // the projection wrote it
  }

  return async (listenerId) => {
    const known = await look(listenerId);
    if (known) return known;
    await caughtUp();
    const found = await look(listenerId);
    if (!found) throw new ListenerNotFound(listenerId);
    return found;
  };
}
