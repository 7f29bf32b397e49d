import { z } from 'zod';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { changed } from './values.js';

const eventType = {
  name: z.string(),
  state: z.enum(['declared', 'retired']),
  version: z.int().positive().describe('Raised by each change.'),
  description: z.string(),
  schema: jsonValue.describe('JSON Schema (draft 2020-12) of the data; null: any data.'),
  example: jsonValue.describe('An example of the data; null: none.'),
};

export const eventTypeAnswer = z
  .strictObject(eventType)
  .meta({ id: 'EventType', description: 'A declared type of flow events.' });

export const changedEventTypeAnswer = z.strictObject({ ...eventType, changed }).meta({ id: 'ChangedEventType' });

export const eventTypeExample = {
  name: 'order.paid',
  state: 'declared',
  version: 1,
  description: 'An order was paid',
  schema: { type: 'object', required: ['total'], properties: { total: { type: 'number' } } },
  example: { total: 42 },
} as const;
