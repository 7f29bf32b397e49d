import { UsageError } from '../failure.js';

/** The names of all views, for help, which does not load the views; a test compares both. */
export const viewNames =
  'listeners, listener-history, sessions, integration-tasks, replays, api-keys, event-types, organisation-streams';

/** Throws `UsageError` for another name. */
export function viewNamed(name: string): string {
  if (viewNames.split(', ').includes(name)) return name;
  throw new UsageError(`there is no view ${name}: there are ${viewNames}`);
}
