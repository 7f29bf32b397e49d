/**
 * Whether a subscription type selects flow events of a type: this exact type, all types below a prefix (`flow.*` selects
 * `flow.completed` and `flow.a.b`, not `flow`), or all types (`*`, `flows`).
 */
export const matches = (subscriptionType: string, eventType: string): boolean =>
  subscriptionType === eventType || selectsAll(subscriptionType) || isBelow(subscriptionType, eventType);

/** Whether a subscription type selects exactly one flow event type. */
export const namesOneType = (subscriptionType: string): boolean =>
  !selectsAll(subscriptionType) && !subscriptionType.endsWith('.*');

const selectsAll = (subscriptionType: string): boolean => subscriptionType === '*' || subscriptionType === 'flows';

const isBelow = (subscriptionType: string, eventType: string): boolean => {
  if (!subscriptionType.endsWith('.*')) return false;
  const prefix = subscriptionType.slice(0, -1);
  return eventType.length > prefix.length && eventType.startsWith(prefix);
};
