import { Command } from 'commander';
import { z } from 'zod';
import { listeners } from '../../../projections/listeners.js';
import { keptUuid } from '../../asked-uuid.js';
import { checked, type NameOfPath } from '../../checked.js';
import { findHook } from '../../listeners/find-hook.js';
import { watch } from '../../read-model/watch.js';
import { replayRequest } from '../../replays/contract.js';
import { findReplay, listReplays } from '../../replays/find-replays.js';
import { beginReplay, endReplay, type OperateReplays } from '../../replays/operate-replays.js';
import { type ReplaySummary, replaySummary } from '../../replays/replay-summary.js';
import { contextOf } from '../command-context.js';
import type { Stores } from '../command-stores.js';
import { UsageError } from '../failure.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';
import { counted, type Output, printResult, printRows } from '../output.js';
import { pagesOf } from '../pages.js';

type StartOptions = {
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

/** `replays start|list|show|cancel`: past flow events to one hook. A running service carries them out. */
export function replayCommands(): Command {
  const replays = new Command('replays').description('past flow events, sent to one hook');
  replays
    .command('start')
    .description('sends past flow events to one hook, also to one that was not registered when they happened')
    .addOption(requiredOrganisation())
    .option('--listener <id>', 'the registration of the hook')
    .addOption(hookUrlOption('or its URL'))
    .option('--from <time>', 'those recorded then or later: ISO 8601 with its offset')
    .option('--to <time>', 'those recorded then or before')
    .option(
      '--type <type>',
      'only those of this type; flow.* for all below it. Without it, what the hook is subscribed to',
    )
    .option('--event <id>', 'just this one: the id it was published with, or its UUID in the store')
    .option('--rate <number>', 'at most so many a second; 50 without it')
    .option('--id <uuid>', 'the ID that the replay gets: started again under the same, it is the same')
    .action(start);
  replays
    .command('list')
    .description('lists the replays of an organisation, from the view that a running service keeps up to date')
    .addOption(requiredOrganisation())
    .action(list);
  replays
    .command('show')
    .description('shows how far a replay is')
    .argument('<replay>', 'the ID of the replay', keptUuid)
    .action(async (id: string, _: object, command: Command) => {
      const { output, withStores } = contextOf(command);
      printReplays(output, [replaySummary(await withStores((stores) => findReplay(stores.events(), id)))], '');
    });
  replays
    .command('cancel')
    .description('ends a replay, and cancels what of it still waits')
    .argument('<replay>', 'the ID of the replay', keptUuid)
    .action(cancel);
  return replays;
}

async function start({ org, listener, event, rate, ...options }: StartOptions, command: Command): Promise<void> {
  if (listener === undefined && options.hookUrl === undefined) {
    throw new UsageError('--listener or --hook-url must say which hook it is');
  }
  const { output, withStores, cause } = contextOf(command);
  const ratePerSecond = rate === undefined ? undefined : Number(rate);
  const asked = { ...options, orgId: org, listenerId: listener, eventId: event, ratePerSecond };
  const request = checked(z.object(replayRequest), asked, optionNamed);
  const replay = await withStores((stores) =>
    withOperations(stores, async (operate) => {
      const { replayId } = await beginReplay(operate, request, { cause, now: new Date() });
      return findReplay(operate.store, replayId);
    }),
  );
  printResult(output, replaySummary(replay), `replay ${replay.replayId} is ${replay.state}`);
}

async function list({ org }: { readonly org: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const found = await withStores((stores) =>
    pagesOf(async (after) => {
      const { replays: items, next } = await listReplays(stores.readModel(), org, { after });
      return { items, next };
    }),
  );
  printReplays(output, found.map(replaySummary), `${org} has no replays`);
}

async function cancel(id: string, _: object, command: Command): Promise<void> {
  const { output, withStores, cause } = contextOf(command);
  const { replay, cancelled } = await withStores(async (stores) => {
    const sources = { store: stores.events(), queue: await stores.deliveries() };
    const ended = await endReplay(sources, id, { cause, now: new Date() });
    return { ...ended, replay: await findReplay(sources.store, id) };
  });
  printResult(
    output,
    { ...replaySummary(replay), cancelled },
    `replay ${id} is ${replay.state}: ${counted(cancelled, 'waiting delivery of it is', 'waiting deliveries of it are')} cancelled`,
  );
}

/** The listeners view is a running service's, and is waited for as long as a service would. */
async function withOperations<Result>(
  stores: Stores,
  work: (operate: OperateReplays) => Promise<Result>,
): Promise<Result> {
  const store = stores.events();
  const readModel = stores.readModel();
  const view = watch({ store, readModel, projection: listeners });
  try {
    const queue = await stores.deliveries();
    return await work({ store, queue, findHook: findHook({ store, readModel, viewPassed: view.passed }) });
  } finally {
    await view.stop();
  }
}

const printReplays = (output: Output, replays: readonly ReplaySummary[], whenEmpty: string): void =>
  printRows(
    output,
    replays,
    {
      replay: ({ id }) => id,
      listener: ({ listenerId }) => listenerId,
      state: ({ state }) => state,
      done: ({ percent }) => `${percent} %`,
      'looked at': ({ lookedAt }) => lookedAt,
      enqueued: ({ enqueued }) => enqueued,
      left: ({ secondsLeft }) => (secondsLeft === null ? '' : `${secondsLeft} s`),
      started: ({ startedAt }) => startedAt,
      by: ({ startedBy }) => startedBy,
    },
    whenEmpty,
  );

const optionNamed: NameOfPath = ([field]) => `--${optionNames[String(field)] ?? String(field)}`;

/** Where they differ from the fields of the request. */
const optionNames: Readonly<Record<string, string>> = {
  ...{ orgId: 'org', listenerId: 'listener', hookUrl: 'hook-url', eventId: 'event', ratePerSecond: 'rate' },
};
