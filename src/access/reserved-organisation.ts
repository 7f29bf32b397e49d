import { operationsOrganisation } from '../events/operational-events.js';
import { Forbidden } from '../http/errors.js';

/** The organisation whose flow events are about all others: for admin keys and the service itself. */
export const isReserved = (orgId: string | null | undefined): boolean => orgId === operationsOrganisation;

/** Throws `Forbidden` for the reserved organisation. */
export function notReserved<OrgId extends string | null | undefined>(orgId: OrgId): OrgId {
  if (isReserved(orgId)) throw new Forbidden(`the organisation ${orgId} is reserved for operators`);
  return orgId;
}
