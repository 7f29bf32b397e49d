import type { Command } from 'commander';
import { skipEvent } from '../../stores/read-model/skipped-events.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { positionOf, projectionNamed } from './arguments.js';

/** `projections skip`: makes a view leave out an event that it cannot handle. */
export async function skip(
  name: string,
  text: string,
  { why }: { readonly why: string },
  command: Command,
): Promise<void> {
  const { output, withStores, cause } = contextOf(command);
  const projection = projectionNamed(name);
  const position = positionOf(text);
  if (why.trim() === '') throw new UsageError('--why must give a reason');
  const skipped = await withStores(async (stores) =>
    skipEvent(await stores.events(), projection, { position, why }, { cause, now: new Date() }),
  );
  printResult(
    output,
    skipped,
    `${name} leaves out ${skipped.eventType} at revision ${skipped.revision} of ${skipped.stream}; a view that has ` +
      'stopped before it continues within a minute',
  );
}
