/**
 * Whether a subscription of this type gets flow events of that type: exactly that type, all below a prefix (`flow.*` gets
 * `flow.completed` and `flow.a.b`, not `flow`), or all (`*`, `flows`).
 */
export const matches = (subscriptionType: string, eventType: string): boolean =>
  subscriptionType === eventType || selectsAll(subscriptionType) || isBelow(subscriptionType, eventType);

/** Whether it selects just the one flow event type that it names. */
export const namesOneType = (subscriptionType: string): boolean =>
  !selectsAll(subscriptionType) && !subscriptionType.endsWith('.*');

const selectsAll = (subscriptionType: string): boolean => subscriptionType === '*' || subscriptionType === 'flows';

const isBelow = (subscriptionType: string, eventType: string): boolean => {
  if (!subscriptionType.endsWith('.*')) return false;
  const prefix = subscriptionType.slice(0, -1);
  return eventType.length > prefix.length && eventType.startsWith(prefix);
};
