import { explainFlowEventRoute } from '../../admin/api/contracts/explanation.js';
import type { CommandContext } from '../context.js';
import { printRows } from '../output.js';

export async function explain(
  eventId: string,
  options: { org: string; hookUrl?: string },
  { output, allOf }: CommandContext,
): Promise<void> {
  printRows(
    output,
    await allOf(explainFlowEventRoute, { ...options, eventId, limit: 500 }),
    { 'hook URL': 'hookUrl', listener: 'listenerId', outcome: 'outcome', because: 'because' },
    `${options.org} never had a listener`,
  );
}
