import type { Command } from 'commander';
import { findReplay, replaySummary } from '../../admin/replays/find-replays.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { printReplays } from './text.js';

/** `replays show`: the progress of a replay. */
export async function show(id: string, _: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const replay = await withStores(async (stores) => findReplay(await stores.events(), canonicalUuid(id)));
  printReplays(output, [replaySummary(replay)], '');
}
