import { publishRequest } from '../../flows/contract.js';
import { publishFlowEvent } from '../../flows/publish-flow-event.js';
import { sizeWarning } from '../../flows/publishing/publish-events.js';
import { publishingChecks } from '../../flows/types/publishing-checks.js';
import { maxEventBytes } from '../../service/config/shared-settings.js';
import { type CommandContext, readSettings } from '../context.js';
import { printResult, printWarning } from '../output.js';
import { parseData, parseOptions } from '../parse-options.js';

export async function publish(
  { data, ...options }: { readonly org: string; readonly data: string },
  { output, withEventStore, causeNow }: CommandContext,
): Promise<void> {
  const orgId = options.org;
  const maxBytes = readSettings(maxEventBytes);
  const request = parseOptions(publishRequest.shape, { ...options, data: parseData(data) });
  const { id, bytes, mismatch } = await withEventStore(async (store) => {
    const mismatch = await publishingChecks(store)(orgId, request);
    return { ...(await publishFlowEvent(store, request, { orgId, ...causeNow(), maxBytes })), mismatch };
  });
  printResult(output, { id }, `published ${id}`);
  if (mismatch !== undefined) printWarning(mismatch);
  const warning = sizeWarning(bytes);
  if (warning !== undefined) printWarning(`${warning} (${request.type}: ${bytes} bytes)`);
}
