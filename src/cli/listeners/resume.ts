import type { Command } from 'commander';
import { resumeAndRelease } from '../../deliveries/commands/resume-and-release.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { counted } from '../output.js';
import { contextNow, printChanged, withOperations } from './operate.js';

/** `listeners resume`: delivers to a paused listener again. */
export async function resume(
  listener: string,
  options: { readonly redeliverHeld?: true },
  command: Command,
): Promise<void> {
  const context = contextOf(command);
  const listenerId = canonicalUuid(listener);
  const redeliverHeld = options.redeliverHeld === true;
  const { handled: changed, settled } = await context.withStores(async (stores) => {
    const queue = await stores.deliveries();
    return withOperations(stores, (operations) =>
      resumeAndRelease({ operations, queue, clock: Date.now }, { listenerId, redeliverHeld }, contextNow(context)),
    );
  });
  const { held, redelivered, moreMayCome } = settled;
  const due = counted(redelivered, 'held delivery is', 'held deliveries are');
  const how = redeliverHeld ? 'more may become due' : 'more may be held';
  const more = moreMayCome ? `; ${how}: the fan-out has not reached the end of the pause yet` : '';
  printChanged(context, changed, settled, `; ${due} due now, ${counted(held, 'stays', 'stay')} held${more}`);
}
