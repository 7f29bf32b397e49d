import { z } from 'zod';
import { uuidV5 } from '../../kernel/uuid-v5.js';
import { codecFor, defineEvent, type EventOf } from './codec.js';

/** A stream that is deleted once this has been said. Nothing in it tells anything of whom it was about. */
const erasedStream = z.object({
  stream: z.string(),
  /** Of its last event. */
  revision: z.string().regex(/^\d+$/),
  /** The registrations that a listener stream was about, so that views can forget them; of other streams none. */
  listenerIds: z.array(z.uuid()),
});

export type ErasedStream = z.output<typeof erasedStream>;

/** `organisation`: whoever knows the organisation can tell by `organisationMark` that it was this one, and nobody else. */
const mark = z.uuid();

/**
 * These streams go for good. It is said before they are deleted, so that what is gone can always be accounted for; whoever
 * has seen them forgets them by it, also where the store still shows their events.
 */
export const StreamsErased = defineEvent({
  category: 'service',
  type: 'StreamsErased',
  version: 1,
  schema: z.object({
    /** `organisation`: all of one organisation; `retention`: sessions that ended long ago. */
    why: z.enum(['organisation', 'retention']),
    organisation: mark.nullable(),
    streams: z.array(erasedStream),
  }),
});

/** An organisation's streams have all been deleted. Names of flow streams are their producers', so they are only counted. */
export const OrganisationErased = defineEvent({
  category: 'service',
  type: 'OrganisationErased',
  version: 1,
  schema: z.object({ organisation: mark, streams: z.int().nonnegative(), flowStreams: z.int().nonnegative() }),
});

const erasureEvents = [StreamsErased, OrganisationErased] as const;

export type ErasureEvent = EventOf<(typeof erasureEvents)[number]>;

export const erasureCodec = codecFor(erasureEvents);

export const erasuresStream = 'service-erasures';

/** Permanent: erasures that are on record are told by it. */
export const organisationMark = uuidV5('3d6e6a5c-7f0e-4b8e-9a55-2f4c1d0b8e63');
