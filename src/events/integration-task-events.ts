import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

const task = {
  /** Null: the service-wide default. */
  orgId: z.string().nullable(),
  name: z.string(),
};

const taskEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'integrationTask', type, version: 1, schema: z.object({ ...task, ...shape }) });

export const IntegrationTaskRegistered = taskEvent('IntegrationTaskRegistered', {});
export const IntegrationTaskActivated = taskEvent('IntegrationTaskActivated', {});
export const IntegrationTaskDeactivated = taskEvent('IntegrationTaskDeactivated', { reason: z.string().optional() });

const integrationTaskEvents = [
  IntegrationTaskRegistered,
  IntegrationTaskActivated,
  IntegrationTaskDeactivated,
] as const;

export type IntegrationTaskEvent = EventOf<(typeof integrationTaskEvents)[number]>;

export const integrationTaskCodec = codecFor(integrationTaskEvents);
