import type { Command } from 'commander';
import { listenersView } from '../../../projections/listeners.js';
import { findReplay, replaySummary } from '../../admin/replays/find-replays.js';
import { beginReplay, type OperateReplays, replayRequest } from '../../admin/replays/operate-replays.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { watch } from '../../stores/read-model/following/watch.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = {
  readonly org: string;
  readonly listener?: string;
  readonly hookUrl?: string;
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly event?: string;
  readonly rate?: string;
  readonly id?: string;
};

/** `replays start`: sends past flow events to one listener. */
export async function start({ org, listener, event, rate, ...options }: Options, command: Command): Promise<void> {
  const { output, withStores, cause } = contextOf(command);
  const ratePerSecond = rate === undefined ? undefined : Number(rate);
  const asked = { ...options, orgId: org, listenerId: listener, eventId: event, ratePerSecond };
  const request = parseOptions(replayRequest, asked);
  if (listener === undefined && options.hookUrl === undefined) {
    throw new UsageError('--listener or --hook-url must name the listener');
  }
  const replay = await withStores((stores) =>
    withOperations(stores, async (operate) => {
      const { replayId } = await beginReplay(operate, request, { cause, now: new Date() });
      return findReplay(operate.store, replayId);
    }),
  );
  printResult(output, replaySummary(replay), `replay ${replay.replayId} is ${replay.state}`);
}

/** Runs work with the view of a running service; waits for the view as long as a service does. */
async function withOperations<Result>(
  stores: Stores,
  work: (operate: OperateReplays) => Promise<Result>,
): Promise<Result> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const view = watch({ store, readModel, projection: listenersView });
  try {
    const queue = await stores.deliveries();
    return await work({ store, queue, findListener: findListener({ store, readModel, viewPassed: view.passed }) });
  } finally {
    await view.stop();
  }
}
