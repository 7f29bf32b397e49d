import { listenersView } from '../../../projections/listeners.js';
import { findReplay, listReplays, type ReplaySummary, replaySummary } from '../../admin/replays/find-replays.js';
import { beginReplay, endReplay, replayRequest } from '../../admin/replays/operate-replays.js';
import { canonicalUuid, opaqueId } from '../../kernel/input/texts.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, type Output, printResult, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { allItems, withView } from '../views.js';

export async function start(
  options: { readonly rate?: string },
  { output, withStores, causeNow }: CommandContext,
): Promise<void> {
  const ratePerSecond = options.rate === undefined ? undefined : Number(options.rate);
  const request = parseOptions(replayRequest, { ...options, ratePerSecond });
  if (request.listenerId === undefined && request.hookUrl === undefined) {
    throw new UsageError('--listener or --hook-url must name the listener');
  }
  const replay = await withStores((stores) =>
    withView(stores, listenersView, async (sources) => {
      const { store } = sources;
      const operate = { store, queue: await stores.deliveries(), findListener: findListener(sources) };
      const { replayId } = await beginReplay(operate, request, causeNow());
      return findReplay(store, replayId);
    }),
  );
  printResult(output, replaySummary(replay), `replay ${replay.replayId} is ${replay.state}`);
}

export async function list(options: object, { output, withStores }: CommandContext): Promise<void> {
  const { orgId } = parseOptions({ orgId: opaqueId }, options);
  const replays = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return allItems(
      (after) => listReplays(readModel, { orgId, after }),
      (page) => page.replays,
    );
  });
  printReplays(output, replays.map(replaySummary), `${orgId} has no replays`);
}

export async function show(id: string, _: object, { output, withEventStore }: CommandContext): Promise<void> {
  const replay = await withEventStore((store) => findReplay(store, canonicalUuid(id)));
  printReplays(output, [replaySummary(replay)], '');
}

export async function cancel(
  replayId: string,
  _: object,
  { output, withStores, causeNow }: CommandContext,
): Promise<void> {
  const id = canonicalUuid(replayId);
  const { replay, cancelled } = await withStores(async (stores) => {
    const sources = { store: await stores.events(), queue: await stores.deliveries() };
    const ended = await endReplay(sources, id, causeNow());
    return { ...ended, replay: await findReplay(sources.store, id) };
  });
  const deliveries = counted(cancelled, 'waiting delivery of it is', 'waiting deliveries of it are');
  printResult(
    output,
    { ...replaySummary(replay), cancelled },
    `replay ${id} is ${replay.state}: ${deliveries} cancelled`,
  );
}

const printReplays = (output: Output, replays: readonly ReplaySummary[], whenEmpty: string): void =>
  printRows(
    output,
    replays,
    {
      replay: 'id',
      listener: 'listenerId',
      state: 'state',
      done: ({ percent }) => `${percent} %`,
      'looked at': 'lookedAt',
      enqueued: 'enqueued',
      left: ({ secondsLeft }) => (secondsLeft === null ? '' : `${secondsLeft} s`),
      started: 'startedAt',
      by: 'startedBy',
    },
    whenEmpty,
  );
