const { parseFilter } = require('./filter');
const { listenerRoute, route } = require('./requests');

/** Maximum number of events that Zapier gets at a time: it shows a few, and an event may have 256 KiB. */
const maxEvents = 10;

/** A flow event, in the shape of every delivery. */
const sample = {
  id: 'sample-flow.completed',
  type: 'flow.completed',
  timestamp: '2026-01-01T12:00:00.000Z',
  orgId: 'sample-organisation',
  flowId: 'sample-flow',
  data: { name: 'A sample flow', note: 'Real flow events hold what their producer put here.' },
};

/** The fields of every flow event. Zapier finds those of `data` in the samples. */
const outputFields = [
  { key: 'id', label: 'Event ID', type: 'string', primary: true },
  { key: 'type', label: 'Event Type', type: 'string' },
  { key: 'timestamp', label: 'Time', type: 'datetime' },
  { key: 'orgId', label: 'Organisation', type: 'string' },
  { key: 'flowId', label: 'Flow ID', type: 'string' },
];

/** The latest flow events of the user's organisation that the input selects, the latest first; without any, samples. */
async function latestFlowEvents(z, { inputData: { subscriptionType, filter, id } }) {
  const typed = parseFilter(z, filter);
  const named = id ? { id } : undefined;
  const selected = typed && named ? { $and: [typed, named] } : (typed ?? named);
  // perform-list accepts any caller, and gives samples to one whose access token has expired. This is refused then, so that Zapier
  // refreshes the token and begins again.
  await z.request({ url: route('/test') });
  const { data } = await z.request({
    url: listenerRoute('/perform-list'),
    params: {
      subscriptionType,
      filter: selected && JSON.stringify(selected),
      limit: maxEvents,
    },
    removeMissingValuesFrom: { params: true },
  });
  return data;
}

/** Works as `latestFlowEvents`, without samples: these belong to no organisation. */
async function recordedFlowEvents(z, bundle) {
  const events = await latestFlowEvents(z, bundle);
  return events.filter(({ orgId }) => orgId === bundle.authData.org_id);
}

module.exports = { latestFlowEvents, outputFields, recordedFlowEvents, sample };
