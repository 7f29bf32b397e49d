import { z } from 'zod';

/**
 * A value that was parsed from JSON; undefined is none. Described as `{}`: generators of clients fail on the recursive `anyOf` of
 * `z.json()`.
 */
export const jsonValue = z.custom<z.core.util.JSONType>((value) => value !== undefined, { error: 'must be any JSON' });
