import { z } from 'zod';
import { type EventTypeEntry, eventTypes } from '../../../projections/event-types.js';
import { printableText } from '../../kernel/input/printable-text.js';
import { pages } from '../../kernel/pages.js';
import type { FoundDocument, ReadModel } from '../../stores/read-model/read-model.js';

/**
 * True if a subscription type selects flow events of a type: this exact type, all types below a prefix (`flow.*` selects
 * `flow.completed` and `flow.a.b`, not `flow`), or all types (`*`, `flows`).
 */
export const matches = (subscriptionType: string, eventType: string): boolean =>
  subscriptionType === eventType || selectsAll(subscriptionType) || isBelow(subscriptionType, eventType);

export const namesOneType = (subscriptionType: string): boolean =>
  !selectsAll(subscriptionType) && !subscriptionType.endsWith('.*');

const selectsAll = (subscriptionType: string): boolean => subscriptionType === '*' || subscriptionType === 'flows';

const isBelow = (subscriptionType: string, eventType: string): boolean => {
  if (!subscriptionType.endsWith('.*')) return false;
  const prefix = subscriptionType.slice(0, -1);
  return eventType.length > prefix.length && eventType.startsWith(prefix);
};

/** A subscription type, as a platform shows it in a list to choose from. */
type SubscriptionTypeOption = {
  /** The value for `subscriptionType`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
};

/** Maximum number of types in an answer, and in a read of the view. */
const maxTypes = 1_000;

/** The query of subscription-types. Platforms send empty fields for those that a user has not filled in; others are ignored. */
export const subscriptionTypesQuery = z.object({
  search: printableText(256)
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
 * The subscription types to choose from, in the order of the IDs, of which `*` is the first: the allowed ones, if they are
 * configured; else all events, and each declared event type. Throws `StoreUnavailable` where the view has not been built.
 */
export async function subscriptionTypeOptions(
  readModel: Pick<ReadModel, 'find'>,
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
  readonly types: readonly SubscriptionTypeOption[];
  /** The query of the next page; undefined: this is the last one. */
  readonly next: URLSearchParams | undefined;
};

/** The page of the options that a query selects. */
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
