import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { organisationStreams } from '../../projections/organisation-streams.js';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { portalAccess } from '../../src/access/portal/portal-access.js';
import { record } from '../../src/admin/erasure/erase-streams.js';
import { indexedStreams, scannedEventTypes, scannedStreams } from '../../src/audit/find-streams.js';
import { auditHistory, historyCategories } from '../../src/audit/history.js';
import { serviceHistory } from '../../src/audit/service-history.js';
import { organisationMark } from '../../src/stores/event-store/erasure-events.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { keyCreated, keyFacts } from '../access/api-keys/fixtures.js';
import { details, paused, subscribed } from '../listeners/fixtures.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { appendApiKeyEvent, appendListenerEvent, day } from './append-events.js';

const { orgId } = details;

describe('what a history shows', () => {
  let store: EventStore;
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
  });
  afterEach(() => store.close());

  it('has the portal’s links and sessions, with their role and person, where those of users are requested', async () => {
    const portal = portalAccess({
      store,
      masterKeys: masterKeys(new Map([['g1', randomBytes(32)]])),
      now: () => day(3),
    });
    const cause = { actor: 'admin:ops', correlationId: 'c' };
    const grant = { orgId, role: 'viewer', actor: 'portal:ada', sessionMs: 60_000 } as const;
    const link = await portal.findLink(await portal.makeLink(grant, 60_000, cause));
    const session = link && (await portal.beginSession(link, (actor) => ({ actor, correlationId: 'd' })));
    const found = await portal.findSession(session ?? '');
    if (found) await portal.endSession(found, { actor: 'portal:ada', correlationId: 'e' });

    const readModel = openSqliteReadModel({ directory });
    await rebuild({ store, readModel, projection: organisationStreams });
    for (const find of [scannedStreams(store, historyCategories), indexedStreams(store, readModel)]) {
      const entries = await auditHistory(store, find, { orgId, user: 'portal:ada' });
      expect(entries.map(({ type, actor, after }) => [type, actor, after?.state])).to.deep.equal([
        ['PortalLinkMade', 'admin:ops', 'unused'],
        ['PortalSessionBegan', 'portal:ada', 'open'],
        ['PortalSessionEnded', 'portal:ada', 'ended'],
      ]);
      expect(entries[1]).to.deep.include({ orgId, sessionId: link?.linkId });
      expect(entries[1]?.after).to.include({ role: 'viewer', actor: 'portal:ada' });
      expect(await auditHistory(store, find, { orgId, user: true })).to.have.length(3);
      expect(await auditHistory(store, find, { orgId, user: 'someone else' })).to.deep.equal([]);
    }
    await readModel.close();
  });

  it('names the API key that did it', async () => {
    await appendApiKeyEvent(store, keyCreated({ orgId, name: 'Orders' }), { at: day(1) });
    const actor = `api-key:${keyFacts.apiKeyId}`;
    await appendListenerEvent(store, subscribed(), { at: day(2), actor });
    await appendListenerEvent(store, paused({ since: 0 }), { at: day(3), actor: 'api-key:unknown' });
    const entries = await auditHistory(store, scannedStreams(store, historyCategories), { orgId });
    expect(entries.map(({ actor, actorName }) => [actor, actorName])).to.deep.equal([
      ['user:user-1', null],
      [actor, 'Orders'],
      ['api-key:unknown', null],
    ]);
  });

  it('has the erasures in that of the service: who, when, what was deleted and kept, and no name', async () => {
    const context = { cause: { actor: 'admin:ops', correlationId: 'c' }, now: day(4) };
    const organisation = organisationMark('acme');
    const streams = ['listener-1', 'listener-2', 'session-1'].map((stream) => ({
      stream,
      revision: '0',
      listenerIds: [],
    }));
    await record(store, { type: 'StreamsErased', data: { why: 'organisation', organisation, streams } }, context);
    const counts = { streams: 3, flowStreams: 2, keptFlowStreams: 1 };
    await record(store, { type: 'OrganisationErased', data: { organisation, ...counts } }, context);
    const entries = await serviceHistory(store, scannedEventTypes(store), {});
    expect(entries.map(({ type, actor, at, after }) => ({ type, actor, at, after }))).to.deep.equal([
      {
        ...{ type: 'StreamsErased', actor: 'admin:ops', at: day(4).toISOString() },
        after: { why: 'organisation', organisation, deleted: { listener: 2, session: 1 } },
      },
      {
        ...{ type: 'OrganisationErased', actor: 'admin:ops', at: day(4).toISOString() },
        after: { organisation, ...counts },
      },
    ]);
    expect(JSON.stringify(entries)).not.to.include('acme');
  });
});
