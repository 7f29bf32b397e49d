import type { Command } from 'commander';
import { unsubscribeBarrier } from '../../deliveries/start-deliveries.js';
import { workerGates } from '../../deliveries/worker/worker-gates.js';
import { opaqueId } from '../../kernel/opaque-id.js';
import { type Erased, eraseOrganisation } from '../../operations/erasure/erase-organisation.js';
import { SettingsReader } from '../../service/config/settings.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { countTold, removalNoticesOf, type Told } from '../listeners/removal-notice.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';

/** `orgs erase <organisation>`: all that is kept of an organisation goes for good. */
export async function erase(organisation: string, { yes }: { readonly yes: string }, command: Command): Promise<void> {
  const orgId = opaqueId.safeParse(organisation);
  if (!orgId.success) throw new UsageError(`the organisation ${orgId.error.issues[0]?.message}`);
  if (yes !== orgId.data) throw new UsageError('--yes must name the organisation once more');
  const { output, cause, withStores } = contextOf(command);
  const notices = removalNoticesOf(new SettingsReader(process.env));
  const progress = progressOf(output);
  const onScanned = (position: bigint, head: bigint) =>
    progress.report('looking through events', Number(position), Number(head));
  let told: Told | undefined;
  const erased = await withStores(async (stores) => {
    const store = await stores.events();
    const queue = await stores.deliveries();
    const barrier = unsubscribeBarrier(workerGates(), queue, true); // the permits are the service's
    const settings = { store, queue, barrier, onScanned, onRemoved: notices?.onRemoved };
    return eraseOrganisation(settings, orgId.data, { cause, now: new Date() });
  }).finally(async () => {
    progress.end();
    // Where it was cut short too: what it has removed is removed, and a repeat tells nobody of it.
    told = notices && countTold(await notices.results());
  });
  printResult(output, { ...erased, notices: told ?? null }, sentenceOf(orgId.data, erased, told));
}

function sentenceOf(orgId: string, { streams, flowStreams, elsewhere }: Erased, told: Told | undefined): string {
  const left =
    elsewhere.length === 0 ? '' : `; streams of others name it too, and stay: ${elsewhere.slice(0, 10).join(', ')}`;
  const platforms = told && told.told + told.untold > 0 ? `; ${platformsSentence(told)}` : '';
  return `${orgId} is erased: ${counted(streams, 'stream')} and ${counted(flowStreams, 'stream')} of flow events were deleted${platforms}${left}`;
}

function platformsSentence({ told, untold }: Told): string {
  const some = `of ${counted(told, 'hook')} the platform was told that it is removed`;
  return untold === 0 ? some : `${some}, of ${untold} it could not be`;
}
