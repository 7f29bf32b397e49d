import { randomUUID } from 'node:crypto';
import type { Cause } from './codec.js';

/** The context of a command that the service gives itself, now. */
export const causedByService = (): { readonly cause: Cause; readonly now: Date } => ({
  cause: { actor: 'service', correlationId: randomUUID() },
  now: new Date(),
});
