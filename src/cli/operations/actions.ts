import { listOperationalTypesRoute, subscribeOperationsRoute } from '../../admin/api/contracts/operations.js';
import type { CommandContext } from '../context.js';
import { printResult, printRows } from '../output.js';
import { parseData } from '../parse-options.js';

export async function types(_: object, { output, allOf }: CommandContext): Promise<void> {
  const types = await allOf(listOperationalTypesRoute);
  printRows(output, types, { type: 'name', description: 'description' }, '');
}

type Options = { type: string; filter?: string };

/** Registers a listener for operational events. */
export async function subscribe(
  { type, filter, ...options }: Options,
  { output, call }: CommandContext,
): Promise<void> {
  const listener = await call(subscribeOperationsRoute, {
    ...options,
    subscriptionType: type,
    filter: filter === undefined ? undefined : parseData(filter),
  });
  const { listenerId, subscriptionType, signingSecret, replaced } = listener;
  const instead = replaced ? `, in place of ${replaced.subscriptionType}` : '';
  printResult(output, listener, `${listenerId} gets ${subscriptionType}${instead}, signed with ${signingSecret}`);
}
