import { z } from 'zod';

/** IDs from other systems (organisations, users, flow events, flows) are opaque: 1 to 256 printable characters. */
export const opaqueId = z
  .string({ error: 'must be a string' })
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u, { error: 'must be 1 to 256 printable characters' });
