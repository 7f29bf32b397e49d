import { TooManyRequests } from '../errors.js';

/** Runs the work of a request of this organisation; null: of a caller with every one. Throws `TooManyRequests`. */
type OrganisationShare = <Result>(orgId: string | null, work: () => Promise<Result>) => Promise<Result>;

/**
 * Limits the requests of each organisation that are in progress on this instance: the work of one customer must not take the place of
 * that of all others. A request whose caller has gone counts until its work has ended. `message`: of `TooManyRequests`.
 */
export function organisationShare(maxInProgress: number, message: string): OrganisationShare {
  const inProgress = new Map<string, number>();
  return async (orgId, work) => {
    if (orgId === null) return work();
    const others = inProgress.get(orgId) ?? 0;
    if (others >= maxInProgress) throw new TooManyRequests(message);
    inProgress.set(orgId, others + 1);
    try {
      return await work();
    } finally {
      const left = (inProgress.get(orgId) ?? 1) - 1;
      if (left === 0) inProgress.delete(orgId);
      else inProgress.set(orgId, left);
    }
  };
}
