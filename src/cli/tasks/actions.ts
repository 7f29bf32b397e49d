import { opaqueId } from '../../kernel/input/texts.js';
import {
  type ChangeIntegrationTask,
  changeIntegrationTask,
  effectiveTask,
  type IntegrationTask,
} from '../../listeners/integration-task.js';
import type { CommandContext } from '../context.js';
import { type Output, printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type WithoutOrganisation<Change> = Change extends unknown ? Omit<Change, 'orgId'> : never;

export const register = (options: { readonly name: string }, context: CommandContext): Promise<void> =>
  change({ change: 'register', name: options.name }, options, context);

export const activate = (options: object, context: CommandContext): Promise<void> =>
  change({ change: 'activate' }, options, context);

export const deactivate = (options: { readonly reason?: string }, context: CommandContext): Promise<void> =>
  change({ change: 'deactivate', reason: options.reason }, options, context);

async function change(
  wanted: WithoutOrganisation<ChangeIntegrationTask>,
  options: object,
  { output, causeNow, withEventStore }: CommandContext,
): Promise<void> {
  const orgId = organisationOf(options);
  const { state, events } = await withEventStore((store) =>
    changeIntegrationTask(store, { ...wanted, orgId }, causeNow()),
  );
  const changed = events.map(({ type }) => type);
  printTask(output, state, orgId, changed);
}

export async function show(options: object, { output, withEventStore }: CommandContext): Promise<void> {
  const orgId = organisationOf(options);
  printTask(output, await withEventStore((store) => effectiveTask(store, orgId)), orgId, []);
}

/** Null without `--org`: the service-wide default. Throws `InvalidRequest`. */
const organisationOf = (options: object): string | null =>
  parseOptions({ orgId: opaqueId.optional() }, options).orgId ?? null;

/** `orgId` null: the service-wide default was requested. `changed`: the types of the events of a change. */
function printTask(output: Output, task: IntegrationTask, orgId: string | null, changed: readonly string[]): void {
  const whose = orgId === null ? 'the default task' : `the task of ${orgId}`;
  const inherited = task.state !== 'missing' && orgId !== null && task.orgId === null ? ' (the default one)' : '';
  const what = task.state === 'missing' ? 'is not registered' : `is ${task.state}${inherited}`;
  printResult(output, { ...task, changed }, `${whose} ${what}`);
}
