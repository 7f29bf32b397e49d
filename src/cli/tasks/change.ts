import type { Command } from 'commander';
import {
  type ChangeIntegrationTask,
  changeIntegrationTask,
} from '../../listeners/integration-tasks/change-integration-task.js';
import { contextOf } from '../command-context.js';
import { type OrganisationOptions, organisationOf } from './organisation.js';
import { printTask } from './text.js';

type WithoutOrganisation<Change> = Change extends unknown ? Omit<Change, 'orgId'> : never;

type RegisterOptions = OrganisationOptions & { readonly name: string };
type DeactivateOptions = OrganisationOptions & { readonly reason?: string };

/** `tasks register`. */
export const register = (options: RegisterOptions, command: Command): Promise<void> =>
  change({ change: 'register', name: options.name }, options, command);

/** `tasks activate`. */
export const activate = (options: OrganisationOptions, command: Command): Promise<void> =>
  change({ change: 'activate' }, options, command);

/** `tasks deactivate`. */
export const deactivate = (options: DeactivateOptions, command: Command): Promise<void> =>
  change({ change: 'deactivate', reason: options.reason }, options, command);

async function change(
  wanted: WithoutOrganisation<ChangeIntegrationTask>,
  options: OrganisationOptions,
  command: Command,
): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const orgId = organisationOf(options);
  const { state, events } = await withStores(async (stores) =>
    changeIntegrationTask(await stores.events(), { ...wanted, orgId }, { cause, now: new Date() }),
  );
  printTask(output, state, { orgId, changed: events.map(({ type }) => type) });
}
