import {
  IntegrationTaskActivated,
  IntegrationTaskDeactivated,
  IntegrationTaskRegistered,
} from '../src/integration-tasks/events.js';
import { projection, put } from './projection.js';

/** An organisation's integration task, or the service-wide default. */
export type IntegrationTaskEntry = {
  /** Null: the default, which holds where an organisation has none of its own. */
  readonly orgId: string | null;
  readonly name: string;
  readonly state: 'registered' | 'active' | 'inactive';
  /** ISO 8601: since when it has been in this state. */
  readonly since: string;
  /** Why it was deactivated, where somebody said so. */
  readonly reason: string | null;
};

/** The key of a task. An organisation may well be called `default`: its key is another one. */
export const integrationTaskKey = (orgId: string | null): string =>
  orgId === null ? 'default' : `organisation/${orgId}`;

type Happened = { readonly data: Pick<IntegrationTaskEntry, 'orgId' | 'name'>; readonly recordedAt: string };

function entry(
  { data: { orgId, name }, recordedAt }: Happened,
  state: IntegrationTaskEntry['state'],
  reason: string | null = null,
) {
  const document: IntegrationTaskEntry = { orgId, name, state, since: recordedAt, reason };
  return put(integrationTaskKey(orgId), document);
}

export const integrationTasks = projection({
  name: 'integration-tasks',
  version: 1,
  category: 'integrationTask',
  indexes: [['state']],
  events: [IntegrationTaskRegistered, IntegrationTaskActivated, IntegrationTaskDeactivated],
  on: {
    IntegrationTaskRegistered: (event) => entry(event, 'registered'),
    IntegrationTaskActivated: (event) => entry(event, 'active'),
    IntegrationTaskDeactivated: (event) => entry(event, 'inactive', event.data.reason),
  },
});
