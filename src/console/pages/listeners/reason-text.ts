import { reasonOf } from '../../../events/portal-events.js';

const reasons: ReadonlyMap<string, string> = new Map([
  ['operator', 'by an operator'],
  ['customer', 'by a customer'],
  ['failing', 'by the service, because every attempt had failed for too long'],
  ['requested', 'requested by the platform or the agent'],
  ['gone', 'the listener answered 410 (Gone)'],
  ['erased', 'erased with its organisation'],
  ['expired', 'its host did not renew it'],
  ['access-revoked', 'the access of its agent was revoked'],
  ['circuit-closed', 'earlier failures no longer delay its deliveries'],
]);

/** Words for the reason of a change of a listener. `actor`: who made the change; undefined: not known here. */
export function reasonText(reason: string, actor?: string | null): string {
  if (reason === 'operator' && actor === undefined) return 'by an operator or a customer';
  const of = reasonOf(reason, actor ?? null);
  return reasons.get(of) ?? of;
}
