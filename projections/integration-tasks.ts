import {
  IntegrationTaskActivated,
  IntegrationTaskDeactivated,
  IntegrationTaskRegistered,
} from '../src/events/integration-task-events.js';
import { projection, put, remove } from '../src/stores/read-model/projection.js';

/** An organisation's integration task, or the service-wide default. */
export type IntegrationTaskEntry = {
  /** Null: the default, for organisations without a task of their own. */
  readonly orgId: string | null;
  readonly name: string;
  readonly state: 'registered' | 'active' | 'inactive';
  /** ISO 8601: since when it has been in this state. */
  readonly since: string;
  /** Why it was deactivated, if a reason was given. */
  readonly reason: string | null;
};

type TaskEvent = {
  readonly stream: string;
  readonly data: Pick<IntegrationTaskEntry, 'orgId' | 'name'>;
  readonly recordedAt: string;
};

/** The document's key is its stream. */
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
  forget: (streams) => streams.map(({ stream }) => remove(stream)),
  on: {
    IntegrationTaskRegistered: (event) => entry(event, 'registered'),
    IntegrationTaskActivated: (event) => entry(event, 'active'),
    IntegrationTaskDeactivated: (event) => entry(event, 'inactive', event.data.reason),
  },
});
