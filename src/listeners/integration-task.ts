import { type IntegrationTaskEvent, integrationTaskCodec } from '../events/integration-task-events.js';
import { DomainError } from '../kernel/domain-error.js';
import { defined } from '../kernel/input/defined.js';
import { uuidV5 } from '../kernel/uuid.js';
import { type Cause, causedByService } from '../stores/event-store/codec.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { type Decider, type Handled, handle, load } from '../stores/event-store/handle.js';

/** Allows new listeners of an organisation while it is active. `inactive`: registered only, or deactivated. */
export type IntegrationTask =
  | { state: 'missing' }
  | { state: 'inactive' | 'active'; orgId: string | null; name: string };

/** Neither the organisation nor the service has an integration task. */
export class IntegrationTaskMissing extends DomainError {
  readonly code = 'integration_task_missing';

  constructor(readonly orgId: string | null) {
    super(
      orgId === null
        ? 'no default integration task is registered'
        : 'no integration task is registered for this organisation',
    );
  }
}

/** The integration task that applies to the organisation allows no new listeners. */
export class IntegrationTaskInactive extends DomainError {
  readonly code = 'integration_task_inactive';

  constructor(readonly orgId: string | null) {
    super(
      orgId === null
        ? 'the default integration task is not active'
        : "this organisation's integration task is not active",
    );
  }
}

/** An operator's change of a task. `orgId` null: the service-wide default. `name` and `reason` are texts for operators. */
export type ChangeIntegrationTask = { orgId: string | null } & (
  | { change: 'register'; name?: string }
  | { change: 'activate' }
  | { change: 'deactivate'; reason?: string }
);

/**
 * Registers a task, inactive at first, activates it, or deactivates it: new listeners are then refused, deliveries to
 * existing ones continue. Throws `IntegrationTaskMissing` if a task to activate or to deactivate is not registered.
 */
export function decideIntegrationTask(command: ChangeIntegrationTask, task: IntegrationTask): IntegrationTaskEvent[] {
  const { orgId, change } = command;
  if (change === 'register') {
    if (task.state !== 'missing') return [];
    return [{ type: 'IntegrationTaskRegistered', data: { orgId, name: command.name ?? 'default' } }];
  }
  if (task.state === 'missing') throw new IntegrationTaskMissing(orgId);
  const data = { orgId, name: task.name };
  if (change === 'activate') return task.state === 'active' ? [] : [{ type: 'IntegrationTaskActivated', data }];
  const { reason } = command;
  if (task.state === 'inactive') return [];
  return [{ type: 'IntegrationTaskDeactivated', data: { ...data, ...defined({ reason }) } }];
}

export const integrationTaskDecider: Decider<IntegrationTask, IntegrationTaskEvent> = {
  codec: integrationTaskCodec,
  initialState: () => ({ state: 'missing' }),
  evolve: (_, { type, data: { orgId, name } }) => ({
    state: type === 'IntegrationTaskActivated' ? 'active' : 'inactive',
    orgId,
    name,
  }),
};

/** Permanent: stream names are derived with it. */
const idOf = uuidV5('469be47e-313d-4739-8dbb-77b65dd492ce');

/** The stream of an organisation's own task; null: the stream of the service-wide default. */
export const integrationTaskStream = (orgId: string | null): string =>
  `integrationTask-${orgId === null ? 'default' : idOf(orgId)}`;

/** Changes a task; repeating a change has no effect. Throws `IntegrationTaskMissing`, and the errors of `handle`. */
export const changeIntegrationTask = (
  store: EventStore,
  command: ChangeIntegrationTask,
  context: { cause: Cause; now: Date },
): Promise<Handled<IntegrationTask, IntegrationTaskEvent>> =>
  handle(
    store,
    integrationTaskStream(command.orgId),
    integrationTaskDecider,
    (task) => decideIntegrationTask(command, task),
    context,
  );

/** Registers and activates the service-wide default if it does not exist: development mode only. */
export async function ensureDefaultTask(store: EventStore): Promise<void> {
  const data = { orgId: null, name: 'default' };
  const registeredAndActive = (task: IntegrationTask): IntegrationTaskEvent[] =>
    task.state === 'missing'
      ? [
          { type: 'IntegrationTaskRegistered', data },
          { type: 'IntegrationTaskActivated', data },
        ]
      : [];
  await handle(store, integrationTaskStream(null), integrationTaskDecider, registeredAndActive, causedByService());
}

/** The task that applies to an organisation: its own if it has one, else the service-wide default (`orgId` null). */
export async function effectiveTask(store: EventStore, orgId: string | null): Promise<IntegrationTask> {
  const { state } = await load(store, integrationTaskStream(orgId), integrationTaskDecider);
  return state.state === 'missing' && orgId !== null ? effectiveTask(store, null) : state;
}

/** Throws `IntegrationTaskMissing` (for `orgId`) or `IntegrationTaskInactive` unless the task is active. */
export function requireActive(task: IntegrationTask, orgId: string | null): void {
  if (task.state === 'missing') throw new IntegrationTaskMissing(orgId);
  if (task.state === 'inactive') throw new IntegrationTaskInactive(task.orgId);
}

/** Throws unless the task that applies to this organisation is active. Errors as for `requireActive`. */
export async function requireActiveTask(store: EventStore, orgId: string | null): Promise<void> {
  requireActive(await effectiveTask(store, orgId), orgId);
}
