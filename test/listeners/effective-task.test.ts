import { expect } from 'chai';
import type { IntegrationTaskEvent } from '../../src/events/integration-task-events.js';
import {
  decideIntegrationTask,
  effectiveTask,
  ensureDefaultTask,
  type IntegrationTask,
  IntegrationTaskInactive,
  IntegrationTaskMissing,
  integrationTaskDecider,
  integrationTaskStream,
  requireActiveTask,
} from '../../src/listeners/integration-task.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { handle } from '../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const cause = { actor: 'test', correlationId: 'test' };
const now = new Date();

describe('the integration task that applies to an organisation', () => {
  let store: EventStore;

  type Decide = (task: IntegrationTask) => readonly IntegrationTaskEvent[];
  const run = (orgId: string | null, decide: Decide) =>
    handle(store, integrationTaskStream(orgId), integrationTaskDecider, decide, { cause, now });
  const register = (orgId: string | null) =>
    run(orgId, (task) => decideIntegrationTask({ change: 'register', orgId, name: 'Flows' }, task));
  const activate = (orgId: string | null) =>
    run(orgId, (task) => decideIntegrationTask({ change: 'activate', orgId }, task));
  const deactivate = (orgId: string | null) =>
    run(orgId, (task) => decideIntegrationTask({ change: 'deactivate', orgId }, task));

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
  });

  afterEach(() => store.close());

  it('is missing if none is registered', async () => {
    expect(await rejection(requireActiveTask(store, 'org-1'))).to.be.instanceOf(IntegrationTaskMissing);
    expect(await rejection(requireActiveTask(store, null))).to.be.instanceOf(IntegrationTaskMissing);
  });

  it('is the default if the organisation has none of its own', async () => {
    await ensureDefaultTask(store);
    await requireActiveTask(store, 'org-1');
    await deactivate(null);
    expect(await rejection(requireActiveTask(store, 'org-1'))).to.be.instanceOf(IntegrationTaskInactive);
  });

  it("is the organisation's own if it has one, also with an active default", async () => {
    await ensureDefaultTask(store);
    await register('org-1');
    expect(await rejection(requireActiveTask(store, 'org-1'))).to.be.instanceOf(IntegrationTaskInactive);
    await requireActiveTask(store, 'org-2');

    await activate('org-1');
    await deactivate(null);
    await requireActiveTask(store, 'org-1');
  });

  it('is not the default for an organisation with the ID default', async () => {
    await register('default');
    expect(await effectiveTask(store, null)).to.deep.equal({ state: 'missing' });
  });

  it('has streams with permanent names', () => {
    expect(integrationTaskStream(null)).to.equal('integrationTask-default');
    expect(integrationTaskStream('org-1')).to.equal('integrationTask-880beeb4-6d1a-5e8d-bb40-70b7f4f155a7');
  });

  describe('at a start in development mode', () => {
    it('is created as an active default', async () => {
      await ensureDefaultTask(store);
      expect(await effectiveTask(store, null)).to.deep.equal({ state: 'active', orgId: null, name: 'default' });
    });

    it('is not changed if it exists', async () => {
      await register(null);
      await ensureDefaultTask(store);
      expect(await effectiveTask(store, null)).to.deep.equal({ state: 'inactive', orgId: null, name: 'Flows' });
    });
  });
});
