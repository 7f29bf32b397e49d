import { TooManyRequests } from '../errors.js';

/** Runs the work of a request of this organisation; null: of a caller with every one. Throws `TooManyRequests`. */
type OrganisationShare = <Result>(orgId: string | null, work: () => Promise<Result>) => Promise<Result>;

type Share = {
  inProgress: number;
  /** Requests in the order of their arrival. */
  waiting: (() => void)[];
};

/**
 * Limits the requests of each organisation, or of each caller by another name, that are in progress on this instance: the work of one
 * customer must not take the place of that of all others. Up to `maxWaiting` more wait for the end of others. A request whose caller has
 * gone counts until its work has ended. `message`: of `TooManyRequests`. `rest`: waits after the work, before another begins in its place.
 */
export function organisationShare(
  maxInProgress: number,
  message: string,
  { maxWaiting = 0, rest }: { maxWaiting?: number; rest?: (workedMs: number) => Promise<unknown> | undefined } = {},
): OrganisationShare {
  const shares = new Map<string, Share>();
  return async (orgId, work) => {
    if (orgId === null) return work();
    const share = shares.get(orgId) ?? { inProgress: 0, waiting: [] };
    shares.set(orgId, share);
    if (share.inProgress < maxInProgress) share.inProgress += 1;
    else if (share.waiting.length >= maxWaiting) throw new TooManyRequests(message);
    else await new Promise<void>((begin) => share.waiting.push(begin));
    const end = () => {
      const next = share.waiting.shift();
      if (next) next();
      else share.inProgress -= 1;
      if (share.inProgress === 0) shares.delete(orgId);
    };
    const began = performance.now();
    try {
      return await work();
    } finally {
      const resting = rest?.(performance.now() - began);
      if (resting) void resting.then(end);
      else end();
    }
  };
}
