import { expect } from 'chai';
import { pino } from 'pino';
import { listenersView } from '../../projections/listeners.js';
import { sessions } from '../../projections/sessions.js';
import {
  type BackgroundVerifications,
  backgroundVerifications,
  type Verification,
  type WithScratch,
} from '../../src/audit/background-verifications.js';
import { withScratchReadModel } from '../../src/service/stores/scratch-read-model.js';
import { RebuildUnderWay } from '../../src/views/errors.js';
import type { Projection } from '../../src/views/projection.js';
import { cancelRebuild } from '../../src/views/rebuilding/cancel-rebuild.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { issued } from '../access/tokens/fixtures.js';
import { firstId, paused, subscribed } from '../listeners/fixtures.js';
import { rejection } from '../support/rejection.js';
import { until } from '../support/until.js';
import { appendListenerEvent, appendSessionEvent, day } from './append-events.js';
import type { AuditedStores } from './organisation-history.js';

/** Cases of verifications in the background, for any stores. */
export function verificationsInTheBackground(open: () => Promise<AuditedStores>): void {
  let stores: AuditedStores;
  let verifications: BackgroundVerifications;
  const log = pino({ level: 'silent' });

  beforeEach(async () => {
    stores = await open();
    verifications = backgroundVerifications({ ...stores, withScratch: withScratchReadModel, log });
    await appendListenerEvent(stores.store, subscribed(), { at: day(1) });
    await appendSessionEvent(stores.store, issued(), { at: day(1) });
    for (const projection of [listenersView, sessions]) await rebuild({ ...stores, projection });
  });
  afterEach(async () => {
    await verifications.stop();
    await stores.close();
  });

  async function ended(projection: Projection): Promise<Verification> {
    await until(() => verifications.last(projection) !== undefined, 'the end of the verification');
    return verifications.last(projection) as Verification; // waited for
  }

  /** A scratch read model that is opened when `go` is called, so that the verification is under way until then. */
  function held(): { withScratch: WithScratch; go: () => void } {
    let go = (): void => undefined;
    const going = new Promise<void>((resolve) => {
      go = resolve;
    });
    return { withScratch: (work) => going.then(() => withScratchReadModel(work)), go };
  }

  it('tells that a view matches the events', async () => {
    await verifications.start(listenersView);
    const result = await ended(listenersView);
    expect(result).to.deep.include({ outcome: 'matches', differences: 0, skipped: 0, first: [], failure: null });
    await until(async () => !(await stores.readModel.rebuilds.find(listenersView)), 'its record to be removed');
  });

  it('shows the first differences of a view that does not match, and leaves it as it is', async () => {
    const live = await stores.readModel.live(listenersView);
    const { readModel } = stores;
    const build = await readModel.open(listenersView, String(live));
    const position = ((await build.checkpoint()).position ?? 0n) + 1n;
    await build.apply([{ position, operations: [{ kind: 'remove', key: `${firstId}/0` }] }], position);
    await build.close();
    await appendListenerEvent(stores.store, paused({ since: 0 }), { at: day(2) });
    await verifications.start(listenersView);
    const result = await ended(listenersView);
    expect(result).to.include({ outcome: 'differs' });
    expect(result.first.map(({ kind, key }) => `${kind} ${key}`)).to.include(`missing ${firstId}/0`);
    expect(await readModel.live(listenersView)).to.equal(live);
  });

  it('excludes rebuilds and other verifications of the view, and shows its progress to every process', async () => {
    const { withScratch, go } = held();
    const holding = backgroundVerifications({ ...stores, withScratch, log });
    await holding.start(listenersView);
    expect(await rejection(verifications.start(listenersView))).to.be.instanceOf(RebuildUnderWay);
    expect(await rejection(rebuild({ ...stores, projection: listenersView }))).to.be.instanceOf(RebuildUnderWay);
    await verifications.start(sessions);
    expect((await ended(sessions)).outcome).to.equal('matches');
    await until(async () => (await stores.readModel.rebuilds.find(listenersView))?.progress !== undefined, 'progress');
    expect((await stores.readModel.rebuilds.find(listenersView))?.progress).to.include({ phase: 'folding' });
    go();
    await until(() => holding.last(listenersView)?.outcome === 'matches', 'its result');
    await holding.stop();
    await rebuild({ ...stores, projection: listenersView });
  });

  it('is cancelled as a rebuild is', async () => {
    const { withScratch, go } = held();
    const holding = backgroundVerifications({ ...stores, withScratch, log });
    await holding.start(listenersView);
    expect(await cancelRebuild(stores.readModel, listenersView)).to.equal('asked');
    go();
    await until(() => holding.last(listenersView)?.outcome === 'cancelled', 'the cancellation');
    await holding.stop();
    expect(await stores.readModel.rebuilds.find(listenersView)).to.equal(undefined);
  });

  it('ends when the process stops, so that another process can verify the view', async () => {
    const { withScratch, go } = held();
    const holding = backgroundVerifications({ ...stores, withScratch, log });
    await holding.start(listenersView);
    const stopped = holding.stop();
    go();
    await stopped;
    expect(holding.last(listenersView)).to.include({ outcome: 'stopped' });
    await verifications.start(listenersView);
    expect((await ended(listenersView)).outcome).to.equal('matches');
  });

  it('tells why it failed', async () => {
    const failing = backgroundVerifications({
      ...stores,
      withScratch: () => Promise.reject(new Error('no space left on the device')),
      log,
    });
    await failing.start(listenersView);
    await until(() => failing.last(listenersView) !== undefined, 'the failure');
    expect(failing.last(listenersView)).to.include({ outcome: 'failed', failure: 'no space left on the device' });
    await rebuild({ ...stores, projection: listenersView });
  });
}
