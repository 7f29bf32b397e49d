import type { Command } from 'commander';
import { cancelRebuild } from '../../stores/read-model/rebuilding/cancel-rebuild.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';
import { projectionNamed } from './arguments.js';

const cancelledTexts = {
  asked: 'the process that rebuilds it stops after its current batch',
  dropped: 'the unfinished build was dropped',
  none: 'no rebuild is running, and none was left unfinished',
} as const;

/** `projections cancel`: cancels the rebuild of a view. */
export async function cancel(name: string, _: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const projection = projectionNamed(name);
  const cancelled = await withStores(async (stores) => cancelRebuild(await stores.readModel(), projection));
  printResult(output, { projection: name, cancelled }, `${name}: ${cancelledTexts[cancelled]}`);
}
