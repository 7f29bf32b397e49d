/** The input field for a subscription type, as a list to choose from. */
const subscriptionTypeField = {
  key: 'subscriptionType',
  label: 'Event Type',
  type: 'string',
  dynamic: 'subscription_type.id.name',
  helpText: 'A custom value may also be the beginning of types: `order.*` selects `order.paid` and `order.sent`.',
};

module.exports = { subscriptionTypeField };
