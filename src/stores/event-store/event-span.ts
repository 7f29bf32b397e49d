import type { Attributes } from '@opentelemetry/api';
import { validTraceparent } from '../../kernel/tracing/traceparent.js';
import { categoryOf, type NewEvent } from './event-store.js';

export const traceparentIn = (metadata: unknown): string | undefined =>
  validTraceparent((metadata as { traceparent?: unknown } | undefined)?.traceparent);

/** OpenTelemetry's conventions for messaging: a category is a destination, an event a message. */
export const eventAttributes = (
  operation: { name: string; type: 'send' | 'process' },
  stream: string,
  { id, type }: Pick<NewEvent, 'id' | 'type'>,
): Attributes => ({
  'messaging.system': 'flow_hooks',
  'messaging.operation.name': operation.name,
  'messaging.operation.type': operation.type,
  'messaging.destination.name': categoryOf(stream),
  'messaging.message.id': id,
  'flow_hooks.event.type': type,
  'flow_hooks.stream': stream,
});
