import { z } from 'zod';
import { exampleIds, exampleTimes, positionText } from './values.js';

export const listedFlowEventAnswer = z
  .strictObject({
    eventId: z
      .string()
      .describe('The ID that its producer and its receivers know; the one in the store if it is not known.'),
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    orgId: z.string(),
    type: z.string(),
    recordedAt: z.iso.datetime().nullable(),
    position: positionText,
  })
  .meta({ id: 'ListedFlowEvent', description: 'A flow event that the fan-out has processed.' });

export const flowEventAnswer = z
  .strictObject({
    eventId: z.string().describe('The ID that its producer and its receivers know.'),
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    orgId: z.string(),
    flowId: z.string(),
    type: z.string(),
    timestamp: z.string().describe('When it occurred, if the producer gave the time; else when it was recorded.'),
    recordedAt: z.string(),
    data: z.unknown(),
    stream: z.string(),
    revision: positionText,
    position: positionText,
    handedOver: z.boolean().describe('Whether the fan-out has processed it.'),
  })
  .meta({ id: 'FlowEvent', description: 'A flow event with its content.' });

export const listedFlowEventExample = {
  eventId: exampleIds.eventId,
  storeEventId: exampleIds.storeEventId,
  orgId: exampleIds.orgId,
  type: 'flow.completed',
  recordedAt: exampleTimes.at,
  position: '4711',
} as const;

export const flowEventExample = {
  ...listedFlowEventExample,
  flowId: exampleIds.eventId,
  timestamp: exampleTimes.at,
  data: { total: 42 },
  stream: 'flow-0d5b9fa6-7d54-5a24-a0c5-5b6e8c9f0a1b',
  revision: '0',
  handedOver: true,
} as const;
