import type { Command } from 'commander';
import { findReplay, replaySummary } from '../../admin/replays/find-replays.js';
import { endReplay } from '../../admin/replays/operate-replays.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { counted, printResult } from '../output.js';

/** `replays cancel`: cancels a replay and its waiting deliveries. */
export async function cancel(replayId: string, _: object, command: Command): Promise<void> {
  const id = canonicalUuid(replayId);
  const { output, withStores, cause } = contextOf(command);
  const { replay, cancelled } = await withStores(async (stores) => {
    const sources = { store: await stores.events(), queue: await stores.deliveries() };
    const ended = await endReplay(sources, id, { cause, now: new Date() });
    return { ...ended, replay: await findReplay(sources.store, id) };
  });
  printResult(
    output,
    { ...replaySummary(replay), cancelled },
    `replay ${id} is ${replay.state}: ${counted(cancelled, 'waiting delivery of it is', 'waiting deliveries of it are')} cancelled`,
  );
}
