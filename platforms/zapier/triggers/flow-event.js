const { setTimeout: pause } = require('node:timers/promises');
const { filterField, parseFilter } = require('../filter');
const { latestFlowEvents, outputFields, recordedFlowEvents, sample } = require('../flow-events');
const { listenerRoute, raiseErrors } = require('../requests');
const { isSigned } = require('../signature');
const { subscriptionTypeFields } = require('../subscription-type-field');

/** The service finds an event within two seconds after it was recorded. */
const findableAfterMs = 3_000;

/** Registers the Zap's listener. Zapier keeps the result as `subscribeData`. */
async function subscribe(z, { targetUrl, inputData }) {
  const { data } = await z.request({
    method: 'POST',
    url: listenerRoute('/subscribe/flows'),
    body: {
      hookUrl: targetUrl,
      subscriptionType: inputData.subscriptionType,
      filter: parseFilter(z, inputData.filter),
    },
  });
  return { id: data.id, signingSecret: data.signingSecret };
}

/** Removes the Zap's listener. A listener that the service does not know is gone already. */
async function unsubscribe(z, { targetUrl }) {
  const response = await z.request({
    method: 'POST',
    url: listenerRoute('/unsubscribe/flows'),
    body: { hookUrl: targetUrl },
    skipThrowForStatus: true,
  });
  if (response.data?.error === 'listener_not_found') return {};
  return raiseErrors({ ...response, skipThrowForStatus: false }, z).data;
}

/** The flow event of a delivery. */
async function receive(z, bundle) {
  const { rawRequest = {}, subscribeData } = bundle;
  if (isSigned(rawRequest, subscribeData?.signingSecret)) return [z.JSON.parse(rawRequest.content)];
  return confirm(z, bundle);
}

/**
 * A request whose signature does not fit: from another sender, or from the service after `listeners rotate-secret`, of which Zapier
 * does not know. So the service is asked for the event, and its answer counts.
 */
async function confirm(z, bundle) {
  const id = idOf(bundle.rawRequest?.content);
  if (typeof id === 'string' && id !== '') {
    for (const waitMs of [0, findableAfterMs]) {
      await pause(waitMs);
      const events = await recordedFlowEvents(z, { ...bundle, inputData: { ...bundle.inputData, id } });
      if (events.length > 0) return events;
    }
  }
  throw new z.errors.HaltedError(
    'Ignored: the signature of this request is not valid, and the service has no such event.',
  );
}

function idOf(content) {
  try {
    return JSON.parse(content).id;
  } catch {
    return undefined; // no JSON, or null
  }
}

module.exports = {
  key: 'flow_event',
  noun: 'Flow Event',
  display: {
    label: 'New Flow Event',
    description: 'Triggers when a flow event happens in your organisation.',
  },
  operation: {
    type: 'hook',
    inputFields: [...subscriptionTypeFields({ required: true }), filterField],
    performSubscribe: subscribe,
    performUnsubscribe: unsubscribe,
    performList: latestFlowEvents,
    perform: receive,
    sample,
    outputFields,
  },
};
