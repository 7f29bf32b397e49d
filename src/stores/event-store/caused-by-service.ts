import { randomUUID } from 'node:crypto';
import type { Cause } from './codec.js';

export const causedByService = (): { readonly cause: Cause; readonly now: Date } => ({
  cause: { actor: 'service', correlationId: randomUUID() },
  now: new Date(),
});
