import { z } from 'zod';
import type { AnswerOf, ExampleParts } from '../../../http/route-contract.js';
import type { BoundedPage } from '../../../kernel/bounded-page.js';
import { maxPosition, parsePosition } from '../../../kernel/input/parse-input.js';
import { canonicalUuid, opaqueId } from '../../../kernel/input/texts.js';

export const orgIdField = opaqueId.meta({ description: 'The ID of an organisation.', examples: ['acme'] });

/** Accepts any text: one that is no UUID is the ID of no listener. */
export const listenerIdInPath = z
  .string()
  .transform(canonicalUuid)
  .meta({ description: 'The ID of a listener.', examples: ['0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11'] });

type List<Item> = { items: readonly Item[]; next: string | null };

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    next: z.string().nullable().describe('The `after` of the next page; null on the last page.'),
  });

/** `example`: of an item. */
export const listAnswer = <Item extends z.ZodType>(item: Item, example?: ExampleParts<AnswerOf<Item>>) => ({
  schema: listOf(item),
  ...(example !== undefined && { example: { items: [example] } }),
});

const maxPage = 1_000;
const aWholeNumber = { error: `must be a whole number from 1 to ${maxPage}` };

export const limitParameter = z
  .string(aWholeNumber)
  .regex(/^\d{1,4}$/, aWholeNumber)
  .transform(Number)
  .pipe(z.int(aWholeNumber).min(1, aWholeNumber).max(maxPage, aWholeNumber))
  .default(100)
  .meta({ description: 'Maximum number of items in the page.' });

export const afterParameter = z.string().max(256).optional().meta({ description: 'The `next` of the previous page.' });

const aRevision = { error: `must be a whole number from 0 to ${maxPosition}` };

const isPosition = (text: string): boolean => parsePosition(text) !== undefined;

const positionInput = z.string(aRevision).refine(isPosition, aRevision);

export const positionParameter = positionInput.transform(BigInt);

/** A JSON number, or text as in answers. */
export const position = z.union([z.int(aRevision).nonnegative(aRevision), positionInput], aRevision).transform(BigInt);

export const listOfPage = <Item>({ items, next }: BoundedPage<Item, string | bigint>): List<Item> => ({
  items,
  next: next?.toString() ?? null,
});

// A schema with an `id` becomes a component of the API description.

export const time = z.iso.datetime();
export const timeOrNull = time.nullable();

/** Text, because a JSON number may not hold it exactly. */
export const positionText = z.string().regex(/^\d+$/);

export const changed = z
  .array(z.string())
  .describe('The types of the events that the command appended; empty if it changed nothing.');

export const exampleTimes = {
  before: '2026-01-31T11:00:00.000Z',
  at: '2026-01-31T12:00:00.000Z',
  after: '2026-01-31T12:00:02.000Z',
} as const;

export const exampleIds = {
  orgId: 'acme',
  listenerId: '0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11',
  deliveryId: '6f0c2f3e-5b1a-5c8d-8a51-7d9a4e1b2c3d',
  eventId: 'order-4711',
  storeEventId: 'f3b1c6de-0a52-5f0e-9d3c-2b7a8e9f0a1b',
  replayId: '9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c',
} as const;
