import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { projections } from '../../projections/index.js';
import { listenersView } from '../../projections/listeners.js';
import { type ViewDifference, verifyView } from '../../src/audit/verify-views.js';
import { listenerStream } from '../../src/listeners/listener.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { ReadModel } from '../../src/views/read-model.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { skipEvent } from '../../src/views/skipped-events.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { issued } from '../access/tokens/fixtures.js';
import { paused, subscribed } from '../listeners/fixtures.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { countingOpen } from '../support/views/open-builds.js';
import { projected } from '../support/views/project-events.js';
import { changeViewFile } from '../support/views/view-file.js';
import { appendFutureListenerEvent, appendListenerEvent, appendSessionEvent, day } from './append-events.js';

describe('verifying the views', () => {
  let directory: string;
  let store: EventStore;
  let readModel: ReadModel;
  let scratch: ReadModel;

  beforeEach(async () => {
    directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    readModel = openSqliteReadModel({ directory });
    scratch = openSqliteReadModel({ directory: temporaryDirectory() });
    await appendListenerEvent(store, subscribed(), { at: day(1) });
    await appendSessionEvent(store, issued(), { at: day(1) });
  });
  afterEach(async () => {
    await scratch.close();
    await readModel.close();
    await store.close();
  });

  async function build(): Promise<void> {
    for (const projection of projections) await rebuild({ store, readModel, projection });
  }

  async function verified(source = readModel, into = scratch): Promise<readonly ViewDifference[]> {
    const found: ViewDifference[] = [];
    for (const projection of projections)
      for await (const each of verifyView({ store, readModel: source, scratch: into, projection })) found.push(each);
    return found;
  }

  /** Writes into the live view of listeners behind everybody's back. */
  const tamper = async (sql: string) => changeViewFile(directory, `${await readModel.live(listenersView)}`, sql);

  const key = '11111111-1111-4111-8111-111111111111/0';

  it('finds no difference where they match the events', async () => {
    await build();
    expect(await verified()).to.deep.equal([]);
  });

  it('finds nothing where a view is just behind', async () => {
    await build();
    await appendListenerEvent(store, paused({ since: 0 }), { at: day(2) });
    expect(await verified()).to.deep.equal([]);
  });

  it('names different documents with their fields', async () => {
    await build();
    await tamper(`UPDATE documents SET document = json_set(document, '$.userId', 'mallory')`);
    expect(await verified()).to.deep.equal([
      {
        view: 'listeners',
        kind: 'different',
        key,
        message: null,
        fields: { userId: { expected: 'user-1', actual: 'mallory' } },
      },
    ]);
  });

  it('names missing and surplus documents', async () => {
    await build();
    await tamper(`INSERT INTO documents (key, document) VALUES ('0', '{"orgId":"org-1"}'), ('z', '{}')`);
    await tamper(`DELETE FROM documents WHERE key = '${key}'`);
    expect((await verified()).map((each) => [each.view, each.kind, each.key])).to.deep.equal([
      ['listeners', 'surplus', '0'],
      ['listeners', 'missing', key],
      ['listeners', 'surplus', 'z'],
    ]);
  });

  it('says which view has not been built', async () => {
    for (const projection of projections)
      if (projection !== listenersView) await rebuild({ store, readModel, projection });
    const [difference, ...more] = await verified();
    expect(difference).to.include({ view: 'listeners', kind: 'not-built' });
    expect(more).to.deep.equal([]);
  });

  function damageSession(): void {
    const database = new Database(join(directory, 'events.db'));
    database.exec(`UPDATE events SET data = replace(data, '"sessionId"', '"sessionIx"') WHERE category = 'session'`);
    database.close();
  }

  it('names the event that stops the fold, and continues with the other views', async () => {
    await build();
    damageSession();
    const [first, ...more] = await verified();
    expect(first).to.include({ view: 'sessions', kind: 'unreadable' });
    expect(first?.message).to.match(/TokensIssued at revision 0 of session-/);
    expect(more.map(({ view, kind }) => [view, kind])).to.deep.equal([['organisation-streams', 'unreadable']]);
  });

  it('leaves nothing open where an event stops the fold', async () => {
    await build();
    damageSession();
    const { counted, open } = countingOpen(scratch);
    expect(await verified(readModel, counted)).to.have.length(2);
    expect(open()).to.equal(0);
  });

  it('stops where the live view does, at an event of a later release', async () => {
    await build();
    await appendFutureListenerEvent(store, paused({ since: 0 }), { at: day(2) });
    expect(await verified()).to.deep.equal([]);
  });

  it('names an event that the view leaves out, and takes it for no difference once the view has been rebuilt', async () => {
    await build();
    const event = paused({ since: 0 });
    const { orgId, hookUrl } = event.data;
    const { position } = await appendFutureListenerEvent(store, event, { at: day(2) });
    const skip = { position, why: 'written by a later release' };
    const cause = { actor: 'admin:ops', correlationId: 'test' };
    await skipEvent(store, listenersView, skip, { cause, now: new Date() });
    const left = {
      view: 'listeners',
      kind: 'skipped',
      key: null,
      fields: {},
      message: `ListenerPaused at revision 1 of ${listenerStream(orgId, hookUrl)}, by decision of an operator: written by a later release`,
    };
    await rebuild({ store, readModel, projection: listenersView });
    expect(await readModel.position(listenersView)).to.equal(await store.head());
    expect(await verified()).to.deep.equal([left]);
  });

  it('names it beside its earlier effect on the view', async () => {
    const { position } = await appendListenerEvent(store, paused({ since: 0 }), { at: day(2) });
    await build();
    const cause = { actor: 'admin:ops', correlationId: 'test' };
    await skipEvent(store, listenersView, { position, why: 'a mistake' }, { cause, now: new Date() });
    const found = await verified();
    expect(found.map(({ view, kind }) => [view, kind])).to.deep.equal([
      ['listeners', 'skipped'],
      ['listeners', 'different'],
      ['listeners', 'surplus'],
    ]);
    await rebuild({ store, readModel, projection: listenersView });
    expect((await verified()).map(({ kind }) => kind)).to.deep.equal(['skipped']);
  });

  it('reports no difference for a view that moves while it is read', async () => {
    await build();
    const live = await readModel.open(listenersView, (await readModel.live(listenersView)) ?? '');
    let others = 0;
    const moving: ReadModel = {
      ...readModel,
      async find(projection, query) {
        const found = await readModel.find(projection, query);
        if (projection !== listenersView || others >= 5) return found;
        others += 1; // the listener is registered, and the view has it, after the page was read
        const hookUrl = `https://hooks.example.com/more/${others}`;
        await appendListenerEvent(store, subscribed({ hookUrl, listenerId: crypto.randomUUID() }), { at: day(3) });
        await appendListenerEvent(store, paused({ since: 0 }), { at: day(3) });
        const { position } = await live.checkpoint();
        for await (const event of store.readAll({ ...(position !== undefined && { from: position }) })) {
          await live.apply(projected(listenersView, [event]), event.position);
        }
        return readModel.find(projection, query);
      },
    };
    expect(await verified(moving)).to.deep.equal([]);
    expect(others).to.be.greaterThan(0);
    await live.close();
  });
});
