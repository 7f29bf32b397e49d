import { UsageError } from '../failure.js';

/** The names of all views, for help, which does not load the views; a test compares both. */
export const projectionNames =
  'listeners, listener-history, sessions, integration-tasks, replays, api-keys, event-types, organisation-streams';

/** Throws `UsageError` for another name. */
export function projectionNamed(name: string): string {
  if (projectionNames.split(', ').includes(name)) return name;
  throw new UsageError(`there is no projection ${name}: there are ${projectionNames}`);
}
