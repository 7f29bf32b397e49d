import { Command } from 'commander';
import { localGates } from '../deliveries/gates.js';
import { unsubscribeBarrier } from '../deliveries/start-deliveries.js';
import { type Erased, eraseOrganisation } from '../erasure/erase-organisation.js';
import { opaqueId } from '../identity/opaque-id.js';
import { contextOf } from './command-context.js';
import { UsageError } from './failure.js';
import { counted, printResult } from './output.js';
import { progressOf } from './progress.js';

/** `orgs erase <organisation>`: all that is kept of an organisation goes for good. */
export const eraseCommand = (): Command =>
  new Command('erase')
    .description('makes all that is kept of an organisation go for good; run again, it finishes what was cut short')
    .argument('<organisation>', 'its ID')
    .requiredOption('--yes <organisation>', 'its ID once more: what is erased cannot be brought back')
    .action(async (organisation: string, { yes }: { readonly yes: string }, command: Command) => {
      const orgId = opaqueId.safeParse(organisation);
      if (!orgId.success) throw new UsageError(`the organisation ${orgId.error.issues[0]?.message}`);
      if (yes !== orgId.data) throw new UsageError('--yes must name the organisation once more');
      const { output, cause, withStores } = contextOf(command);
      const progress = progressOf(output);
      const onScanned = (position: bigint, head: bigint) =>
        progress.report('looking through events', Number(position), Number(head));
      const erased = await withStores(async (stores) => {
        const store = stores.events();
        const queue = await stores.deliveries();
        const barrier = unsubscribeBarrier(localGates(), queue, true); // the permits are the service's
        return eraseOrganisation({ store, queue, barrier, onScanned }, orgId.data, { cause, now: new Date() });
      }).finally(progress.end);
      printResult(output, erased, sentenceOf(orgId.data, erased));
    });

function sentenceOf(orgId: string, { streams, flowStreams, elsewhere }: Erased): string {
  const left =
    elsewhere.length === 0 ? '' : `; streams of others name it too, and stay: ${elsewhere.slice(0, 10).join(', ')}`;
  return `${orgId} is erased: ${counted(streams, 'stream')} and ${counted(flowStreams, 'stream')} of flow events were deleted${left}`;
}
