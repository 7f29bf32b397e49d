import { z } from 'zod';
import { exampleIds, exampleTimes, positionText } from './values.js';

/** -1 in an empty store. */
const end = z.string().regex(/^(-1|\d+)$/);

const rebuild = z
  .strictObject({
    build: z.string().nullable(),
    holder: z
      .strictObject({ host: z.string(), pid: z.int(), since: z.string() })
      .nullable()
      .describe('The process that works on it; null: it was left unfinished, and the next rebuild continues it.'),
    cancelled: z.boolean(),
    progress: z
      .strictObject({
        phase: z
          .enum(['loading', 'indexing', 'catching up', 'verifying', 'done', 'folding', 'comparing'])
          .describe('`folding` and `comparing` are the phases of a verification, which changes no view.'),
        events: z.number(),
        perSecond: z.number(),
        position: end,
        head: end,
      })
      .nullable(),
  })
  .meta({
    id: 'Rebuild',
    description: 'A rebuild or a verification that is under way, or a rebuild that was left unfinished.',
  });

export const viewAnswer = z
  .strictObject({
    name: z.string(),
    version: z.int(),
    build: z.string().nullable().describe('The live build; null: the view has not been built yet.'),
    position: end.nullable().describe('Everything up to here is in the view.'),
    head: end.describe('The end of the event store.'),
    lag: z
      .strictObject({
        events: z.int(),
        orMore: z.boolean().describe('Whether there may be more: they are counted up to a limit.'),
        seconds: z.number().describe('Age of the first event that the view does not have.'),
      })
      .nullable(),
    setAside: z
      .strictObject({ as: z.string(), since: z.string() })
      .nullable()
      .describe('The damaged build that was set aside, while there is no other.'),
    error: z
      .strictObject({ message: z.string(), position: end.nullable(), since: z.string() })
      .nullable()
      .describe('The error that has stopped the view.'),
    rebuild: rebuild.nullable(),
    caughtUp: z.boolean(),
    eventsPerSecond: z.number().nullable().describe('Null on an instance that does not project this view.'),
    holder: z.string().nullable().describe('The instance that projects this view.'),
    rebuildFailure: z.string().nullable().describe('The error that ended the last rebuild started by this instance.'),
  })
  .meta({ id: 'View', description: 'The progress of a view.' });

export const cancelledRebuildAnswer = z
  .strictObject({
    name: z.string(),
    cancelled: z
      .enum(['asked', 'dropped', 'none'])
      .describe('`asked`: it stops within moments; `dropped`: it was unfinished, and is gone; `none`: there was none.'),
  })
  .meta({ id: 'CancelledRebuild' });

export const skippedEventAnswer = z
  .strictObject({
    projection: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    stream: z.string(),
    revision: positionText,
    position: positionText,
    why: z.string(),
  })
  .meta({ id: 'SkippedEvent', description: 'An event that a view leaves out.' });

export const viewExample = {
  name: 'listeners',
  version: 2,
  build: 'listeners.v2.1',
  position: '4712',
  head: '4712',
  lag: { events: 0, orMore: false, seconds: 0 },
  setAside: null,
  error: null,
  rebuild: null,
  caughtUp: true,
  eventsPerSecond: 0,
  holder: null,
  rebuildFailure: null,
} as const;

export const rebuildExample = {
  build: 'listeners.v2.2',
  holder: { host: 'api-1', pid: 4711, since: exampleTimes.at },
  cancelled: false,
  progress: { phase: 'loading', events: 1_000, perSecond: 5_000, position: '1200', head: '4712' },
} as const;

export const skippedEventExample = {
  projection: 'listeners',
  eventId: exampleIds.storeEventId,
  eventType: 'ListenerSubscribed',
  stream: 'listener-2d5f0b1e',
  revision: '0',
  position: '4711',
  why: 'it was written by a faulty release',
} as const;
