import { z } from 'zod';
import { type EventTypeEntry, eventTypes } from '../../../projections/event-types.js';
import { operationalTypes } from '../../events/operational-events.js';
import { printableText, textForPeople } from '../../kernel/input/texts.js';
import { pages } from '../../kernel/pages.js';
import type { DocumentFinder, FoundDocument } from '../../views/read-model.js';

/**
 * Selections: an exact type, all below a prefix (`flow.*`: `flow.a` and `flow.a.b`, not `flow`), or all (`*`, `flows`).
 */
export const matches = (subscriptionType: string, eventType: string): boolean =>
  subscriptionType === eventType || selectsAll(subscriptionType) || isBelow(subscriptionType, eventType);

/** Operational events, which the service publishes, are selected by their type or a prefix of it only: never by `*` and `flows`. */
export const selectsEvent = (
  subscriptionType: string,
  { type, isOperational }: { type: string; isOperational?: boolean },
): boolean => matches(subscriptionType, type) && !(isOperational && selectsAll(subscriptionType));

/** True if a listener of this subscription type receives some operational events. */
export const selectsOperational = (subscriptionType: string): boolean =>
  Object.keys(operationalTypes).some((type) => selectsEvent(subscriptionType, { type, isOperational: true }));

export const namesOneType = (subscriptionType: string): boolean =>
  !selectsAll(subscriptionType) && !subscriptionType.endsWith('.*');

const selectsAll = (subscriptionType: string): boolean => subscriptionType === '*' || subscriptionType === 'flows';

const isBelow = (subscriptionType: string, eventType: string): boolean => {
  if (!subscriptionType.endsWith('.*')) return false;
  const prefix = subscriptionType.slice(0, -1);
  return eventType.length > prefix.length && eventType.startsWith(prefix);
};

type SubscriptionTypeOption = {
  id: string;
  name: string;
  description: string;
};

/** Limit of an answer, and of a read of the view. */
const maxTypes = 1_000;

/** Empty fields are those that a user of the platform has not filled in. */
export const subscriptionTypesQuery = z.object({
  search: textForPeople(256)
    .optional()
    .describe('Only types whose name or description contains this text, in letters of any case.'),
  after: printableText(256)
    .optional()
    .describe('The types behind this one: the `id` of the last one of the previous page.'),
  limit: z.coerce
    .number({ error: `must be a whole number from 1 to ${maxTypes}` })
    .pipe(z.int().min(1).max(maxTypes))
    .optional()
    .describe(`Maximum number of types, 1 to ${maxTypes}, the default.`),
});

const allEvents: SubscriptionTypeOption = { id: '*', name: 'All events', description: 'Every flow event.' };

/**
 * Options by ID, `*` first; the declared types unless some are configured. Throws `StoreUnavailable` where the view has
 * not been built.
 */
export async function subscriptionTypeOptions(
  readModel: DocumentFinder,
  allowed: readonly string[] | undefined,
): Promise<readonly SubscriptionTypeOption[]> {
  const where = { state: 'declared' };
  const read = pages(
    maxTypes,
    (page) => readModel.find(eventTypes, { where, ...page }),
    ({ key }: FoundDocument) => key,
  );
  const declared = new Map<string, SubscriptionTypeOption>([[allEvents.id, allEvents]]);
  for await (const page of read)
    for (const { document } of page) {
      const { name, description } = document as EventTypeEntry; // the projection wrote it
      declared.set(name, { id: name, name, description });
    }
  if (allowed === undefined) return [...declared.values()];
  const ids = [...new Set(allowed)].sort();
  return ids.map((id) => declared.get(id) ?? { id, name: id, description: '' });
}

type SubscriptionTypesPage = {
  types: readonly SubscriptionTypeOption[];
  /** Undefined: last page. */
  next: URLSearchParams | undefined;
};

export function pageOfOptions(
  options: readonly SubscriptionTypeOption[],
  { search, after, limit = maxTypes }: z.output<typeof subscriptionTypesQuery>,
): SubscriptionTypesPage {
  const sought = search?.toLowerCase();
  const selected = options.filter(
    ({ id, name, description }) =>
      (after === undefined || id > after) &&
      (sought === undefined || `${name}\n${description}`.toLowerCase().includes(sought)),
  );
  const types = selected.slice(0, limit);
  const last = types.at(-1);
  if (last === undefined || selected.length === types.length) return { types, next: undefined };
  return { types, next: new URLSearchParams({ after: last.id, limit: `${limit}`, ...(search && { search }) }) };
}
