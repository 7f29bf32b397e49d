/** The names of all views, for help, which does not load the views; a test compares both. */
export const projectionNames =
  'listeners, listener-history, sessions, integration-tasks, replays, api-keys, event-types, organisation-streams';
