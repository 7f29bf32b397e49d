import { publishFlowEventRoute } from '../../admin/api/contracts/flow-events.js';
import type { CommandContext } from '../context.js';
import { printResult, printWarning } from '../output.js';
import { parseData } from '../parse-options.js';

export async function publish(options: { data: string }, { output, call }: CommandContext): Promise<void> {
  const { id, warnings } = await call(publishFlowEventRoute, { ...options, data: parseData(options.data) });
  printResult(output, { id }, `published ${id}`);
  for (const warning of warnings) printWarning(warning);
}
