const { version: platformVersion } = require('zapier-platform-core');
const authentication = require('./authentication');
const publishFlowEvent = require('./creates/flow-event');
const { version } = require('./package.json');
const { identify, raiseErrors } = require('./requests');
const findFlowEvent = require('./searches/flow-event');
const eventType = require('./triggers/event-type');
const flowEvent = require('./triggers/flow-event');
const subscriptionType = require('./triggers/subscription-type');

module.exports = {
  version,
  platformVersion,
  authentication,
  beforeRequest: [identify],
  afterResponse: [raiseErrors],
  flags: { throwForThrottlingEarly: false }, // raiseErrors reads 429 too: its body has the reason
  triggers: {
    [flowEvent.key]: flowEvent,
    [subscriptionType.key]: subscriptionType,
    [eventType.key]: eventType,
  },
  searches: { [findFlowEvent.key]: findFlowEvent },
  creates: { [publishFlowEvent.key]: publishFlowEvent },
};
