import type { Command } from 'commander';
import { cancelRebuild } from '../../stores/read-model/rebuilding/cancel-rebuild.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';
import { projectionNamed } from './arguments.js';

const cancelledTexts = {
  asked: 'whoever rebuilds it gives up once it has written what it has at hand',
  dropped: 'what was left unfinished has been dropped',
  none: 'no rebuild is under way, and none was left unfinished',
} as const;

/** `projections cancel`: cancels the rebuild of a view. */
export async function cancel(name: string, _: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const projection = projectionNamed(name);
  const cancelled = await withStores(async (stores) => cancelRebuild(await stores.readModel(), projection));
  printResult(output, { projection: name, cancelled }, `${name}: ${cancelledTexts[cancelled]}`);
}
