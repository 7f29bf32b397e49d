import type { Command } from 'commander';
import { publishRequest } from '../../flows/contract.js';
import { publishFlowEvent } from '../../flows/publish-flow-event.js';
import { sizeWarning } from '../../flows/publishing/publish-events.js';
import { publishingChecks } from '../../flows/types/publishing-checks.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { SettingsReader } from '../../service/config/settings.js';
import { maxEventBytes } from '../../service/config/shared-settings.js';
import { contextOf } from '../command-context.js';
import { printResult, printWarning } from '../output.js';
import { optionNamed } from '../parse-options.js';
import { parseData } from './parse-data.js';

type Options = {
  readonly org: string;
  readonly type: string;
  readonly data: string;
  readonly id?: string;
  readonly flowId?: string;
  readonly occurredAt?: string;
};

/** `flows publish`: the same as `POST /api/flows`. */
export async function publish({ org, ...options }: Options, command: Command): Promise<void> {
  const context = contextOf(command);
  const maxBytes = configuredMaxBytes();
  const request = parseInput(publishRequest, { ...options, orgId: org, data: parseData(options.data) }, optionNamed);
  const { id, bytes, mismatch } = await context.withStores(async (stores) => {
    const store = await stores.events();
    const mismatch = await publishingChecks(store)(org, request);
    const options = { orgId: org, cause: context.cause, now: new Date(), maxBytes };
    return { ...(await publishFlowEvent(store, request, options)), mismatch };
  });
  printResult(context.output, { id }, `published ${id}`);
  if (mismatch !== undefined) printWarning(mismatch);
  const warning = sizeWarning(bytes);
  if (warning !== undefined) printWarning(`${warning} (${request.type}: ${bytes} bytes)`);
}

/** The service's limit, from the same setting. Throws `InvalidSetting`. */
function configuredMaxBytes(): number {
  const settings = new SettingsReader(process.env);
  const maxBytes = maxEventBytes(settings);
  for (const problem of settings.problems) throw problem;
  return maxBytes;
}
