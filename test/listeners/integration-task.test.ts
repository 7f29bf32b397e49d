import fc from 'fast-check';
import type { IntegrationTaskEvent } from '../../src/events/integration-task-events.js';
import {
  decideIntegrationTask,
  type IntegrationTask,
  IntegrationTaskMissing,
  integrationTaskDecider,
} from '../../src/listeners/integration-task.js';
import { folded, given as givenHistory } from '../support/given.js';

const given = (...history: IntegrationTaskEvent[]) => givenHistory(integrationTaskDecider, history);

const task = { orgId: 'org-1', name: 'Flows' };
const registered: IntegrationTaskEvent = { type: 'IntegrationTaskRegistered', data: task };
const activated: IntegrationTaskEvent = { type: 'IntegrationTaskActivated', data: task };
const deactivated = (reason?: string): IntegrationTaskEvent => ({
  type: 'IntegrationTaskDeactivated',
  data: { ...task, ...(reason !== undefined && { reason }) },
});

const register =
  (name = 'Flows') =>
  (state: IntegrationTask) =>
    decideIntegrationTask({ change: 'register', orgId: 'org-1', name }, state);
const activate = () => (state: IntegrationTask) => decideIntegrationTask({ change: 'activate', orgId: 'org-1' }, state);
const deactivate = (reason?: string) => (state: IntegrationTask) =>
  decideIntegrationTask({ change: 'deactivate', orgId: 'org-1', ...(reason !== undefined && { reason }) }, state);

describe('an integration task', () => {
  it('is registered once', () => {
    given().when(register()).then([registered]);
    given(registered).when(register()).then([]);
  });

  it('stays active and keeps its name when it is registered again', () =>
    given(registered, activated).when(register('Another name')).then([]));

  it('is activated', () => given(registered).when(activate()).then([activated]));

  it('changes nothing when it is activated again', () => given(registered, activated).when(activate()).then([]));

  it('is deactivated with the given reason', () =>
    given(registered, activated)
      .when(deactivate('maintenance'))
      .then([deactivated('maintenance')]));

  it('is deactivated without a reason', () => given(registered, activated).when(deactivate()).then([deactivated()]));

  it('changes nothing when it is deactivated again, or was never active', () => {
    given(registered, activated, deactivated()).when(deactivate()).then([]);
    given(registered).when(deactivate()).then([]);
  });

  it('is activated again', () => given(registered, activated, deactivated()).when(activate()).then([activated]));

  it('must be registered before it is activated or deactivated', () => {
    given().when(activate()).thenThrows(IntegrationTaskMissing);
    given().when(deactivate()).thenThrows(IntegrationTaskMissing);
  });

  it('has the same state from any history as from its last event alone', () => {
    const anyEvent = fc.constantFrom(registered, activated, deactivated(), deactivated('maintenance'));
    fc.assert(fc.property(fc.array(anyEvent), (history) => void folded(integrationTaskDecider, history)));
  });
});
