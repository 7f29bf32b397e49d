/** The input fields for a subscription type: a list to choose from, and a text that shortens the list. */
const subscriptionTypeFields = ({ required }) => [
  {
    key: 'subscriptionTypeSearch',
    label: 'Search Event Types',
    type: 'string',
    required: false,
    helpText: 'Part of a name or description: the list of event types below has only those that contain it.',
  },
  {
    key: 'subscriptionType',
    label: 'Event Type',
    type: 'string',
    required,
    dynamic: 'subscription_type.id.name',
    helpText:
      'If the list offers to load more, it is not complete. A custom value may also be the beginning of types: `order.*` selects `order.paid` and `order.sent`.',
  },
];

module.exports = { subscriptionTypeFields };
