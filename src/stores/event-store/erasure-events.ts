import { z } from 'zod';
import { uuidV5 } from '../../kernel/uuid.js';
import { codecFor, defineEvent, type EventOf } from './codec.js';

/** Holds no data of the person or organisation. */
const erasedStream = z.object({
  stream: z.string(),
  revision: z.string().regex(/^\d+$/),
  /** Listeners that views forget; empty for other streams. */
  listenerIds: z.array(z.uuid()),
});

export type ErasedStream = z.output<typeof erasedStream>;

/** Confirms a known organisation, but does not reveal an unknown one. */
const mark = z.uuid();

/**
 * Recorded before the streams are deleted permanently, so that each deletion can be accounted for. Readers remove their
 * data on this event, while the store may still return the events.
 */
export const StreamsErased = defineEvent({
  category: 'service',
  type: 'StreamsErased',
  version: 1,
  schema: z.object({
    /** `retention`: sessions that ended long ago. */
    why: z.enum(['organisation', 'retention']),
    organisation: mark.nullable(),
    streams: z.array(erasedStream),
  }),
});

/** Flow streams are only counted: producers choose their names. */
const OrganisationErased = defineEvent({
  category: 'service',
  type: 'OrganisationErased',
  version: 1,
  schema: z.object({
    organisation: mark,
    streams: z.int().nonnegative(),
    flowStreams: z.int().nonnegative(),
    /** Flow streams of other organisations, or of none, with events that name this one. */
    keptFlowStreams: z.int().nonnegative().optional(),
  }),
});

const erasureEvents = [StreamsErased, OrganisationErased] as const;

export type ErasureEvent = EventOf<(typeof erasureEvents)[number]>;

export const erasureCodec = codecFor(erasureEvents);

export const erasuresStream = 'service-erasures';

/** Never change it: recorded erasures are found by this ID. */
export const organisationMark = uuidV5('3d6e6a5c-7f0e-4b8e-9a55-2f4c1d0b8e63');
