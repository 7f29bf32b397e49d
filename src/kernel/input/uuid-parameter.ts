import { z } from 'zod';

/** Lower case; input may be in either (RFC 9562 §4). */
export const canonicalUuid = (text: string): string => text.toLowerCase();

export const uuidParameter = (error: string) => z.uuid({ error }).transform(canonicalUuid);

export const listenerIdParameter = uuidParameter('must be the ID of a listener');
