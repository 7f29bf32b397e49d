import { expect } from 'chai';
import { integrationTasks } from '../../projections/integration-tasks.js';
import { type IntegrationTaskEvent, integrationTaskCodec } from '../../src/events/integration-task-events.js';
import {
  type ErasureEvent,
  erasureCodec,
  erasuresStream,
  organisationMark,
} from '../../src/stores/event-store/erasure-events.js';
import { writesOf } from '../../src/views/project.js';
import { recorded } from '../support/recorded.js';
import { projected } from '../support/views/project-events.js';

const registered = (orgId: string | null): IntegrationTaskEvent => ({
  type: 'IntegrationTaskRegistered',
  data: { orgId, name: 'Flow data' },
});

function entriesAfter(...events: IntegrationTaskEvent[]) {
  return writesOf(projected(integrationTasks, recorded(integrationTaskCodec, 'integrationTask-x', events)));
}

describe('the integration tasks view', () => {
  it('shows the state of a task, its start, and the reason of a deactivation', () => {
    const data = { orgId: 'org-1', name: 'Flow data' };
    const states = [
      [registered('org-1'), 'registered', null],
      [{ type: 'IntegrationTaskActivated', data }, 'active', null],
      [{ type: 'IntegrationTaskDeactivated', data: { ...data, reason: 'moved away' } }, 'inactive', 'moved away'],
      [{ type: 'IntegrationTaskDeactivated', data }, 'inactive', null],
    ] as const;
    for (const [event, state, reason] of states) {
      expect(entriesAfter(event).get('integrationTask-x'), event.type).to.deep.include({
        document: { ...data, state, since: '2026-01-02T03:04:05.678Z', reason },
      });
    }
  });

  it('removes a task whose stream is erased', () => {
    const erased: ErasureEvent = {
      type: 'StreamsErased',
      data: {
        why: 'organisation',
        organisation: organisationMark('org-1'),
        streams: [{ stream: 'integrationTask-x', revision: '0', listenerIds: [] }],
      },
    };
    const writes = writesOf(projected(integrationTasks, recorded(erasureCodec, erasuresStream, [erased])));
    expect([...writes]).to.deep.equal([['integrationTask-x', { kind: 'remove', key: 'integrationTask-x' }]]);
  });
});
