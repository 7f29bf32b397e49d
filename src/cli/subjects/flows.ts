import { explainFlowEventRoute } from '../../admin/api/contracts/explanation.js';
import {
  listFlowEventsRoute,
  publishFlowEventRoute,
  showFlowEventRoute,
} from '../../admin/api/contracts/flow-events.js';
import { recordedBetween } from '../fields.js';
import { printResult, printWarning } from '../output.js';
import type { Subject } from '../route-command.js';

const event = 'the ID with which it was published, or its UUID in the event store';

export function addCommands({ add }: Subject): void {
  add('publish', publishFlowEventRoute, {
    about: 'publishes a flow event, as POST /api/flows does',
    texts: { type: 'the type, such as flow.completed', data: 'the data of the event', occurredAt: 'without it, now' },
    defaults: { data: '{}' },
    prints({ id, warnings }, output) {
      printResult(output, { id }, `published ${id}`);
      for (const warning of warnings) printWarning(warning);
    },
  });
  add('list', listFlowEventsRoute, {
    about: 'lists flow events of an organisation that the fan-out has processed, the latest first',
    texts: {
      ...recordedBetween,
      type: 'only of this type; flow.* for all below it',
      find: 'only with this ID, flowId or searchable value, or else one that begins so',
    },
    limit: 100,
    columns: { recorded: 'recordedAt', type: 'type', event: 'eventId', position: 'position' },
    none: ({ orgId }) => `${orgId} has no such flow events`,
  });
  add('show', showFlowEventRoute, { about: 'shows a flow event with its data', texts: { eventId: event } });
  add('explain', explainFlowEventRoute, {
    about: 'shows for each listener whether it got a flow event, and why, by the listeners at the event’s time',
    texts: { eventId: event },
    columns: { 'hook URL': 'hookUrl', listener: 'listenerId', outcome: 'outcome', because: 'because' },
    none: ({ orgId }) => `${orgId} never had a listener`,
  });
}
