import type { Subscription } from '../events/listener-events.js';

/** Order and rate, which operators change, and organisations have defaults of; undefined ones stay unchanged. */
export type DeliveryOptions = Pick<Subscription, 'ordered' | 'ratePerSecond'>;

/** Fields of a subscription that are requested: without the others, those stay unchanged, or are the defaults. */
export type SubscriptionChange = { readonly [Name in keyof Subscription]?: Subscription[Name] | undefined };

/** Filter and transformation that a request leaves out are removed. */
export type RequestedSubscription = SubscriptionChange &
  Pick<Subscription, 'subscriptionType' | 'filter' | 'transform'>;

/** The subscription with the changes that are defined. */
export const changedSubscription = (subscription: Subscription, change: SubscriptionChange): Subscription => ({
  ...subscription,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});

/** The subscription of a new listener. */
export const newSubscription = (
  requested: RequestedSubscription,
  { ordered, ratePerSecond }: DeliveryOptions,
): Subscription =>
  changedSubscription({ ...requested, ordered, ratePerSecond, description: null, signedWithKeyPair: false }, requested);
