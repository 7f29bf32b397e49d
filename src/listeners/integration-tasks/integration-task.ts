import { type IntegrationTaskEvent, integrationTaskCodec } from '../../events/integration-task-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { Decider, Evolvable } from '../../stores/event-store/handle.js';

/** Allows new listeners of an organisation while it is active. `inactive`: registered only, or deactivated. */
export type IntegrationTask =
  | { readonly state: 'missing' }
  | { readonly state: 'inactive' | 'active'; readonly orgId: string | null; readonly name: string };

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

const initialState = (): IntegrationTask => ({ state: 'missing' });

const evolve = (
  _: IntegrationTask,
  { type, data: { orgId, name } }: Evolvable<IntegrationTaskEvent>,
): IntegrationTask => ({
  state: type === 'IntegrationTaskActivated' ? 'active' : 'inactive',
  orgId,
  name,
});

export const integrationTaskDecider: Decider<IntegrationTask, IntegrationTaskEvent> = {
  codec: integrationTaskCodec,
  initialState,
  evolve,
};

/** Permanent: stream names are derived with it. */
const idOf = uuidV5('469be47e-313d-4739-8dbb-77b65dd492ce');

/** The stream of an organisation's own task; null: the stream of the service-wide default. */
export const integrationTaskStream = (orgId: string | null): string =>
  `integrationTask-${orgId === null ? 'default' : idOf(orgId)}`;
