const { parseObject } = require('../json-object');
const { route } = require('../requests');

const json = { label: 'Data as JSON', code: 'invalid_data', example: '{"total": 42, "paid": true}' };

/** Publishes a flow event, for the organisation of the connection. */
async function publish(z, { inputData: { type, data, json: text, id, flowId, occurredAt } }) {
  const response = await z.request({
    method: 'POST',
    url: route('/api/flows'),
    body: { type, data: { ...parseObject(z, json, text), ...data }, id, flowId, occurredAt },
  });
  return { id: response.data.id, type, warning: response.getHeader('flow-hooks-warning') ?? '' };
}

module.exports = {
  key: 'publish_flow_event',
  noun: 'Flow Event',
  display: {
    label: 'Publish Flow Event',
    description: 'Publishes a flow event, which every matching listener of your organisation receives.',
  },
  operation: {
    inputFields: [
      {
        key: 'type',
        label: 'Event Type',
        type: 'string',
        required: true,
        dynamic: 'event_type.id.name',
        helpText: 'One of the declared types, or a type of your own: `order.paid`.',
      },
      {
        key: 'data',
        label: 'Data',
        dict: true,
        required: false,
        helpText: 'The content of the event: names and values. The values are texts.',
      },
      {
        key: 'json',
        label: json.label,
        type: 'text',
        required: false,
        placeholder: json.example,
        helpText: `Content with numbers, lists and objects: \`${json.example}\`. Fields of *Data* replace those of the same name.`,
      },
      {
        key: 'id',
        label: 'Event ID',
        type: 'string',
        required: false,
        helpText:
          'An ID from an earlier step, such as that of the order. Publishing an ID again has no effect, so that a Zap that runs twice publishes once. Without it, each run publishes a new event.',
      },
      {
        key: 'flowId',
        label: 'Flow ID',
        type: 'string',
        required: false,
        helpText: 'Events with the same flow ID keep their order.',
      },
      {
        key: 'occurredAt',
        label: 'Time',
        type: 'datetime',
        required: false,
        helpText: 'When it happened, if that is not now.',
      },
    ],
    perform: publish,
    sample: { id: 'order-4711-paid', type: 'order.paid', warning: '' },
    outputFields: [
      { key: 'id', label: 'Event ID', type: 'string' },
      { key: 'type', label: 'Event Type', type: 'string' },
      { key: 'warning', label: 'Warning', type: 'string' },
    ],
  },
};
