import { Agent, fetch as undiciFetch } from 'undici';
import { projections } from '../../projections/index.js';
import { listeners } from '../../projections/listeners.js';
import { registrationHistory } from '../../projections/registration-history.js';
import { identityOf } from '../access/identity/identify.js';
import { developmentLoginKeys } from '../access/keys/development-keys.js';
import { openKeySet } from '../access/keys/key-set.js';
import { keyRoutes } from '../access/keys/routes.js';
import type { ServiceKeys } from '../access/keys/service-keys.js';
import type { CodeVerification } from '../access/sign-in/code-verification.js';
import { developmentCodes } from '../access/sign-in/development-codes.js';
import { developmentSignInRoutes } from '../access/sign-in/development-routes.js';
import { type LoginUrls, loginUrls } from '../access/sign-in/login-urls.js';
import { signInRoutes } from '../access/sign-in/routes.js';
import { signedCodes } from '../access/sign-in/signed-code.js';
import { accessTokens } from '../access/tokens/access-token.js';
import { bearerToken } from '../access/tokens/bearer.js';
import { codeExchange } from '../access/tokens/exchange-code.js';
import { sessionRefresh } from '../access/tokens/refresh-session.js';
import { tokenRoutes } from '../access/tokens/routes.js';
import { trustedIssuers } from '../access/tokens/trusted-issuers.js';
import { notifyQueue } from '../deliveries/fan-out/notify-queue.js';
import { setAsideRetries } from '../deliveries/operate/retry-set-aside.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import type { TargetGuard } from '../deliveries/target-guard/target-guard.js';
import { publishingPace } from '../flows/publishing-pace.js';
import { flowRoutes } from '../flows/routes.js';
import type { Routes } from '../http/context.js';
import { gatewayCheck, hostSeenBy } from '../http/forwarded.js';
import { adminRoutes } from '../operations/api/routes.js';
import type { OnRemoved } from '../registrations/listeners/operate-listener.js';
import { registeredAt } from '../registrations/listeners/queries/find.js';
import { findHook } from '../registrations/listeners/queries/find-hook.js';
import { viewCaughtUp } from '../registrations/listeners/queries/view-caught-up.js';
import { listenerRoutes } from '../registrations/listeners/routes.js';
import type { UnsubscribeBarrier } from '../registrations/listeners/unsubscribe-barrier.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Follower } from '../stores/read-model/follower.js';
import type { Projection } from '../stores/read-model/projection.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import type { BackgroundRebuilds } from '../stores/read-model/rebuilding/background-rebuilds.js';
import type { Config } from './config/config.js';

export type RoutesDependencies = {
  readonly config: Config;
  readonly store: EventStore;
  readonly keys: ServiceKeys;
  readonly guard: TargetGuard;
  readonly barrier: UnsubscribeBarrier;
  readonly readModel: ReadModel;
  readonly queue: Omit<DeliveryQueue, 'close'>;
  readonly onRemoved: OnRemoved | undefined;
  /** One for each projection, in their order. */
  readonly followers: readonly Follower[];
  readonly rebuilds: BackgroundRebuilds;
  /** How busy the dispatcher beside these routes is: see `publishingPace`. 0 where there is none. */
  readonly dispatcherLoad: () => number;
};

/** Access tokens of development mode stay good when the port changes. */
const developmentIssuerOfTokens = 'urn:flow-hooks:development';

/** The capabilities, wired to what they need, as routes. Throws `UnusableKeys` where a file of keys cannot be used. */
export async function routesOf(dependencies: RoutesDependencies): Promise<readonly Routes[]> {
  const { config, store, keys, guard, barrier, readModel, queue, onRemoved, followers, rebuilds } = dependencies;
  const pace = publishingPace(dependencies.dispatcherLoad);
  const { http, tokens: limits } = config;
  const { masterKeys, signingKeys, adminKeys } = keys;
  const now = () => new Date();
  const fetch = guardedFetch(guard);
  const isTrustedGateway = gatewayCheck(http.trustedGateways);

  const signIn = await signInOf(config, fetch, now);
  const issuer = http.publicUrl ?? developmentIssuerOfTokens;
  const access = accessTokens({ issuer, ttlMs: limits.accessTokenTtlMs, signingKeys, store, now });
  const identity = identityOf({
    believeEveryone: config.mode === 'development',
    verifyAccessToken: access.verify,
    ...{ isTrustedGateway, bearerToken, adminKeys },
  });
  const listenersView = viewOf(listeners, followers);
  const prefix = http.hooksPrefix;
  const { subscriptionTypes } = config.listeners;

  return [
    signInRoutes({ loginUrls: signIn.loginUrls, hostOf: hostSeenBy(isTrustedGateway) }),
    ...signIn.routes,
    tokenRoutes({
      exchangeCode: codeExchange({ store, codes: signIn.codes, masterKeys, accessTokens: access, now }),
      refreshSession: sessionRefresh({ store, masterKeys, accessTokens: access, limits, now }),
      accessTokens: access,
      isIdentityToken: await trustedIssuers(config.signIn.trustedIssuers, { now, fetch }),
    }),
    keyRoutes({ signingKeys }),
    listenerRoutes({ prefix, store, identity, masterKeys, barrier, checkTarget: guard.check, subscriptionTypes }),
    flowRoutes({ prefix, store, identity, subscriptionTypes, maxEventBytes: config.flows.maxEventBytes, pace }),
    adminRoutes({
      ...{ identity, store, readModel, queue, followers, rebuilds, masterKeys },
      operations: {
        ...{ store, barrier, onRemoved, notifyChange: notifyQueue(queue, Date.now) },
        findHook: findHook({ store, readModel, viewPassed: listenersView.passed }),
      },
      erasure: { store, queue, barrier, onRemoved },
      explain: {
        ...{ store, readModel, queue, clock: Date.now },
        historyCaughtUp: viewCaughtUp(store, viewOf(registrationHistory, followers).passed),
      },
      retries: setAsideRetries({
        ...{ store, queue, clock: Date.now, viewPassed: listenersView.passed },
        registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
      }),
    }),
  ];
}

function viewOf(projection: Projection, followers: readonly Follower[]): Follower {
  const follower = followers[projections.indexOf(projection)];
  if (!follower) throw new Error(`${projection.name} is one of the projections`);
  return follower;
}

type SignIn = { readonly loginUrls: LoginUrls; readonly codes: CodeVerification; readonly routes: readonly Routes[] };

/** The login pages and codes that are configured; in development mode, the built-in ones where none are. */
async function signInOf({ mode, dataDirectory, signIn }: Config, fetch: Fetch, now: () => Date): Promise<SignIn> {
  const { loginUrls: urls, login } = signIn;
  const configured = {
    urls: urls && loginUrls(urls),
    codes: login && signedCodes({ ...login, keys: await openKeySet(login.keys, fetch), now }),
  };
  if (configured.urls && configured.codes) return { loginUrls: configured.urls, codes: configured.codes, routes: [] };
  if (mode === 'production') throw new Error('production mode has a configured login'); // `readConfig` has seen to it
  const development = developmentCodes(await developmentLoginKeys(dataDirectory), now);
  return {
    loginUrls: configured.urls ?? ((host) => `http://${host}/sign-in`), // only loopback names come this far
    codes: configured.codes ?? development.verification,
    routes: [developmentSignInRoutes({ codes: development })],
  };
}

type Fetch = NonNullable<Parameters<typeof openKeySet>[1]>;

/** Keys of issuers are fetched through the target guard, as everything that leaves this service. */
function guardedFetch(guard: TargetGuard): Fetch {
  const dispatcher = new Agent({ connect: guard.connect });
  return async (url, { headers, method, redirect, signal }) => {
    const response = await undiciFetch(url, { headers: [...headers], method, redirect, signal, dispatcher });
    return response as unknown as Response; // the one that Node has is made of it; only their types differ
  };
}
