import { z } from 'zod';

// Values that answers of several subjects have. A schema with an `id` becomes a component of the API description.

export const time = z.iso.datetime();
export const timeOrNull = time.nullable();

/** Positions and revisions are texts: they may be larger than what a JSON number holds exactly. */
export const positionText = z.string().regex(/^\d+$/);

/** Types of the events that a command has appended; none where it changed nothing. */
export const changed = z
  .array(z.string())
  .describe('The types of the events that the command appended; empty if it changed nothing.');

/** Instants of the examples. */
export const exampleTimes = {
  before: '2026-01-31T11:00:00.000Z',
  at: '2026-01-31T12:00:00.000Z',
  after: '2026-01-31T12:00:02.000Z',
} as const;

/** IDs of the examples. */
export const exampleIds = {
  orgId: 'acme',
  listenerId: '0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11',
  deliveryId: '6f0c2f3e-5b1a-5c8d-8a51-7d9a4e1b2c3d',
  eventId: 'order-4711',
  storeEventId: 'f3b1c6de-0a52-5f0e-9d3c-2b7a8e9f0a1b',
  replayId: '9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c',
} as const;
