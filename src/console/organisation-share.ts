import { TooManyRequests } from '../http/errors.js';

/** Runs the work of a request of this organisation; null: of a caller with every one. Throws `TooManyRequests`. */
export type OrganisationShare = <Result>(orgId: string | null, work: () => Promise<Result>) => Promise<Result>;

/** Of one organisation on this instance. */
const maxInProgress = 20;

/**
 * Limits the requests of each organisation that are in progress: the searches of one customer must not take the slots of all other
 * requests of the service. A request whose caller has gone counts until its work has ended.
 */
export function organisationShare(): OrganisationShare {
  const inProgress = new Map<string, number>();
  return async (orgId, work) => {
    if (orgId === null) return work();
    const others = inProgress.get(orgId) ?? 0;
    if (others >= maxInProgress)
      throw new TooManyRequests('too many pages are being opened at once; try again shortly');
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
