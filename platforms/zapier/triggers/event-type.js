const subscriptionType = require('./subscription-type');

/** The types that an event may have: a subscription may select all, or the beginning of types, too. */
module.exports = {
  ...subscriptionType,
  key: 'event_type',
  display: { ...subscriptionType.display, label: 'List Types to Publish' },
  operation: {
    ...subscriptionType.operation,
    perform: async (z, bundle) => {
      const types = await subscriptionType.operation.perform(z, bundle);
      return types.filter(({ id }) => !id.endsWith('*'));
    },
  },
};
