import {
  IntegrationTaskActivated,
  IntegrationTaskDeactivated,
  IntegrationTaskRegistered,
} from '../src/events/integration-task-events.js';
import { projection, put, remove } from '../src/views/projection.js';

export type IntegrationTaskEntry = {
  /** Null: the default, for organisations without their own task. */
  orgId: string | null;
  name: string;
  state: 'registered' | 'active' | 'inactive';
  /** ISO 8601; start of this state. */
  since: string;
  reason: string | null;
};

type TaskEvent = {
  stream: string;
  data: Pick<IntegrationTaskEntry, 'orgId' | 'name'>;
  recordedAt: string;
};

function entry(
  { stream, data: { orgId, name }, recordedAt }: TaskEvent,
  state: IntegrationTaskEntry['state'],
  reason: string | null = null,
) {
  const document: IntegrationTaskEntry = { orgId, name, state, since: recordedAt, reason };
  return put(stream, document);
}

export const integrationTasks = projection({
  name: 'integration-tasks',
  version: 1,
  category: 'integrationTask',
  indexes: [['state']],
  events: [IntegrationTaskRegistered, IntegrationTaskActivated, IntegrationTaskDeactivated],
  forget: ({ streams }) => streams.map(remove),
  on: {
    IntegrationTaskRegistered: (event) => entry(event, 'registered'),
    IntegrationTaskActivated: (event) => entry(event, 'active'),
    IntegrationTaskDeactivated: (event) => entry(event, 'inactive', event.data.reason),
  },
});
