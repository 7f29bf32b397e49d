import { listenersView } from '../../../projections/listeners.js';
import { notifyQueue } from '../../deliveries/fan-out/notify-queue.js';
import { unsubscribeBarrier } from '../../deliveries/worker/unsubscribe-barrier.js';
import { workerGates } from '../../deliveries/worker/worker-gates.js';
import type { ListenerEvent } from '../../events/listener-events.js';
import type { Listener } from '../../listeners/listener.js';
import { type ListenerOperations, type OperateListener, operateListener } from '../../listeners/operate-listener.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import { operatedSummary } from '../../listeners/queries/listener-summary.js';
import type { Stores } from '../../service/stores/command-stores.js';
import type { Handled } from '../../stores/event-store/handle.js';
import { watch } from '../../stores/read-model/following/watch.js';
import type { CommandContext } from '../command-context.js';
import { printResult } from '../output.js';

export type Changed = Handled<Listener, ListenerEvent>;

/** Changes a listener as the admin API does. A service may use the stores at the same time. */
export const change = (context: CommandContext, stores: Stores, command: OperateListener): Promise<Changed> =>
  withOperations(stores, (operations) => operateListener(operations, command, contextNow(context)));

export const contextNow = ({ cause }: CommandContext) => ({ cause, now: new Date() });

export async function withOperations<Result>(
  stores: Stores,
  work: (operations: ListenerOperations) => Promise<Result>,
): Promise<Result> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const queue = await stores.deliveries();
  const view = watch({ store, readModel, projection: listenersView });
  try {
    return await work({
      store,
      findListener: findListener({ store, readModel, viewPassed: view.passed }),
      notifyChange: notifyQueue(queue, Date.now),
      barrier: unsubscribeBarrier(workerGates(), queue, true), // permits are held by the service's processes
    });
  } finally {
    await view.stop();
  }
}

/** Prints a listener and the events of a change to it. `more`: further fields of the JSON; `sentence`: end of the text. */
export function printChanged({ output }: CommandContext, changed: Changed, more: object = {}, sentence = ''): void {
  const { changed: events, ...summary } = operatedSummary(changed);
  const { listenerId, state } = summary;
  const what = events.length === 0 ? `is ${state}: nothing changed` : `is ${state} now`;
  printResult(output, { ...summary, changed: events, ...more }, `${listenerId} ${what}${sentence}`);
}
