import { eraseOrganisationRoute } from '../../admin/api/contracts/organisations.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';

export async function erase(orgId: string, { yes }: { yes: string }, { output, call }: CommandContext): Promise<void> {
  if (yes !== orgId) throw new UsageError('--yes must repeat the organisation');
  const erased = await call(eraseOrganisationRoute, { orgId, confirm: yes });
  const { streams, flowStreams, elsewhere } = erased;
  const left =
    elsewhere.length === 0
      ? ''
      : `; streams of other organisations name it too, and are kept: ${elsewhere.slice(0, 10).join(', ')}`;
  if (streams + flowStreams === 0) {
    printResult(output, erased, `nothing to erase: ${orgId} is unknown, or was erased already${left}`);
    return;
  }
  printResult(
    output,
    erased,
    `${orgId} is erased: ${counted(streams, 'stream')} and ${counted(flowStreams, 'stream')} of flow events were deleted${left}`,
  );
}
