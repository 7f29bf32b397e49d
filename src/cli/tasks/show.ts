import type { Command } from 'commander';
import { effectiveTask } from '../../listeners/integration-tasks/effective-task.js';
import { contextOf } from '../command-context.js';
import { type OrganisationOptions, organisationOf } from './organisation.js';
import { printTask } from './text.js';

/** `tasks show`: the task in effect. */
export async function show(options: OrganisationOptions, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const orgId = organisationOf(options);
  const task = await withStores(async (stores) => effectiveTask(await stores.events(), orgId));
  printTask(output, task, { orgId, changed: [] });
}
