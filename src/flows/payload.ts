import type { z } from 'zod';
import type { payload } from './contract.js';
import type { FlowEvent } from './flow-event.js';
import { matches, namesOneType } from './types/subscription-types.js';

export type Payload = z.output<typeof payload>;

export type PayloadSource = Omit<FlowEvent, 'eventId' | 'recordedAt' | 'traceparent'>;

export const payloadOf = ({ id, type, timestamp, orgId, flowId, data }: PayloadSource): Payload => ({
  id,
  type,
  timestamp,
  orgId,
  flowId,
  data,
});

/** Serialised once, so that every listener and attempt gets the same bytes. */
export const serialisePayload = (event: PayloadSource): string => JSON.stringify(payloadOf(event));

const commonTypes = ['flow.started', 'flow.completed', 'flow.failed'];

/** Samples of each allowed subscription type that selects exactly one type; if none is configured, of common types. */
export function samplePayloads(subscriptionTypes: readonly string[] | undefined): Payload[] {
  const allowed = new Set(subscriptionTypes?.filter(namesOneType));
  return Array.from(allowed.size > 0 ? allowed : commonTypes, (type) => payloadOf(sampleOf(type)));
}

export function samplePayload(subscriptionType: string): PayloadSource {
  if (namesOneType(subscriptionType)) return sampleOf(subscriptionType);
  const type = commonTypes.find((each) => matches(subscriptionType, each));
  return sampleOf(type ?? subscriptionType.replace(/\*$/, 'sample'));
}

const sampleOf = (type: string): PayloadSource => ({
  id: `sample-${type}`,
  type,
  timestamp: '2026-01-01T12:00:00.000Z',
  orgId: 'sample-organisation',
  flowId: 'sample-flow',
  data: { name: 'A sample flow', note: 'Real flow events hold what their producer put here.' },
});
