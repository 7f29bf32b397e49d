import type { Context, Routes } from '../../http/context.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import type { KeySource, OpenKeySet } from '../keys/key-set.js';
import { developmentLoginKeys } from '../keys/service-keys.js';
import { type CodeVerification, signedCodes } from './codes.js';
import { developmentCodes, developmentIssuer, developmentSignInRoutes } from './development.js';
import { byHost, signInRoutes } from './routes.js';

export type SignInSettings = {
  readonly mode: 'development' | 'production';
  readonly dataDirectory: string;
  readonly signIn: {
    /** Login URL by request host; undefined: the built-in page (development only). */
    readonly loginUrls: Readonly<Record<string, string>> | undefined;
    readonly login: { readonly issuer: string; readonly keys: KeySource; readonly audience?: string } | undefined;
  };
};

type SignInDependencies = {
  readonly openKeySet: OpenKeySet;
  readonly clients: ClientRegistry;
  readonly hostOf: (ctx: Context) => string;
  readonly now: () => Date;
};

type SignIn = {
  /** By issuer; empty without a login page. */
  readonly codes: ReadonlyMap<string, CodeVerification>;
  readonly routes: readonly Routes[];
};

/** The login pages and codes that are configured. In development mode, the built-in ones replace what is not configured. */
export async function signIn(
  { mode, dataDirectory, signIn: { loginUrls: urls, login } }: SignInSettings,
  { openKeySet, clients, hostOf, now }: SignInDependencies,
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
      developmentSignInRoutes(development, clients),
    ],
  };
}
