import { listenersView } from '../../../projections/listeners.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { viewCaughtUp } from '../../views/follower.js';
import type { ReadModel } from '../../views/read-model.js';
import { type ListenerDetails, ListenerNotFound } from '../listener.js';

/** Finds the organisation and URL of a current or past listener. Throws `ListenerNotFound` if none ever had this ID. */
export type FindListener = (listenerId: string) => Promise<{ orgId: string; hookUrl: string }>;

/** Reads the view; if it does not have the ID, waits until it has processed all present listener events and reads again. */
export function findListener({
  store,
  readModel,
  viewPassed,
}: {
  store: EventStore;
  readModel: ReadModel;
  /** Resolves once the listeners view holds this listener event; rejects with the signal's reason when it aborts. */
  viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
}): FindListener {
  const caughtUp = viewCaughtUp(store, 'listener', viewPassed);

  async function findInView(listenerId: string): Promise<ListenerDetails | undefined> {
    const [period] = await readModel.find(listenersView, { where: { listenerId }, limit: 1 });
    return period?.document as ListenerDetails | undefined; // the projection wrote it
  }

  return async (listenerId) => {
    const known = await findInView(listenerId);
    if (known) return known;
    await caughtUp();
    const found = await findInView(listenerId);
    if (!found) throw new ListenerNotFound(listenerId);
    return found;
  };
}
