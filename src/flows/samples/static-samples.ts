import { operationalTypes } from '../../events/operational-events.js';
import type { Json } from '../../stores/event-store/event-store.js';
import { type Payload, type PayloadSource, payloadOf } from '../flow-event.js';
import { matches, namesOneType } from '../types/subscription-types.js';

const operationalExamples = new Map<string, Json>(
  Object.entries(operationalTypes).map(([type, { example }]) => [type, example]),
);
const commonTypes = ['flow.started', 'flow.completed', 'flow.failed'];

/** Samples of each allowed subscription type that selects exactly one type; if none is configured, of common types. */
export function samplePayloads(subscriptionTypes: readonly string[] | undefined): Payload[] {
  const allowed = new Set(subscriptionTypes?.filter(namesOneType));
  return Array.from(allowed.size > 0 ? allowed : commonTypes, (type) => payloadOf(sampleOf(type)));
}

export function samplePayload(subscriptionType: string): PayloadSource {
  if (namesOneType(subscriptionType)) return sampleOf(subscriptionType);
  const known = [...commonTypes, ...Object.keys(operationalTypes)];
  const type = known.find((each) => matches(subscriptionType, each));
  return sampleOf(type ?? subscriptionType.replace(/\*$/, 'sample'));
}

const sampleOf = (type: string): PayloadSource => ({
  id: `sample-${type}`,
  type,
  timestamp: '2026-01-01T12:00:00.000Z',
  orgId: 'sample-organisation',
  flowId: 'sample-flow',
  data: operationalExamples.get(type) ?? {
    name: 'A sample flow',
    note: 'Real flow events hold what their producer put here.',
  },
});
