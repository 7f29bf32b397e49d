import {
  cancelReplayRoute,
  listReplaysRoute,
  showReplayRoute,
  startReplayRoute,
} from '../../admin/api/contracts/replays.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, type Output, printResult, printRows } from '../output.js';

type StartOptions = { rate?: string; listener?: string; hookUrl?: string };

export async function start({ rate, ...options }: StartOptions, { output, call }: CommandContext): Promise<void> {
  if (options.listener === undefined && options.hookUrl === undefined)
    throw new UsageError('--listener or --hook-url must name the listener');
  const ratePerSecond = rate === undefined ? undefined : Number(rate);
  const replay = await call(startReplayRoute, { ...options, ratePerSecond });
  printResult(output, replay, `replay ${replay.id} is ${replay.state}`);
}

export async function list(options: { org: string }, { output, allOf }: CommandContext): Promise<void> {
  printReplays(output, await allOf(listReplaysRoute, options), `${options.org} has no replays`);
}

export async function show(id: string, _: object, { output, call }: CommandContext): Promise<void> {
  printReplays(output, [await call(showReplayRoute, { id })], '');
}

export async function cancel(id: string, _: object, { output, call }: CommandContext): Promise<void> {
  const replay = await call(cancelReplayRoute, { id });
  const deliveries = counted(replay.cancelled, 'waiting delivery of it is', 'waiting deliveries of it are');
  printResult(output, replay, `replay ${id} is ${replay.state}: ${deliveries} cancelled`);
}

const printReplays = (
  output: Output,
  replays: readonly RouteAnswer<typeof showReplayRoute>[],
  whenEmpty: string,
): void =>
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
