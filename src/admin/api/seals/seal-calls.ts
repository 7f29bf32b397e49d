import type { Readable } from 'node:stream';
import type { CheckOptions, SealCheck, SealDocument, Seals } from '../../audit/seals/seals.js';
import type { AdminAccess } from '../routing/admin-route.js';
import { type Caller, requireAccess } from '../routing/caller.js';

/** Each reads the whole history: more than a viewer should cause. */
export const sealAccess: AdminAccess = { role: 'operator', organisation: 'service' };

/** Making and checking seals for a caller. Both also reject with `Forbidden`. */
export type SealCalls = {
  readonly make: (caller: Caller, signal: AbortSignal) => Promise<SealDocument>;
  readonly check: (caller: Caller, content: Readable, options: CheckOptions) => Promise<SealCheck>;
};

/** Apart from the other routes: a seal is a file that may be larger than a JSON body, and is streamed. */
export const sealCalls = (seals: Seals): SealCalls => ({
  async make(caller, signal) {
    requireAccess(caller, sealAccess);
    return seals.make(signal);
  },
  async check(caller, content, options) {
    requireAccess(caller, sealAccess);
    return seals.check(content, options);
  },
});

/** The name of the file, after the time of the seal. */
export const sealFileName = ({ statement }: Pick<SealDocument, 'statement'>): string =>
  `flow-hooks-${statement.sealedAt.replaceAll(/[:.]/g, '-')}.seal`;
