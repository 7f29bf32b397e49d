import { type Erased, eraseOrganisation } from '../../admin/erasure/erase-organisation.js';
import { unsubscribeBarrier, workerGates } from '../../deliveries/worker/gates.js';
import { opaqueId } from '../../kernel/input/texts.js';
import { type CommandContext, readSettings } from '../context.js';
import { UsageError } from '../failure.js';
import { countNotices, type NoticeCounts, removalNoticesOf } from '../listeners/removal-notice.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';

export async function erase(
  organisation: string,
  { yes }: { readonly yes: string },
  { output, causeNow, withStores }: CommandContext,
): Promise<void> {
  const orgId = opaqueId.safeParse(organisation);
  if (!orgId.success) throw new UsageError(`the organisation ${orgId.error.issues[0]?.message}`);
  if (yes !== orgId.data) throw new UsageError('--yes must repeat the organisation');
  const notices = readSettings(removalNoticesOf);
  const progress = progressOf(output);
  const onScanned = progress.positions('reading events');
  let counts: NoticeCounts | undefined;
  const erased = await withStores(async (stores) => {
    const store = await stores.events();
    const queue = await stores.deliveries();
    const barrier = unsubscribeBarrier(workerGates(), queue, true); // permits are held by the service's processes
    const settings = { store, queue, barrier, onScanned, onRemoved: notices?.onRemoved };
    return eraseOrganisation(settings, orgId.data, causeNow());
  }).finally(async () => {
    progress.end();
    // Also after an error: a repeat does not notify the platforms of listeners that are already removed.
    counts = notices && countNotices(await notices.results());
  });
  printResult(output, { ...erased, notices: counts ?? null }, sentenceOf(orgId.data, erased, counts));
}

function sentenceOf(
  orgId: string,
  { streams, flowStreams, elsewhere }: Erased,
  counts: NoticeCounts | undefined,
): string {
  const left =
    elsewhere.length === 0
      ? ''
      : `; streams of other organisations name it too, and are kept: ${elsewhere.slice(0, 10).join(', ')}`;
  const platforms = counts && counts.told + counts.untold > 0 ? `; ${platformsSentence(counts)}` : '';
  return `${orgId} is erased: ${counted(streams, 'stream')} and ${counted(flowStreams, 'stream')} of flow events were deleted${platforms}${left}`;
}

function platformsSentence({ told, untold }: NoticeCounts): string {
  const notified = `the platforms of ${counted(told, 'listener')} were notified`;
  return untold === 0 ? notified : `${notified}, those of ${untold} could not be`;
}
