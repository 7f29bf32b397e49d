import { z } from 'zod';

/** A UUID that somebody asks for as we keep ours: in lower case, while input may be in either (RFC 9562 §4). */
export const canonicalUuid = (text: string): string => text.toLowerCase();

/** In a request: given as we keep it. `error` says what it must be. */
export const uuidParameter = (error: string) => z.uuid({ error }).transform(canonicalUuid);

export const listenerIdParameter = uuidParameter('must be the ID of a listener');
