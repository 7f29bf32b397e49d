import { listeners } from '../../../projections/listeners.js';
import { localGates } from '../../deliveries/gates.js';
import { unsubscribeBarrier } from '../../deliveries/start-deliveries.js';
import { tellQueue } from '../../deliveries/tell-queue.js';
import type { Handled } from '../../event-store/handle.js';
import type { ListenerEvent } from '../../listeners/events.js';
import { findHook } from '../../listeners/find-hook.js';
import type { Listener } from '../../listeners/listener.js';
import { operatedSummary } from '../../listeners/listener-summary.js';
import { type ListenerOperations, type OperateListener, operateListener } from '../../listeners/operate-listener.js';
import { watch } from '../../read-model/watch.js';
import type { CommandContext } from '../command-context.js';
import type { Stores } from '../command-stores.js';
import { printResult } from '../output.js';

export type Changed = Handled<Listener, ListenerEvent>;

/** As the admin API does, against the stores of a service that may be running. */
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
  const view = watch({ store, readModel, projection: listeners });
  try {
    return await work({
      ...{ store, findHook: findHook({ store, readModel, viewPassed: view.passed }) },
      tellChange: tellQueue(queue, Date.now),
      barrier: unsubscribeBarrier(localGates(), queue, true), // the permits are the service's
    });
  } finally {
    await view.stop();
  }
}

/** Prints a registration and the events of a change to it. `more`: what else the JSON has; `sentence`: how the text ends. */
export function printChanged({ output }: CommandContext, changed: Changed, more: object = {}, sentence = ''): void {
  const { changed: events, ...summary } = operatedSummary(changed);
  const { listenerId, state } = summary;
  const what = events.length === 0 ? `is ${state}: nothing changed` : `is ${state} now`;
  printResult(output, { ...summary, changed: events, ...more }, `${listenerId} ${what}${sentence}`);
}
