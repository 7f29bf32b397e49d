import pino from 'pino';
import { projections } from '../../../projections/index.js';
import { listenersView } from '../../../projections/listeners.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { portalAccess } from '../../../src/access/portal/portal-access.js';
import { admin } from '../../../src/admin/admin.js';
import { showServiceRoute } from '../../../src/admin/api/contracts/service.js';
import { backgroundVerifications } from '../../../src/audit/background-verifications.js';
import { deliveries } from '../../../src/deliveries/deliveries.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { transformer } from '../../../src/deliveries/transforms/transformer.js';
import { publishingChecks } from '../../../src/flows/types/publishing-checks.js';
import { exampleAnswer } from '../../../src/http/api-description/examples.js';
import { subscribing } from '../../../src/listeners/commands/subscribe.js';
import { registeredAt } from '../../../src/listeners/queries/registered-listeners.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { withScratchReadModel } from '../../../src/service/stores/scratch-read-model.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { soleHolder } from '../../../src/stores/leases/sole-holder.js';
import { followerOf, viewCaughtUp } from '../../../src/views/follower.js';
import { followUnderLease } from '../../../src/views/following/follow-under-lease.js';
import { backgroundRebuilds } from '../../../src/views/rebuilding/background-rebuilds.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { noLimits } from '../service/no-limits.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Made once: it takes long. */
const keySet = generateSigningKeys();

export type GivenOperations = Awaited<ReturnType<typeof givenOperations>>;

/** The admin API in this process, on the embedded stores, with its views and deliveries. */
export async function givenOperations() {
  const directory = temporaryDirectory();
  const log = pino({ enabled: false });
  const store = openSqliteEventStore({ directory });
  const readModel = openSqliteReadModel({ directory });
  const leases = soleHolder({ log });
  const opened = openSqliteDeliveryQueue({ directory });
  const keys = {
    masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 1)]])),
    signingKeys: await signingKeys(keySet),
  };
  const views = followUnderLease({ store, readModel, leases, log, projections });
  const rebuilds = backgroundRebuilds({ store, readModel, log });
  const follower = followerOf(listenersView, views.followers);
  const running = await deliveries(
    {
      attempts: { concurrency: 8, perHost: 8 },
      retention: { retentionMs: 86_400_000, publishMemoryMs: 86_400_000 },
      startFrom: -1n,
    },
    {
      store,
      queue: opened,
      leases,
      view: {
        registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
        position: () => readModel.position(listenersView),
        passed: follower.passed,
      },
      masterKeys: keys.masterKeys,
      guard: targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] }),
      log,
    },
  );
  const verifications = backgroundVerifications({ store, readModel, log, withScratch: withScratchReadModel });
  const transforms = transformer();
  const dependencies = {
    store,
    readModel,
    views: { followers: views.followers, rebuilds, verifications },
    queue: running.queue,
    deliveries: {
      barrier: { close: (listenerId: string) => running.queue.withdraw({ listenerId }) },
      onRemoved: undefined,
      checkTarget: async () => undefined,
    },
    access: {
      identity: { administrator: async () => ({ actor: 'admin:test', role: 'owner' as const }) },
      keys,
      portalAccess: portalAccess({ masterKeys: keys.masterKeys, store, now: () => new Date() }),
    },
    publishing: {
      limits: noLimits,
      checkPublished: publishingChecks(store),
      transform: transforms.transform,
      subscribe: subscribing({
        store,
        masterKeys: keys.masterKeys,
        subscriptionTypes: undefined,
        checkTarget: async () => undefined,
        listenerQuota: async () => undefined,
      }),
    },
    limits: noLimits,
    service: {
      serviceUrl: () => 'https://hooks.example.com',
      log,
      instanceStatus: () => exampleAnswer(showServiceRoute.answer),
    },
    stopping: new AbortController().signal,
  };
  const { api, routes, seals } = await admin(
    { flows: { maxEventBytes: 1_048_576 }, http: { maxConcurrentRequests: 2_000 } },
    dependencies,
  );

  return {
    api,
    routes,
    seals,
    signingKeys: keys.signingKeys,
    masterKeys: keys.masterKeys,
    store,
    readModel,
    queue: running.queue,
    /** Resolves once the views have processed all present events. */
    async viewsCaughtUp(): Promise<void> {
      for (const projection of projections) {
        const { passed } = followerOf(projection, views.followers);
        for (const category of Object.keys(projection.on)) await viewCaughtUp(store, category, passed)();
      }
    },
    async stop(): Promise<void> {
      transforms.stop();
      await rebuilds.stop();
      await verifications.stop();
      await running.stop(1_000);
      await views.stop();
      await opened.close();
      await readModel.close();
      await store.close();
    },
  };
}
