import { expect } from 'chai';
import { projections } from '../../../../projections/index.js';
import { listeners } from '../../../../projections/listeners.js';
import { listenerLifecycle, listenerStream } from '../../../../src/registrations/listeners/listener.js';
import { resumeListener } from '../../../../src/registrations/listeners/resume-listener.js';
import { unsubscribeListener } from '../../../../src/registrations/listeners/unsubscribe-listener.js';
import type { EventStore } from '../../../../src/stores/event-store/event-store.js';
import { handle } from '../../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { ReadModel } from '../../../../src/stores/read-model/read-model.js';
import { rebuild } from '../../../../src/stores/read-model/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { freshFold, servedDocuments } from '../../../support/views/fresh-fold.js';
import { appendVersion1, hooksOfVersion1, listenerIdsOfVersion1 } from '../../../support/views/version-1-store.js';

describe('a store that was written by version 1 of the listener events', () => {
  let store: EventStore;
  let readModel: ReadModel;
  const context = { cause: { actor: 'test', correlationId: 'test' }, now: new Date() };
  const { active, paused, gone } = listenerIdsOfVersion1;

  beforeEach(async () => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    readModel = openSqliteReadModel({ directory });
    await appendVersion1(store);
  });
  afterEach(async () => {
    await readModel.close();
    await store.close();
  });

  it('is projected by every view as if today’s release had written it', async () => {
    await rebuild({ store, readModel, projection: listeners });
    const documents = await servedDocuments(readModel, listeners);
    expect(Object.keys(documents).sort()).to.deep.equal(
      [`${active}/0`, `${active}/1`, `${gone}/0`, ...[0, 1, 2, 3].map((since) => `${paused}/${since}`)].sort(),
    );
    const today = { previousSecret: null, ordered: false, ratePerSecond: null, failing: null };
    expect(documents[`${active}/1`]).to.deep.include({ ...today, subscriptionType: 'flow.done', secretVersion: 2 });
    expect(documents[`${paused}/3`]).to.deep.include({ ...today, state: 'paused', pausedBy: 'operator' });
    for (const projection of projections) {
      await rebuild({ store, readModel, projection });
      expect(await servedDocuments(readModel, projection)).to.deep.equal(await freshFold(store, projection));
    }
  });

  it('is verified by a rebuild, also when today’s release has gone on with it', async () => {
    await rebuild({ store, readModel, projection: listeners });
    await decide();
    await rebuild({ store, readModel, projection: listeners });
    const { verified } = await rebuild({ store, readModel, projection: listeners, verify: true });
    expect(verified).to.be.greaterThan(0);
    expect(await servedDocuments(readModel, listeners)).to.deep.equal(await freshFold(store, listeners));
  });

  it('is decided upon: what is paused is resumed, and what is active is removed, by events of today', async () => {
    expect(await decide()).to.deep.equal(['ListenerResumed', 'ListenerUnsubscribed']);
    const versions: unknown[] = [];
    for await (const { metadata } of store.readStream(listenerStream('acme', hooksOfVersion1.paused))) {
      versions.push((metadata as { schemaVersion: number }).schemaVersion);
    }
    expect(versions).to.deep.equal([1, 1, 1, 1, 4]);
    expect(await decide()).to.deep.equal([]);
  });

  /** Resumes the hook that is paused, and removes the one that is active. */
  async function decide(): Promise<readonly string[]> {
    const resumed = await handle(
      ...([store, listenerStream('acme', hooksOfVersion1.paused), listenerLifecycle] as const),
      (listener) => resumeListener({ listenerId: paused, now: context.now }, listener),
      context,
    );
    const removed = await handle(
      ...([store, listenerStream('acme', hooksOfVersion1.active), listenerLifecycle] as const),
      (listener) => unsubscribeListener({ reason: 'requested' }, listener),
      context,
    );
    return [...resumed.events, ...removed.events].map(({ type }) => type);
  }
});
