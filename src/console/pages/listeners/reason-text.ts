const reasons: ReadonlyMap<string, string> = new Map([
  ['operator', 'by an operator'],
  ['failing', 'by the service, because every attempt had failed for too long'],
  ['requested', 'requested by the platform'],
  ['gone', 'the listener answered 410 (Gone)'],
  ['erased', 'erased with its organisation'],
  ['expired', 'its agent did not renew it'],
  ['access-revoked', 'the access of its agent was revoked'],
  ['circuit-closed', 'earlier failures no longer delay its deliveries'],
]);

/** Words for the reason of a change of a listener. */
export const reasonText = (reason: string): string => reasons.get(reason) ?? reason;
