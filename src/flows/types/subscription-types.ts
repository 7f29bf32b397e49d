import type { ReadModel } from '../../stores/read-model/read-model.js';
import { listEventTypes } from './operate-event-types.js';

/** A subscription type, as a platform shows it in a list to choose from. */
export type SubscriptionTypeOption = {
  /** The value for `subscriptionType`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
};

/** Maximum number of types in the catalogue: more are of no use in a list to choose from. */
const maxTypes = 1_000;

const allEvents: SubscriptionTypeOption = { id: '*', name: 'All events', description: 'Every flow event.' };

/**
 * What a hook may subscribe to: the allowed subscription types, if they are configured; else all events, and each declared event
 * type. Throws `StoreUnavailable` where the view has not been built.
 */
export async function subscriptionTypeOptions(
  readModel: Pick<ReadModel, 'find'>,
  allowed: readonly string[] | undefined,
): Promise<readonly SubscriptionTypeOption[]> {
  const { items } = await listEventTypes(readModel, { limit: maxTypes });
  const declared = items.map(({ name, description }) => ({ id: name, name, description }));
  if (allowed === undefined) return [allEvents, ...declared];
  return allowed.map((id) => declared.find((each) => each.id === id) ?? { id, name: id, description: '' });
}
