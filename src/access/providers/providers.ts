import type { Logger } from 'pino';
import type { Context, Routes } from '../../http/context.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { CurrentClients } from '../clients/client-registry.js';
import type { IssuerFetch } from '../issuer-fetch.js';
import { warnOfExposedFiles } from '../keys/key-files.js';
import type { ServiceKeys } from '../keys/service-keys.js';
import type { ResourceOf } from '../protected-resource.js';
import type { IssuerOf } from '../service-issuer.js';
import type { CodeVerification } from '../sign-in/codes.js';
import { platformAnswers } from '../sign-in/platform-request.js';
import { byHost } from '../sign-in/routes.js';
import { type Claims, userOf } from './claims.js';
import { ownCodes } from './own-codes.js';
import { pendingSignIns } from './pending-sign-ins.js';
import { maxSignInsOf, openProvider, type Provider, type RequestSlots } from './provider.js';
import { clientSecretOf, type ProviderSettings } from './provider-settings.js';
import { type ProviderStatus, providerStatuses } from './provider-statuses.js';
import { providerRoutes, serviceAddressOf } from './routes.js';
import { signInSteps } from './sign-in-steps.js';

export type IdentityProviderSettings = {
  http: RequestSlots & { publicUrl: string | undefined };
  signIn: {
    loginUrls: Readonly<Record<string, string>> | undefined;
    providers: Readonly<Record<string, ProviderSettings>>;
  };
};

type IdentityProviderDependencies = {
  store: EventStore;
  keys: Pick<ServiceKeys, 'masterKeys' | 'signingKeys'>;
  clients: CurrentClients;
  /** Issuer of the service's own codes. */
  issuer: string;
  issuerOf: IssuerOf;
  resourceOf: ResourceOf;
  hostOf: (ctx: Context) => string;
  fetch: IssuerFetch;
  log: Logger;
  now: () => Date;
};

export type IdentityProviders = {
  routes: readonly Routes[];
  /** Verification by issuer: codes of these providers' users. */
  codes: ReadonlyMap<string, CodeVerification>;
  statuses: readonly ProviderStatus[];
};

/** Throws `UnusableKeys` if a client secret's file cannot be used. */
export async function identityProviders(
  { http, signIn }: IdentityProviderSettings,
  { store, keys, clients, issuer, issuerOf, resourceOf, hostOf, fetch, log, now }: IdentityProviderDependencies,
): Promise<IdentityProviders> {
  const opened: (readonly [host: string, provider: Provider])[] = [];
  const files = Object.values(signIn.providers).flatMap(({ clientSecretFile: file }) => file ?? []);
  await warnOfExposedFiles([...new Set(files)], log);
  const maxSignIns = maxSignInsOf(http, Object.keys(signIn.providers).length);
  for (const [host, settings] of Object.entries(signIn.providers)) {
    const secret = await clientSecretOf('LOGIN_PROVIDERS', settings);
    const user = (claims: Claims) => userOf(claims, settings);
    opened.push([host, openProvider(settings, secret, { fetch, log, maxSignIns, userOf: user })]);
  }
  for (const [, provider] of opened) void provider.check();
  await warnWithoutClients(clients, log);

  // A host with its own login page does not match a less specific pattern.
  const loginPages = Object.keys(signIn.loginUrls ?? {}).map((host) => [host, {}] as const);
  const found = byHost<{ provider?: Provider }>(
    Object.fromEntries([...loginPages, ...opened.map(([host, provider]) => [host, { provider }] as const)]),
  );
  const codes = ownCodes({ issuer, signingKeys: keys.signingKeys, now });
  const answers = platformAnswers(issuerOf);
  const secure = http.publicUrl?.startsWith('https:') === true;
  const pending = pendingSignIns({ masterKeys: keys.masterKeys, now }, { secure });
  return {
    codes: new Map([[issuer, codes.verification]]),
    statuses: providerStatuses(opened.map(([, provider]) => provider)),
    routes: [
      providerRoutes({
        providerOf: (host) => found(host)?.provider,
        hostOf,
        addressOf: serviceAddressOf(hostOf, http.publicUrl),
        clients,
        resourceOf,
        pending,
        answers,
        steps: signInSteps({ store, clients, pending, codes, answers, now }),
      }),
    ],
  };
}

async function warnWithoutClients(clients: CurrentClients, log: Logger): Promise<void> {
  if ((await clients.current()).size > 0) return;
  log.warn('LOGIN_PROVIDERS is set, and no client is registered: /oauth2 refuses users until a platform is registered');
}
