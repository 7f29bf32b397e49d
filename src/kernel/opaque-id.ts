import { z } from 'zod';

/** IDs that others give us (organisations, users, flow events, flows) mean nothing to us: 1 to 256 printable characters. */
export const opaqueId = z
  .string({ error: 'must be a string' })
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u, { error: 'must be 1 to 256 printable characters' });
