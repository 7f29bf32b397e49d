import { z } from 'zod';

/** Any JSON. Described as `{}`: generators of clients fail on the recursive `anyOf` of `z.json()`. */
export const jsonValue = z.custom<z.core.util.JSONType>((value) => value !== undefined, { error: 'must be any JSON' });
