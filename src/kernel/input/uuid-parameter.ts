import { z } from 'zod';

/** A UUID in its canonical form, lower case; input may be in either (RFC 9562 §4). */
export const canonicalUuid = (text: string): string => text.toLowerCase();

/** A UUID parameter of a request, in canonical form. `error` says what it must be. */
export const uuidParameter = (error: string) => z.uuid({ error }).transform(canonicalUuid);

export const listenerIdParameter = uuidParameter('must be the ID of a listener');
