import type { Context, Routes } from '../../http/context.js';
import type { Mode } from '../../kernel/settings/setting.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import type { OpenKeySet } from '../keys/key-set.js';
import { developmentLoginKeys } from '../keys/service-keys.js';
import type { ResourceOf } from '../protected-resource.js';
import type { IssuerOf } from '../service-issuer.js';
import type { SignInSettings } from '../settings.js';
import { type CodeVerification, signedCodes } from './codes.js';
import { developmentCodes, developmentIssuer, developmentSignInRoutes } from './development.js';
import { platformAnswers } from './platform-request.js';
import { byHost, signInRoutes } from './routes.js';

type LoginPageSettings = { mode: Mode; dataDirectory: string; signIn: SignInSettings };

type SignInDependencies = {
  openKeySet: OpenKeySet;
  clients: ClientRegistry;
  hostOf: (ctx: Context) => string;
  issuerOf: IssuerOf;
  resourceOf: ResourceOf;
  now: () => Date;
};

type SignIn = {
  /** Verification by issuer; empty without a login page. */
  codes: ReadonlyMap<string, CodeVerification>;
  routes: readonly Routes[];
};

/** The login pages and codes that are configured. In development mode, the built-in ones replace what is not configured. */
export async function signIn(
  { mode, dataDirectory, signIn: { loginUrls: urls, login } }: LoginPageSettings,
  { openKeySet, clients, hostOf, issuerOf, resourceOf, now }: SignInDependencies,
): Promise<SignIn> {
  const configured = urls && byHost(urls);
  const codes = new Map<string, CodeVerification>();
  if (login) {
    codes.set(login.issuer, signedCodes({ ...login, keys: await openKeySet('LOGIN_JWKS', login.keys), now }));
  }
  if (mode === 'production' || (configured && login)) {
    const loginUrls = configured ?? (() => undefined); // in production other hosts have an identity provider
    return { codes, routes: [signInRoutes({ loginUrls, hostOf })] };
  }
  const development = developmentCodes(await developmentLoginKeys(dataDirectory), now);
  if (!login) codes.set(developmentIssuer, development.verification);
  const builtInPage = (host: string) => `http://${host}/sign-in`; // the application accepts only loopback names
  return {
    codes,
    routes: [
      signInRoutes({ loginUrls: configured ?? builtInPage, hostOf }),
      developmentSignInRoutes(development, clients, platformAnswers(issuerOf), resourceOf),
    ],
  };
}
