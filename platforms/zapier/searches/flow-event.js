const { filterField } = require('../filter');
const { outputFields, recordedFlowEvents, sample } = require('../flow-events');
const { subscriptionTypeFields } = require('../subscription-type-field');

module.exports = {
  key: 'find_flow_event',
  noun: 'Flow Event',
  display: {
    label: 'Find Flow Event',
    description: 'Finds the latest flow events of your organisation by type, fields or ID.',
  },
  operation: {
    inputFields: [
      {
        key: 'severalResults',
        type: 'copy',
        helpText:
          'If several events match, the Zap goes on with the latest one. Give an event ID, or a filter that selects one event, to be sure which it is.',
      },
      ...subscriptionTypeFields({ required: false }),
      filterField,
      { key: 'id', label: 'Event ID', type: 'string', required: false },
    ],
    perform: recordedFlowEvents,
    sample,
    outputFields,
  },
};
