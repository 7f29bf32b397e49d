import { requireMasterKeyOfService } from '../../access/keys/recorded-keys.js';
import { operationsRequest, subscribeOperations } from '../../admin/operations/subscribe-operations.js';
import { targetJudge } from '../../deliveries/target-guard/target-judge.js';
import { operationalTypes } from '../../events/operational-events.js';
import { readDeliveries, readMode } from '../../service/config/config.js';
import { type CommandContext, readSettings } from '../context.js';
import { UsageError } from '../failure.js';
import { masterKeysOf } from '../keys-of-service.js';
import { printResult, printRows } from '../output.js';
import { parseData, parseOptions } from '../parse-options.js';

export async function types(_: object, { output }: CommandContext): Promise<void> {
  const rows = Object.entries(operationalTypes).map(([name, { description, example }]) => ({
    name,
    description,
    example,
  }));
  printRows(output, rows, { type: 'name', description: 'description' }, '');
}

type Options = { readonly type: string; readonly filter?: string };

/** Registers a listener for operational events. */
export async function subscribe({ type, filter, ...options }: Options, context: CommandContext): Promise<void> {
  const given = { ...options, subscriptionType: type, ...(filter !== undefined && { filter: parseData(filter) }) };
  const request = parseOptions(operationsRequest, given);
  const masterKeys = await masterKeysOf(context.dataDirectory);
  if (!masterKeys)
    throw new UsageError('a subscription needs the master keys of the service: set MASTER_KEYS to its value');
  const { check: checkTarget } = targetJudge(
    readSettings((settings) => readDeliveries(settings, readMode(settings)).targets),
  );
  const listener = await context.withEventStore(async (store) => {
    await requireMasterKeyOfService(store, masterKeys);
    return subscribeOperations({ store, masterKeys, checkTarget }, request, context.causeNow());
  });
  const { listenerId, subscriptionType, signingSecret } = listener;
  printResult(context.output, listener, `${listenerId} gets ${subscriptionType}, signed with ${signingSecret}`);
}
