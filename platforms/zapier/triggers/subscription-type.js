const { hookRoute } = require('../requests');

const listSubscriptionTypes = async (z) => (await z.request({ url: hookRoute('/subscription-types') })).data;

module.exports = {
  key: 'subscription_type',
  noun: 'Event Type',
  display: {
    label: 'List Event Types',
    description: 'Fills the list of event types to choose from.',
    hidden: true,
  },
  operation: {
    perform: listSubscriptionTypes,
    sample: { id: 'flow.completed', name: 'flow.completed', description: 'A flow has been completed.' },
    outputFields: [
      { key: 'id', label: 'Event Type', type: 'string' },
      { key: 'name', label: 'Name', type: 'string' },
      { key: 'description', label: 'Description', type: 'string' },
    ],
  },
};
