import { z } from 'zod';
import { setting } from '../kernel/settings/setting.js';
import { integer, list, orOff } from '../kernel/settings/texts.js';

export const quota = orOff('a whole number from 1 to 1000000', integer(1, 1_000_000));

/** The subscription types that are allowed; undefined: any. */
export const subscriptionTypes = setting(
  'SUBSCRIPTION_TYPES',
  list(z.string().min(1, 'must be types separated by commas, none of them empty')).optional(),
);

export const listenerSettings = z.object({
  subscriptionTypes,
  /** Maximum number of listeners of an organisation; undefined: any. */
  maxListeners: setting('MAX_LISTENERS', quota.prefault('10000'), {
    inDevelopment: 'off',
    voids: (max) => max === undefined && 'an organisation may register any number of listeners',
  }),
});

export type ListenerSettings = z.output<typeof listenerSettings>;
