import type { Projection } from '../src/views/projection.js';
import { apiKeys } from './api-keys.js';
import { eventTypes } from './event-types.js';
import { integrationTasks } from './integration-tasks.js';
import { listenerHistory } from './listener-history.js';
import { listenersView } from './listeners.js';
import { organisationStreams } from './organisation-streams.js';
import { replays } from './replays.js';
import { sessions } from './sessions.js';

export const projections: readonly Projection[] = [
  listenersView,
  listenerHistory,
  sessions,
  integrationTasks,
  replays,
  apiKeys,
  eventTypes,
  organisationStreams,
];
