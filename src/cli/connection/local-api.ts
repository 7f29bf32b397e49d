import { userInfo } from 'node:os';
import { projections } from '../../../projections/index.js';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { requireMasterKeyOfService } from '../../access/keys/recorded-keys.js';
import type { SigningKeys } from '../../access/keys/signing-keys.js';
import { routesOfSubject } from '../../admin/api/routes.js';
import { type AdminApi, adminApi } from '../../admin/api/routing/admin-api.js';
import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import type { ViewWork } from '../../admin/api/views.js';
import { type OperatingDependencies, routeDependencies } from '../../admin/route-dependencies.js';
import type { Transformer } from '../../deliveries/transforms/transformer.js';
import { unsubscribeBarrier, workerGates } from '../../deliveries/worker/gates.js';
import { maxEventBytes } from '../../flows/settings.js';
import type { Close } from '../../kernel/closing.js';
import { DomainError } from '../../kernel/domain-error.js';
import { settingText } from '../../service/config/settings.js';
import { laterStores, type Stores } from '../../service/stores/command-stores.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { Follower } from '../../views/follower.js';
import { type Watch, watch } from '../../views/following/watch.js';

import type { ReadModel } from '../../views/read-model.js';
import { UsageError } from '../failure.js';
import type { ApiCall } from './remote-api.js';
import { removalNoticesOf } from './removal-notices.js';
import { commandSettings } from './settings.js';

class ServiceNeeded extends DomainError {
  readonly code = 'service_needed';
}

type LocalApi = {
  dataDirectory: string;
  stores: Stores;
  onClose: (close: Close) => void;
  command: NonNullable<OperatingDependencies['command']>;
  stopping: AbortSignal;
};

/**
 * The admin API in the process of a command, on the stores: it answers as a service does, also while none runs. Only the handlers of
 * the subjects that are called are loaded. Throws as the routes do, and `UsageError` where keys of the service are missing.
 */
export function localCall({ dataDirectory, stores, onClose, command, stopping }: LocalApi): ApiCall {
  const { store, readModel, queue } = laterStores(stores);
  const caller = { actor: `operator:${userInfo().username}`, role: 'owner', orgId: null } as const;

  let transforms: Promise<Transformer> | undefined;
  let openedWork: Promise<ViewWork> | undefined;
  const viewWork = () => {
    openedWork ??= openViewWork({ store, readModel }, onClose);
    return openedWork;
  };

  async function openTransformer(): Promise<Transformer> {
    const { transformer } = await import('../../deliveries/transforms/transformer.js');
    const opened = transformer();
    onClose(opened.stop);
    return opened;
  }

  async function open(subject: AnyAdminRoute['subject'], isRead: boolean): Promise<AdminApi> {
    const { masterKeys, signingKeys } = await keysFor(subject, isRead);
    const routes = await routesOfSubject(
      subject,
      routeDependencies({
        store,
        readModel,
        views: {
          followers: projections.map((projection) => laterView({ store, readModel, projection }, onClose)),
          ...(subject === 'views' ? await viewWork() : noViewWork),
        },
        queue,
        deliveries: {
          barrier: unsubscribeBarrier(workerGates(), queue, true), // permits are held by the service's processes
          onRemoved: ['listeners', 'organisations'].includes(subject) ? await removalNoticesOf(onClose) : undefined,
          checkTarget,
        },
        access: {
          keys: { masterKeys, signingKeys },
          portalAccess: {
            async makeLink(...link) {
              const { portalAccess } = await import('../../access/portal/portal-access.js');
              return portalAccess({ masterKeys, store, now: () => new Date() }).makeLink(...link);
            },
          },
        },
        publishing: {
          limits: { flowEvent: async () => undefined },
          async checkPublished(...event) {
            const { publishingChecks } = await import('../../flows/types/publishing-checks.js');
            return publishingChecks(store)(...event);
          },
          async transform(request) {
            transforms ??= openTransformer();
            return (await transforms).transform(request);
          },
          subscribe: needsService,
        },
        service: {
          instanceStatus: needsService,
          serviceUrl: publicUrl,
          log: noLog,
        },
        maxEventBytes: commandSettings(maxEventBytes),
        maxFeedWaits: 1,
        command,
        stopping,
      }),
    );
    return adminApi(routes);
  }

  async function keysFor(subject: AnyAdminRoute['subject'], isRead: boolean) {
    const none = { masterKeys: missing<MasterKeys>('MASTER_KEYS'), signingKeys: missing<SigningKeys>('SIGNING_KEYS') };
    if (!withKeys.includes(subject)) return none;
    const { masterKeysOf, signingKeysOf } = await import('./keys-of-service.js'); // they load cryptography
    const masterKeys = (await masterKeysOf(dataDirectory)) ?? none.masterKeys;
    if (subject === 'keys') return { masterKeys, signingKeys: await signingKeysOf(dataDirectory) };
    if (isRead) return { ...none, masterKeys }; // no new secret is derived, so the event store is not opened
    try {
      await requireMasterKeyOfService(store, masterKeys);
      return { ...none, masterKeys };
    } catch (error) {
      return { ...none, masterKeys: unusable<MasterKeys>(error) }; // only some routes of the subject derive secrets
    }
  }

  const opened = new Map<string, Promise<AdminApi>>();
  return async (route, request) => {
    const isRead = route.method === 'get';
    const name = `${route.subject} ${isRead}`;
    const api = opened.get(name) ?? open(route.subject, isRead);
    opened.set(name, api);
    return (await api).call(route, request, caller);
  };
}

type ViewStores = { store: EventStore; readModel: ReadModel };

/** Rebuilds and verifies views in this process, as a service does; ends with the command. */
async function openViewWork(stores: ViewStores, onClose: LocalApi['onClose']): Promise<ViewWork> {
  const [{ backgroundRebuilds }, { backgroundVerifications }, { withScratchUntilSignal }] = await Promise.all([
    import('../../views/rebuilding/background-rebuilds.js'),
    import('../../audit/background-verifications.js'),
    import('../../service/stores/scratch-read-model.js'),
  ]);
  const rebuilds = backgroundRebuilds({ ...stores, log: noLog });
  const verifications = backgroundVerifications({ ...stores, withScratch: withScratchUntilSignal, log: noLog });
  onClose(rebuilds.stop);
  onClose(verifications.stop);
  return { rebuilds, verifications };
}

const noLog = { info: () => undefined, error: () => undefined };

const noViewWork = {
  rebuilds: { start: needsService, last: () => ({}) },
  verifications: { start: needsService, last: () => undefined },
};

/** Subjects with routes that use keys of the service. */
const withKeys: readonly AnyAdminRoute['subject'][] = ['listeners', 'operations', 'portal', 'keys', 'feed'];

const missing = <Keys extends object>(setting: string): Keys =>
  unusable(new UsageError(`this needs keys of the service: set ${setting} to its value`));

/** Throws the error when it is used: most routes need no keys. */
const unusable = <Keys extends object>(error: unknown): Keys =>
  new Proxy({} as Keys, {
    get() {
      throw error;
    },
  }); // it has no property that could be read

function needsService(): never {
  throw new ServiceNeeded('only a running service can do this: name one with --url');
}

/** Opened when a caller waits for it. */
function laterView(of: Watch, onClose: LocalApi['onClose']): Follower {
  let view: Follower | undefined;
  const { name } = of.projection;
  return {
    status: () => ({ name, build: undefined, position: undefined, caughtUp: false }),
    passed(...position) {
      if (!view) {
        view = watch({ ...of, onlyAwaited: true });
        onClose(view.stop);
      }
      return view.passed(...position);
    },
    stop: async () => view?.stop(),
  };
}

async function checkTarget(hookUrl: string): Promise<void> {
  const { targetJudge } = await import('../../deliveries/target-guard/target-judge.js');
  const { targetPolicy } = await import('./target-policy.js');
  await targetJudge(targetPolicy()).check(hookUrl);
}

/** The address of a service that is started with these settings. */
function publicUrl(): string {
  const url = settingText(process.env, 'PUBLIC_URL');
  if (url === undefined) throw new UsageError('this needs the address of the service: set PUBLIC_URL, or give --url');
  return url.replace(/\/+$/, '');
}
