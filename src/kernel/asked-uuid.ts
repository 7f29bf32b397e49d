import { z } from 'zod';

/** A UUID that somebody asks for as we keep ours: in lower case, while input may be in either (RFC 9562 §4). */
export const keptUuid = (text: string): string => text.toLowerCase();

/** In a request: given as we keep it. `error` says what it must be. */
export const askedUuid = (error: string) => z.uuid({ error }).transform(keptUuid);

export const askedListenerId = askedUuid('must be the ID of a listener');
