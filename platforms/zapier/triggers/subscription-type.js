const { listenerRoute } = require('../requests');

/** The page of the list that Zapier asks for, empty behind the last one: Zapier numbers them, and the service continues behind a type. */
async function listSubscriptionTypes(z, { inputData, meta }) {
  let after;
  for (let page = 0; ; page += 1) {
    const response = await z.request({
      url: listenerRoute('/subscription-types'),
      params: { search: inputData.subscriptionTypeSearch, after },
      removeMissingValuesFrom: { params: true },
    });
    if (page === (meta?.page ?? 0)) return response.data;
    if (!response.getHeader('link')) return [];
    after = response.data.at(-1).id;
  }
}

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
    canPaginate: true,
    sample: { id: 'flow.completed', name: 'flow.completed', description: 'A flow has been completed.' },
    outputFields: [
      { key: 'id', label: 'Event Type', type: 'string' },
      { key: 'name', label: 'Name', type: 'string' },
      { key: 'description', label: 'Description', type: 'string' },
    ],
  },
};
