/** As help shows them, which does without the views themselves; a test compares them with those. */
export const projectionNames =
  'listeners, registration-history, sessions, integration-tasks, replays, organisation-streams';
